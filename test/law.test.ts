import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addons, rooms, subRooms } from "../.dependency-cruiser.mjs";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** A small house that keeps the law, to which breaches are added one file each. */
const clean: Readonly<Record<string, string>> = {
  "packages/core/package.json": JSON.stringify({
    name: "@holdfast/core",
    type: "module",
    exports: {
      ".": { "holdfast-source": "./src/index.ts" },
      "./node": { "holdfast-source": "./src/node/index.ts" },
    },
    dependencies: { diff: "9.0.0", zod: "4.6.7" },
  }),
  "packages/core/src/index.ts": 'export { text } from "./text/index.js";\n',
  "packages/core/src/text/index.ts": "export const text = 1;\n",
  "packages/core/src/patch/index.ts": 'export { place } from "./apply/place.js";\n',
  "packages/core/src/patch/apply/place.ts":
    'import { hunk } from "../model/hunk.js";\nimport { text } from "../../text/index.js";\nimport { applyPatch } from "diff";\nexport const place = [text, hunk, applyPatch];\n',
  "packages/core/src/patch/model/hunk.ts": "export const hunk = 1;\n",
  "packages/core/src/patch/section/heading.ts": "export const heading = 1;\n",
  "packages/core/src/files/index.ts": 'export { place } from "../patch/index.js";\n',
  "packages/core/src/conversation/index.ts": "export const turns = 1;\n",
  "packages/core/src/context/index.ts": "export const prompt = 1;\n",
  "packages/core/src/tools/index.ts": 'import { z } from "zod";\nexport const tools = z;\n',
  "packages/core/src/node/index.ts": 'export { disk } from "./workspace/open.js";\n',
  "packages/core/src/node/workspace/open.ts": 'export { disk } from "../disk/disk.js";\n',
  "packages/core/src/node/disk/disk.ts":
    'import { readFileSync } from "node:fs";\nexport const disk = readFileSync;\n',
  "packages/mcp/package.json": JSON.stringify({
    name: "@holdfast/mcp",
    type: "module",
    exports: { ".": { "holdfast-source": "./src/index.ts" } },
    dependencies: { "@holdfast/core": "0.1.0", "@modelcontextprotocol/server": "2.4.0" },
  }),
  "packages/mcp/src/index.ts":
    'import { text } from "@holdfast/core";\nimport * as sdk from "@modelcontextprotocol/server";\nexport const serve = [text, sdk];\n',
  "packages/mcp/src/inner.ts": "export const inner = 1;\n",
  "addons/adapters/package.json": JSON.stringify({
    name: "@holdfast/adapters",
    type: "module",
    exports: { "./genkit": { "holdfast-source": "./src/genkit.ts" } },
    dependencies: { "@holdfast/core": "0.1.0" },
    peerDependencies: { genkit: "1.42.0" },
  }),
  "addons/adapters/src/genkit.ts":
    'import { text } from "@holdfast/core";\nimport { genkit } from "genkit";\nimport { seen } from "./seen.js";\nexport const holdfast = [text, genkit, seen];\n',
  "addons/adapters/src/ai-sdk.ts": "export const tools = 1;\n",
  "addons/adapters/src/seen.ts": "export const seen = 1;\n",
  "packages/agent/package.json": JSON.stringify({
    name: "@holdfast/agent",
    type: "module",
    exports: { ".": { "holdfast-source": "./src/index.ts" } },
    dependencies: { "@holdfast/core": "0.1.0" },
  }),
  "packages/agent/src/index.ts": 'export { inner } from "./inner.js";\n',
  "packages/agent/src/inner.ts": 'export { text as inner } from "@holdfast/core";\n',
  "packages/agent/src/ui/index.ts": "export const drawn = 1;\n",
  "addons/postgres/package.json": JSON.stringify({
    name: "@holdfast/postgres",
    type: "module",
    exports: { ".": { "holdfast-source": "./src/index.ts" } },
    dependencies: { "@holdfast/core": "0.1.0", kysely: "0.28.18", pg: "8.23.1" },
  }),
  "addons/postgres/src/index.ts": 'export { inner } from "./inner.js";\n',
  "addons/postgres/src/inner.ts":
    'import { hostname } from "node:os";\nimport { disk } from "@holdfast/core/node";\nimport { Kysely } from "kysely";\nimport pg from "pg";\nexport const inner = [hostname, disk, Kysely, pg];\n',
  "packages/cli/package.json": JSON.stringify({
    name: "@holdfast/cli",
    type: "module",
    dependencies: { "@holdfast/core": "0.1.0", "@holdfast/mcp": "0.1.0", commander: "14.0.3" },
  }),
  "packages/cli/src/main.ts":
    'import { serve } from "@holdfast/mcp";\nimport "commander";\nexport const main = serve;\n',
};

