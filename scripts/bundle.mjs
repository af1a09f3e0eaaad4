/**
 * Bundles the command line program to packages/cli/dist/bundle, or to `--outdir DIR`: a small first file, and one for the
 * server, for the guard and for all other commands, of which V8 runs what an earlier start compiled.
 * Runs after `tsc -b`, whose output of the packages it takes in. `--bare` leaves the add-ons out.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { globalOptions } from "../packages/cli/dist/command-spec.js";
import { commandSpecs } from "../packages/cli/dist/command-table.js";
import { completionScripts } from "./completion.mjs";
import { inAscii, pastBarrels } from "./past-barrels.mjs";

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
const home = new URL("../packages/cli/", import.meta.url);
const addonHome = (name) => fileURLToPath(new URL(`../addons/${name}/`, import.meta.url));
/** Those that the command knows how to use (`packages/cli/src/addons.ts`), as far as they are there. */
const { bare, outdir = fileURLToPath(new URL("dist/bundle/", home)) } = parseArgs({
  options: { bare: { type: "boolean" }, outdir: { type: "string" } },
}).values;
const addons = "importers page postgres hosts sandbox screen tour mcp-client web google-files"
  .split(" ")
  .filter((name) => bare !== true && existsSync(addonHome(name)));
const pageName = "history-page.html";
const { version } = JSON.parse(readFileSync(new URL("package.json", home), "utf8"));

// CommonJS dependencies ask for Node's own modules by `require`, which ES modules do not have.
const banner = [
  'import { createRequire as holdfastCreateRequire } from "node:module";',
  "const require = holdfastCreateRequire(import.meta.url);",
].join("\n");

const program = {
  outdir,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // Names stay: what goes wrong somewhere else must be found in here.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "linked",
  sourcemap: false,
  define: { HOLDFAST_VERSION: JSON.stringify(version) },
  // A native module, optional: it is looked for at run time, beside the program.
  external: ["fs-native-extensions"],
  alias: {
    "@modelcontextprotocol/server/_shims": beside("server-shims.mjs"),
    // Its CommonJS build asks for its parts in a way that no bundler can follow.
    "jsonc-parser": "jsonc-parser/lib/esm/main.js",
    // What is CommonJS has no names where it is imported on demand; this is the same as an ES module.
    yaml: beside("../node_modules/yaml/browser/dist/index.js"),
  },
  banner: { js: banner },
  plugins: [unusedModulesAreDropped(), pastBarrels(), childProcessIsLate(), schemasAreLate()],
  logLevel: "warning",
  metafile: true,
};
/** Half of what a start costs is bytes to parse, so names are short; `HOLDFAST_DEBUG` has them back by the maps. */
const server = {
  ...program,
  outdir: join(outdir, "mcp"),
  minifyIdentifiers: true,
  sourcemap: "linked",
  sourcesContent: false,
};
/**
 * What is started all the time: one file that V8 compiles once for many starts (`packages/cli/src/shell/compiled.ts`). It is
 * read as Latin-1, so all of it is ASCII.
 */
const compiled = {
  format: "cjs",
  // What Node 20 runs from kept code cannot import; `require` finds ES modules as well.
  supported: { "dynamic-import": false },
  plugins: [...program.plugins, patternsAreAscii()],
  outExtension: { ".js": ".cjs" },
  define: { ...program.define, "import.meta.url": "bundleUrl" },
  banner: { js: '"use strict";const bundleUrl=require("node:url").pathToFileURL(__filename).href;' },
};
// A thread is started from a file of its own, which its starter looks for beside itself (`openSections`,
// `openSearchThreads`).
const ofCore = (path) => fileURLToPath(new URL(`../core/dist/node/${path}`, home));
const threads = {
  "search-worker": ofCore("search/search-worker.js"),
  "section-thread": ofCore("workspace/section-thread.js"),
};
const source = (name) => fileURLToPath(new URL(`src/${name}`, home));
/**
 * Libraries that few calls need, each asked for on demand: without them a first start, which compiles all of its file, compiles
 * half as much. What shares values shares a file.
 */
