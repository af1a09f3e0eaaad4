/**
 * Bundles the command line program to packages/cli/dist/bundle, split so that each command loads only
 * what it needs: `holdfast --version` loads one small file, `patch --jsonl` the patch engine alone.
 * Runs after `tsc -b`, whose output of the packages it takes in.
 */
import { readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const home = new URL("../packages/cli/", import.meta.url);
const outdir = fileURLToPath(new URL("dist/bundle/", home));
const { version } = JSON.parse(readFileSync(new URL("package.json", home), "utf8"));

// CommonJS dependencies ask for Node's own modules by `require`, which ES modules do not have.
const banner = [
  'import { createRequire as holdfastCreateRequire } from "node:module";',
  "const require = holdfastCreateRequire(import.meta.url);",
].join("\n");

const { metafile } = await build({
  entryPoints: [fileURLToPath(new URL("src/main.ts", home))],
  outdir,
  bundle: true,
  splitting: true,
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
  // Its CommonJS build asks for its parts in a way that no bundler can follow.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  banner: { js: banner },
  plugins: [unusedModulesAreDropped()],
  logLevel: "warning",
  metafile: true,
});
await removeStale(new Set(Object.keys(metafile.outputs).map((path) => basename(path))));

/** Chunks are named by their content; those of earlier builds would pile up. */
async function removeStale(current) {
  for (const name of await readdir(outdir)) {
    if (!current.has(name)) await rm(join(outdir, name), { recursive: true });
  }
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