interface Breach {
  readonly rule: string;
  readonly file: string;
  readonly source: string;
  /** Files that the breach needs beside it. */
  readonly with?: Readonly<Record<string, string>>;
}

/** A room imports a later one, the last room its own door, and one of them a room that is in no table. */
function orderBreaches(name: string, folder: string, order: readonly string[]): readonly Breach[] {
  const [first = "", last = ""] = [order[0], order.at(-1)];
  const toLater = order.slice(0, -1).map((room) => ({
    rule: `order-${name}-${room}`,
    file: `${folder}${room}/later-room.ts`,
    source: `import type { late } from "../${last}/late.js";\nexport type Later = typeof late;\n`,
    with: { [`${folder}${last}/late.ts`]: "export const late = 1;\n" },
  }));
  return [
    ...toLater,
    {
      rule: `order-${name}-${last}`,
      file: `${folder}${last}/own-door.ts`,
      source: 'import * as door from "../index.js";\nexport const own = door;\n',
    },
    {
      rule: `listed-${name}`,
      file: `${folder}${first}/stray-room.ts`,
      source: 'import { stray } from "../stray/stray.js";\nexport const found = stray;\n',
      with: { [`${folder}stray/stray.ts`]: "export const stray = 1;\n" },
    },
  ];
}

const breaches: readonly Breach[] = [
  ...Object.entries(rooms).flatMap(([pkg, order]) => orderBreaches(pkg, `packages/${pkg}/src/`, order)),
  ...Object.entries(subRooms).flatMap(([place, order]) => {
    const [pkg, room] = place.split("/");
    return orderBreaches(`${pkg}-${room}`, `packages/${pkg}/src/${room}/`, order);
  }),
  {
    rule: "use-the-door",
    file: "packages/core/src/files/side-entrance.ts",
    source: 'import { place } from "../patch/apply/place.js";\nexport const side = place;\n',
  },
  {
    rule: "use-the-door",
    file: "packages/core/src/files/sub-room-entrance.ts",
    source: 'import { step } from "../patch/read/index.js";\nexport const side = step;\n',
    with: { "packages/core/src/patch/read/index.ts": "export const step = 1;\n" },
  },
  {
    rule: "use-the-door",
    file: "packages/core/src/node/disk/sub-room-entrance.ts",
    source: 'import { inner } from "../../files/inner/index.js";\nexport const side = inner;\n',
    with: { "packages/core/src/files/inner/index.ts": "export const inner = 1;\n" },
  },
  {
    rule: "core-stands-alone",
    file: "packages/core/src/files/upward.ts",
    source: 'import { serve } from "../../../mcp/src/index.js";\nexport const up = serve;\n',
  },
  ...[
    ["mcp", "../../cli/src/main.js"],
    ["agent", "../../mcp/src/index.js"],
  ].map(([name, other]) => ({
    rule: `${name}-meets-only-core`,
    file: `packages/${name}/src/sideways.ts`,
    source: `import * as other from "${other}";\nexport const side = other;\n`,
  })),
  {
    rule: "house-needs-no-addon",
    file: "packages/cli/src/needs-addon.ts",
    source: 'import { inner } from "@holdfast/postgres";\nexport const needed = inner;\n',
  },
  ...Object.entries(addons).map(([name, used]) => ({
    rule: `addon-${name}-by-the-doors`,
    file: `addons/${name}/src/sideways.ts`,
    source: `import * as other from "../../../packages/${used.includes("agent") ? "mcp" : "agent"}/src/index.js";\nexport const side = other;\n`,
  })),
  {
    rule: "listed-addons",
    file: "addons/stray/src/stray.ts",
    source: 'import { text } from "@holdfast/core";\nexport const stray = text;\n',
  },
  {
    rule: "core-by-its-doors",
    file: "packages/mcp/src/deep.ts",
    source: 'import { place } from "../../core/src/patch/apply/place.js";\nexport const deep = place;\n',
  },
  ...["mcp", "agent"].map((name) => ({
    rule: `${name}-by-its-door`,
    file: `packages/cli/src/into-${name}.ts`,
    source: `import { inner } from "../../${name}/src/inner.js";\nexport const deep = inner;\n`,
  })),
  {
    rule: "adapters-stay-apart",
    file: "addons/adapters/src/deepagents.ts",
    source: 'import { tools } from "./ai-sdk.js";\nexport const both = tools;\n',
  },
  {
    rule: "io-at-the-edge",
    file: "packages/core/src/files/touches-disk.ts",
    source: 'export const later = () => import("node:fs");\n',
  },
  ...[
    ["diff", "diff", "core/src/files/foreign-diff.ts"],
    ["zod", "zod", "core/src/files/foreign-zod.ts"],
    ["markdown-it", "markdown-it", "core/src/tools/foreign-markdown.ts"],
    ["chardet", "chardet", "core/src/files/foreign-chardet.ts"],
    ["iconv-lite", "iconv-lite", "core/src/files/foreign-iconv.ts"],
    ["fs-native-extensions", "fs-native-extensions", "core/src/files/foreign-native.ts"],
    ["@modelcontextprotocol/server", "@modelcontextprotocol/server", "cli/src/foreign-mcp.ts"],
    ["@modelcontextprotocol/client", "@modelcontextprotocol/client", "agent/src/loop/foreign-mcp-client.ts"],
    ["openai", "openai", "agent/src/loop/foreign-openai.ts"],
    ["@google/genai", "@google/genai", "cli/src/foreign-genai.ts"],
    ["re2js", "re2js", "core/src/tools/foreign-re2js.ts"],
    ["yaml", "yaml", "core/src/tools/foreign-yaml.ts"],
    ["smol-toml", "smol-toml", "core/src/tools/foreign-toml.ts"],
    ["saxes", "saxes", "core/src/tools/foreign-saxes.ts"],
    ["get-east-asian-width", "get-east-asian-width", "cli/src/foreign-width.ts"],
    ["highlight.js", "highlight.js", "cli/src/foreign-colours.ts"],
    ["commander", "commander", "mcp/src/foreign-commander.ts"],
    ["jsonc-parser", "jsonc-parser", "mcp/src/foreign-jsonc.ts"],
    ["@decimalturn/toml-patch", "@decimalturn/toml-patch", "cli/src/commands/foreign-toml.ts"],
    ["pg", "pg", "core/src/node/foreign-pg.ts"],
    ["kysely", "kysely", "cli/src/foreign-kysely.ts"],
    ["genkit", "genkit", "../addons/adapters/src/foreign-genkit.ts"],
    ["ai", "ai", "../addons/adapters/src/foreign-ai.ts"],
    ["@anthropic-ai", "@anthropic-ai/sdk", "../addons/adapters/src/foreign-anthropic.ts"],
    ["deepagents", "deepagents", "../addons/adapters/src/foreign-deepagents.ts"],
    ["@mastra", "@mastra/core", "../addons/adapters/src/foreign-mastra.ts"],
    ["@google/adk", "@google/adk", "../addons/adapters/src/foreign-adk.ts"],
    ["llamaindex", "llamaindex", "../addons/adapters/src/foreign-llamaindex.ts"],
  ].map(([home, library, file = ""]) => ({
    rule: `home-of-${home}`,
    file: join("packages", file),
    source: `import * as library from "${library}";\nexport const foreign = library;\n`,
  })),
  {
    rule: "no-cycle",
    file: "packages/core/src/text/one.ts",
    source: 'import type { Two } from "./two.js";\nexport type One = Two | 1;\n',
    with: {
      "packages/core/src/text/two.ts": 'import type { One } from "./one.js";\nexport type Two = One | 2;\n',
    },
  },
  {
    rule: "no-folder-cycle",
    file: "packages/core/src/tools/left/",
    source: "",
    with: {
      "packages/core/src/tools/left/a.ts": 'import { b } from "../right/b.js";\nexport const a = b;\n',
      "packages/core/src/tools/right/b.ts": "export const b = 1;\n",
      "packages/core/src/tools/right/c.ts": 'import { d } from "../left/d.js";\nexport const c = d;\n',
      "packages/core/src/tools/left/d.ts": "export const d = 1;\n",
    },
  },
  {
    rule: "resolvable",
    file: "packages/core/src/text/nowhere.ts",
    source: 'import { gone } from "./gone.js";\nexport const found = gone;\n',
  },
  {
    rule: "declared",
    file: "packages/mcp/src/undeclared.ts",
    source: 'import * as undeclared from "esbuild";\nexport const borrowed = undeclared;\n',
  },
  {
    rule: "no-screen-unasked",
    file: "packages/agent/src/index.ts",
    source: 'export { drawn } from "./ui/index.js";\n',
  },
  {
    rule: "declared-or-bundled",
    file: "packages/cli/src/undeclared.ts",
    source: 'import * as undeclared from "esbuild";\nexport const borrowed = undeclared;\n',
  },
  {
    rule: "no-test-in-src",
    file: "packages/core/src/text/leans-on-test.ts",
    source: 'import { sample } from "../../test/sample.js";\nexport const shipped = sample;\n',
    with: { "packages/core/test/sample.ts": "export const sample = 1;\n" },
  },
];

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