const libraries = {
  anthropic: ["@anthropic-ai/sdk"],
  google: ["@google/genai/web"],
  ...(addons.includes("mcp-client") && {
    "mcp-client": ["@modelcontextprotocol/client", "@modelcontextprotocol/client/stdio"],
  }),
  openai: ["openai"],
};
const built = [
  // Each file more that a start finds and links takes it a millisecond.
  await build({
    ...program,
    entryPoints: { main: source("main.ts") },
    plugins: [staysBeside(), ...program.plugins],
  }),
  await build({
    ...program,
    ...compiled,
    entryPoints: { program: source("program-main.ts") },
    plugins: [holdsAddons(addons), librariesAreBeside(), ...compiled.plugins],
  }),
  ...(await Promise.all(Object.keys(libraries).map(bundleLibrary))),
  // The server has a folder. What a bundle holds of an add-on is its own: a second core beside the first would not know
  // its values.
  await build({
    ...server,
    ...compiled,
    entryPoints: { "mcp-main": source("mcp-main.ts") },
    plugins: [holdsAddons(addons.filter((name) => name === "hosts")), ...compiled.plugins],
  }),
  // Threads share no values with them, so they share no file.
  await build({ ...program, entryPoints: threads }),
  await build({ ...server, entryPoints: threads }),
];
if (addons.includes("hosts")) {
  built.push(
    await build({ ...program, ...compiled, entryPoints: [join(addonHome("hosts"), "dist/guard-main.js")] }),
  );
}
for (const { metafile } of built)
  for (const path of Object.keys(metafile.outputs))
    if (path.endsWith(".cjs") && /\P{ASCII}/u.test(readFileSync(path, "utf8")))
      throw new Error(`${path} is not ASCII: read as Latin-1 it would be another program.`);
if (addons.includes("page")) await bundlePage();
const written = built.flatMap(({ metafile }) => Object.keys(metafile.outputs).map((path) => resolve(path)));
const completions = Object.entries(completionScripts(commandSpecs, globalOptions));
const completionAt = (shell) => join(outdir, `completion.${shell}`);
await removeStale(
  outdir,
  new Set([...written, join(outdir, pageName), ...completions.map(([shell]) => completionAt(shell))]),
);
for (const [shell, script] of completions) await writeFile(completionAt(shell), script);

/**
 * The page of `holdfast history export --html`: one file with its style and its script, whose hashes are
 * all that it may run. The session is put in where `null` stands.
 */
async function bundlePage() {
  const browser = (name) => join(addonHome("page"), "src/browser", name);
  const script = await pagePart(browser("main.ts"), { format: "iife", platform: "browser" });
  const style = await pagePart(browser("page.css"), {});
  const page = readFileSync(browser("page.html"), "utf8")
    .replace("SCRIPT_HASH", () => hashOf(script))
    .replace("STYLE_HASH", () => hashOf(style))
    .replace("/*SCRIPT*/", () => script)
    .replace("/*STYLE*/", () => style);
  // Beside the add-on's own module, too: it looks for the page there if it runs outside the bundle.
  for (const folder of [outdir, join(addonHome("page"), "dist")])
    await writeFile(join(folder, pageName), page);
}

async function pagePart(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    target: ["chrome123", "firefox121", "safari17.5"],
    charset: "ascii",
    legalComments: "none",
    plugins: [unusedModulesAreDropped()],
    logLevel: "warning",
    ...options,
  });
  // What ends a script must not stand in one.
  return outputFiles[0].text.replaceAll("</", "<\\/").trim();
}

function hashOf(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** Chunks are named by their content; those of earlier builds would pile up. */
async function removeStale(folder, current) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name === "mcp") await removeStale(path, current);
    else if (!current.has(path)) await rm(path, { recursive: true });
  }
}

/** The program is a bundle of its own, which the first file finds first. */
function staysBeside() {
  return {
    name: "stays-beside",
    setup(bundler) {
      bundler.onResolve({ filter: /^\.\/program-main\.js$/ }, ({ path }) => ({ path, external: true }));
    },
  };
}

function bundleLibrary(name) {
  const contents = libraries[name].map((path) => `export * from ${JSON.stringify(path)};`).join("\n");
  return build({
    ...program,
    ...compiled,
    outdir: undefined,
    outfile: join(outdir, `library-${name}.cjs`),
    stdin: { contents, resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
  });
}

function librariesAreBeside() {
  const files = new Map(
    Object.entries(libraries).flatMap(([name, paths]) => paths.map((path) => [path, name])),
  );
  return {
    name: "libraries-are-beside",
    setup(bundler) {
      bundler.onResolve(
        { filter: /^(@anthropic-ai|@google|@modelcontextprotocol|openai)/ },
        ({ path, kind }) => {
          const name = kind === "dynamic-import" ? files.get(path) : undefined;
          return name === undefined ? undefined : { path: `./library-${name}.cjs`, external: true };
        },
      );
    },
  };
}

/** Puts add-ons into the bundle itself. */
function holdsAddons(names) {
  const within = names
    .map(
      (name) =>
        `${JSON.stringify(name)}: () => import(${JSON.stringify(join(addonHome(name), "dist/index.js"))})`,
    )
    // A door of its own: what reads files of other agents needs nothing of their servers.
    .concat(
      names.includes("hosts")
        ? [`"hosts/foreign": () => import(${JSON.stringify(join(addonHome("hosts"), "dist/foreign.js"))})`]
        : [],
    )
    .join(", ");
  return {
    name: "holds-addons",
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]cli[\\/]src[\\/]addons-within\.ts$/ }, () => ({
        contents: `export const addonsWithin = { ${within} };`,
        loader: "js",
        resolveDir: outdir,
      }));
    },
  };
}

