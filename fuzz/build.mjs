import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { instrument } from "./instrument.mjs";

const here = fileURLToPath(new URL("./", import.meta.url));

/** Where found inputs and the built worker lie: it outlives a run and is never committed. */
export const cache = join(here, "..", "node_modules", ".cache", "holdfast-fuzz");

/** What sources load when a provider or a server is first asked: no target does. */
const loadedLater = ["@anthropic-ai/sdk", "@google/genai", "@modelcontextprotocol/client", "openai"];

/**
 * Bundles the worker from the sources, with counters in ours and none in libraries. Without `ours` only the planted
 * fault has them: a tenth of the work.
 *
 * @param {{ readonly ours: boolean }} options
 * @returns {Promise<{ readonly worker: string, readonly edges: number }>} the file, and how many places it counts
 */
export async function buildWorker({ ours }) {
  const counted = ours ? /\/packages\/[a-z]+\/src\/.*\.ts$|\/fuzz\/planted\.ts$/ : /\/fuzz\/planted\.ts$/;
  let edges = 0;
  const nextEdge = () => edges++;
  const outfile = join(cache, `worker-${process.pid}.mjs`);
  mkdirSync(cache, { recursive: true });
  await build({
    entryPoints: [join(here, "worker.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["holdfast-source"],
    // jsonc-parser is for bundlers only as a module.
    mainFields: ["module", "main"],
    external: ["fs-native-extensions", "pg-native", ...loadedLater],
    banner: {
      js: 'import { createRequire as fuzzRequire } from "node:module"; const require = fuzzRequire(import.meta.url);',
    },
    logLevel: "error",
    plugins: [
      {
        name: "edges",
        setup(bundle) {
          bundle.onLoad({ filter: counted }, ({ path }) => {
            const code = instrument(readFileSync(path, "utf8"), path, nextEdge);
            const from = JSON.stringify(join(here, "edges.ts"));
            return { contents: `import { edge as __edge } from ${from};\n${code}`, loader: "js" };
          });
        },
      },
    ],
  });
  return { worker: outfile, edges };
}