interface Verdict {
  readonly violations: readonly Violation[];
  readonly totalCruised: number;
}

const built: string[] = [];
afterAll(() => {
  for (const folder of built) rmSync(folder, { recursive: true, force: true });
});

function judge(files: Readonly<Record<string, string>>): Verdict {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-law-"));
  built.push(folder);
  cpSync(join(house, ".dependency-cruiser.mjs"), join(folder, ".dependency-cruiser.mjs"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "house", type: "module" }));
  for (const [path, source] of Object.entries(files)) {
    if (path.endsWith("/")) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), source);
  }
  linkModules(folder);
  const bin = join(house, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [bin, "--config", ".dependency-cruiser.mjs", "--output-type", "json", "packages", "addons"];
  const run = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 });
  const report = JSON.parse(run.stdout) as { readonly summary: Verdict };
  return report.summary;
}

/** Third-party libraries are the house's own; the workspace packages are those of the small house. */
function linkModules(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@holdfast"), { recursive: true });
  for (const place of [
    "packages/core",
    "packages/mcp",
    "packages/agent",
    "addons/adapters",
    "addons/postgres",
  ])
    symlinkSync(join(folder, place), join(modules, "@holdfast", basename(place)));
  const libraries = [
    "diff",
    "zod",
    "markdown-it",
    "chardet",
    "iconv-lite",
    "fs-native-extensions",
    "re2js",
    "yaml",
    "smol-toml",
    "saxes",
    "get-east-asian-width",
    "highlight.js",
    "commander",
    "pg",
    "kysely",
  ];
  for (const name of [
    ...libraries,
    "jsonc-parser",
    "openai",
    "@google",
    "esbuild",
    "typescript",
    "@modelcontextprotocol",
    "@decimalturn",
  ]) {
    symlinkSync(join(house, "node_modules", name), join(modules, name));
  }
}

