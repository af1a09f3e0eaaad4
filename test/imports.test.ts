import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

/** A library is imported by programs that may never use it: that alone touches nothing and starts nothing. */
const house = resolve(fileURLToPath(import.meta.url), "../..");
const folder = mkdtempSync(join(tmpdir(), "holdfast-imports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Seen {
  /** How many names each module exports. */
  readonly exports: readonly number[];
  readonly deeds: readonly string[];
  readonly open: readonly string[];
}

/** What the import of these modules did, in one process. */
function importing(...specifiers: readonly string[]): Seen {
  const watch = join(house, "test/fixtures/watch-import.mjs");
  const args = [watch, ...specifiers];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`the import ended with ${status}: ${stderr}`);
  // Our own fixture printed it.
  return JSON.parse(stdout) as Seen;
}

/** Every door of the libraries; `cli` is a program and has none. */
const manifests = ["packages/core", "packages/mcp", "addons/adapters"].map((folder) =>
  join(house, folder, "package.json"),
);
const doors = manifests.filter(existsSync).flatMap((manifest) => {
  const { name, exports }: { readonly name: string; readonly exports: object } = JSON.parse(
    readFileSync(manifest, "utf8"),
  );
  const modules = Object.keys(exports).filter((door) => door !== "./package.json");
  return modules.map((door) => `${name}${door.slice(1)}`);
});

/** Genkit is not installed here: the adapter is imported beside a package that has its names and does nothing. */
function besideGenkit(): string {
  const packages = join(folder, "node_modules");
  mkdirSync(join(packages, "@holdfast"), { recursive: true });
  mkdirSync(join(packages, "genkit"));
  symlinkSync(join(house, "packages/core"), join(packages, "@holdfast/core"));
  cpSync(join(house, "addons/adapters/dist"), join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(packages, "genkit/package.json"), '{ "type": "module", "exports": "./genkit.js" }');
  const anything = "new Proxy(function () {}, { get: () => anything, apply: () => anything })";
  const names = "anything as generateMiddleware, anything as tool, anything as z";
  const source = `const anything = ${anything};\nexport { ${names} };\nexport class ToolInterruptError {}\n`;
  writeFileSync(join(packages, "genkit/genkit.js"), source);
  return join(folder, "dist/genkit.js");
}

describe("importing", () => {
  it("any door reads no file and no variable, and starts nothing", () => {
    const { exports, deeds, open } = importing(
      ...doors.map((door) => (door.endsWith("/genkit") ? besideGenkit() : door)),
    );
    expect(exports).toHaveLength(doors.length);
    expect(doors.filter((_, at) => !exports[at])).toEqual([]);
    expect([...deeds, ...open]).toEqual([]);
  });

  const breaches: readonly (readonly [string, string])[] = [
    ["fs.readFileSync", 'fs.readFileSync("/dev/null");'],
    ["fs/promises.readdir", 'await promises.readdir(".");'],
    ["process.env.HOME", "void process.env.HOME;"],
    ["process.env.SHELL", 'void ("SHELL" in process.env);'],
    ["process.cwd", "process.cwd();"],
    ["setTimeout", "setTimeout(() => {}, 9);"],
    ["timers.setInterval", "timers.setInterval(() => {}, 9).unref();"],
    ["child_process.spawnSync", 'childProcess.spawnSync("true");'],
    ["net.createServer", "net.createServer();"],
    ["process.on", 'process.on("SIGTERM", () => {});'],
  ];
  it("a module that does any of it is seen", () => {
    const file = join(folder, "breaches.mjs");
    const libraries = ["fs", "timers", "net"].map((name) => `import * as ${name} from "node:${name}";\n`);
    const others = `import * as childProcess from "node:child_process";\nimport * as promises from "node:fs/promises";\n`;
    writeFileSync(file, [...libraries, others, ...breaches.map(([, source]) => `${source}\n`)].join(""));
    const { deeds } = importing(file);
    const seen = deeds.filter((deed) => deed.includes("breaches.mjs")).map((deed) => deed.split(" ")[0]);
    expect(seen.map((deed) => deed?.replace("node:", ""))).toEqual(breaches.map(([deed]) => deed));
  });
});
