import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = mkdtempSync(join(tmpdir(), "holdfast-reader-law-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Ways to the content of a file past the one reader, each in a source of its own. */
const ways: Readonly<Record<string, string>> = {
  name: 'import { readFileSync } from "node:fs";\nexport const way = readFileSync;\n',
  renamed: 'import { openSync as look } from "node:fs";\nexport const way = look;\n',
  namespace: 'import * as fs from "node:fs";\nexport const way = fs;\n',
  default: 'import fs from "node:fs";\nexport const way = fs;\n',
  promises: 'import { promises } from "node:fs";\nexport const way = promises;\n',
  "promises-module": 'import { open } from "node:fs/promises";\nexport const way = open;\n',
  "promises-namespace": 'import * as fs from "node:fs/promises";\nexport const way = fs;\n',
  stream: 'import { createReadStream } from "node:fs";\nexport const way = createReadStream;\n',
  listing: 'import { readdirSync } from "node:fs";\nexport const way = readdirSync;\n',
  folder: 'import { opendir } from "node:fs/promises";\nexport const way = opendir;\n',
  copy: 'import { copyFileSync } from "node:fs";\nexport const way = copyFileSync;\n',
  "handed-on": 'export { readFile } from "node:fs/promises";\n',
  "all-handed-on": 'export * from "node:fs";\n',
  later: 'export const way = await import("node:fs");\n',
  "later-by-name": 'export const { readFile } = await import("node:fs/promises");\n',
  required: 'export const way = require("node:fs");\n',
  "require-made":
    'import { createRequire } from "node:module";\nexport const way = createRequire("/x")("node:fs");\n',
  "old-name": 'import { statSync } from "fs";\nexport const way = statSync;\n',
};

function lint(sources: Readonly<Record<string, string>>): ReadonlySet<string> {
  copyFileSync(join(house, "biome.jsonc"), join(folder, "biome.jsonc"));
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const args = ["lint", "--vcs-enabled=false", "--reporter=json", "--max-diagnostics=none", "."];
  const { stdout } = spawnSync(join(house, "node_modules/.bin/biome"), args, {
    cwd: folder,
    encoding: "utf8",
  });
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { category: string; location: { path: string | { file: string } } }[];
  };
  const broken = diagnostics.filter(({ category }) => category === "lint/style/noRestrictedImports");
  return new Set(broken.map(({ location: { path } }) => (typeof path === "string" ? path : path.file)));
}

it("lint forbids every way to content past the one reader, in packages and add-ons", () => {
  const places = [
    "packages/cli/src/agent",
    "packages/agent/src/host",
    "packages/mcp/src",
    "addons/hosts/src/rules",
  ];
  const planted = Object.entries(ways).map(
    ([name, text], at) => [`${places[at % 4]}/${name}.ts`, text] as const,
  );
  const harmless = {
    "packages/cli/src/agent/harmless.ts":
      'import { statSync } from "node:fs";\nexport const look = statSync;\n',
    "packages/core/src/node/disk/walk.ts": ways.name ?? "",
  };
  const broken = lint({ ...Object.fromEntries(planted), ...harmless });
  expect([...broken].sort()).toEqual(planted.map(([path]) => path).sort());
});

it("no source asks the process for a module, past every import", () => {
  const listed = execFileSync("git", ["ls-files", "packages/*/src/**", "addons/*/src/**"], { cwd: house });
  const paths = listed
    .toString()
    .split("\n")
    .filter((path) => /^(?!packages\/core\/src\/node\/).*\.ts$/.test(path));
  expect(paths.length).toBeGreaterThan(500);
  const asking = paths.filter((path) =>
    /getBuiltinModule|process\.binding|process\.mainModule/.test(readFileSync(join(house, path), "utf8")),
  );
  expect(asking).toEqual([]);
});