describe("the law of imports", () => {
  const planted: Readonly<Record<string, string>> = Object.assign(
    {},
    clean,
    ...breaches.map(({ file, source, with: more }) => ({ [file]: source, ...more })),
  );
  let verdict: Verdict;
  beforeAll(() => {
    verdict = judge(planted);
  });

  it("looks at every module, and blames none that keeps it", () => {
    const kept = Object.keys(clean).filter((path) => path.endsWith(".ts") && planted[path] === clean[path]);
    expect(kept.length).toBeGreaterThan(15);
    expect(verdict.totalCruised).toBeGreaterThanOrEqual(
      Object.keys(planted).filter((path) => path.endsWith(".ts")).length,
    );
    expect(verdict.violations.filter(({ from }) => kept.includes(from))).toEqual([]);
  });

  it("fails each breach by the rule it breaks, and has a breach for every rule", async () => {
    const seen = new Set(verdict.violations.map(({ from, rule }) => `${rule.name} ${from}`));
    const missed = breaches.filter(({ rule, file }) => !seen.has(`${rule} ${file.replace(/\/$/, "")}`));
    expect(missed.map(({ rule, file }) => `${rule} ${file}`)).toEqual([]);
    const config = (await import(join(house, ".dependency-cruiser.mjs"))) as {
      readonly default: { readonly forbidden: readonly { readonly name: string }[] };
    };
    const rules = config.default.forbidden.map(({ name }) => name);
    const unplanted = rules.filter((name) => !breaches.some(({ rule }) => rule === name));
    expect(unplanted).toEqual([]);
  });
});