/** Our own modules do nothing on import, so a command is spared those of which it uses no name. */
function unusedModulesAreDropped() {
  const resolving = Symbol("resolving");
  return {
    name: "unused-modules-are-dropped",
    setup(bundler) {
      bundler.onResolve({ filter: /^(@holdfast\/|\.)/ }, async (args) => {
        if (args.pluginData === resolving || args.kind === "entry-point") return undefined;
        const { kind, importer, namespace, resolveDir } = args;
        const found = await bundler.resolve(args.path, {
          kind,
          importer,
          namespace,
          resolveDir,
          pluginData: resolving,
        });
        const ours = !found.path.includes("node_modules");
        return found.errors.length > 0 || !ours ? found : { ...found, sideEffects: false };
      });
    },
  };
}

/** Commander asks for it at each start, and needs it for subcommands that are programs of their own. */
function childProcessIsLate() {
  return {
    name: "child-process-is-late",
    setup(bundler) {
      bundler.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        importer.includes("commander") ? { path: beside("late-child-process.cjs") } : undefined,
      );
    },
  };
}

/** The same for libraries. */
function patternsAreAscii() {
  return {
    name: "patterns-are-ascii",
    setup(bundler) {
      bundler.onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) => ({
        contents: inAscii(await readFile(path, "utf8")),
        loader: "js",
      }));
    },
  };
}

/**
 * The protocol library makes a schema of every type of a revision as it is loaded, or asked for the first one. Most of
 * them check nothing here, and together they are a fifth of what a start costs: each is made where it is used.
 */
function schemasAreLate() {
  return {
    name: "schemas-are-late",
    setup(bundler) {
      const dist = /@modelcontextprotocol[\\/](core|server)[\\/]dist[\\/].*\.mjs$/;
      bundler.onLoad({ filter: dist }, async ({ path }) => {
        const contents = (await readFile(path, "utf8"))
          // The table of all schemas by name: nothing that reads it is used here.
          .replaceAll(/^for \(const .*\) register\(key, .*$/gm, "")
          // A schema that nothing names is left out by the bundler, if making it is known to do nothing else.
          .replaceAll(
            /^const (\w+Schema) = (.*?);$(?=\n[^\s})\]]|\n\n)/gms,
            "const $1 = /* @__PURE__ */ (() => ($2))();",
          )
          .replace(/^function build\$1\(\) \{\n.*?^\}$/ms, (text) => lateSchemas(text))
          .replace(/^function registryMaps\(\) \{\n.*?^\}$/ms, (text) =>
            text.replaceAll(/^\t+(\S+): (s\.\w+),?$/gm, (_, name, value) => late(name, value)),
          );
        return { contents, loader: "js" };
      });
    },
  };
}

/** The function that makes the schemas of one revision: each is made once, where it is asked for. */
function lateSchemas(text) {
  const constant = /^\tconst (\w+Schema)\$1 = (.*?);$(?=\n\t[^\s})\]]|\n\n)/gms;
  const names = [...text.matchAll(constant)].map(([, name]) => name);
  if (names.length === 0) return text;
  return text
    .replaceAll(new RegExp(`\\b(${names.join("|")})\\$1(?!\\w| =)`, "g"), "$1$$1()")
    .replaceAll(constant, "\tlet made$1;\n\tconst $1$$1 = () => (made$1 ??= ($2));")
    .replaceAll(/^\t\t([A-Z]\w+Schema): (.*?),?$(?=\n\t\t[A-Z]|\n\t\};)/gms, (_, name, value) =>
      late(name, value),
    );
}

/** A member of an object that is made when it is first read. */
function late(name, value) {
  const kept = `Object.defineProperty(this, ${JSON.stringify(name.replaceAll('"', ""))}, { value: made })`;
  return `get ${name}() { const made = ${value}; ${kept}; return made; },`;
}
