import { availableParallelism } from "node:os";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { hangMs } from "./test/until.js";

/** The compiled file of a source that a test names, so that Node loads it as it loads any program. */
function compiled(specifier: string, importer = ""): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const [, home, path] =
    /^(.*\/(?:packages|addons)\/[^/]+)\/src\/(.*\.js)$/.exec(resolve(dirname(importer), specifier)) ?? [];
  return path === undefined ? undefined : `${home}/dist/${path}`;
}

/** The core's tests that start processes, break disks or need root. */
const machineTestsOfCore = [
  "packages/core/test/node/**/*.test.ts",
  "packages/core/test/{attacks,hardening,losses}.test.ts",
];

const pure = ["packages/core/test/**/*.test.ts", "addons/{adapters,importers}/test/*.test.ts"];
const machine = [
  ...machineTestsOfCore,
  "packages/!(core)/test/**/*.test.ts",
  "addons/{google-files,hosts,mcp-client,page,postgres,sandbox,screen,tour,web}/test/**/*.test.ts",
  "addons/importers/test/command/**/*.test.ts",
  "test/!(packages).test.ts",
];

// Tests run on what the compiler makes of the sources right before (`test/compile.ts`), so that a stale build cannot pass
// them, and a worker need not load 900 modules through Vite. What a change touches is only known from the sources.
const ofSources = process.argv.includes("--changed");
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const sources = [
  { find: /^@holdfast\/(core|agent)\/(\w+)$/, replacement: source("packages/$1/src/$2/index.ts") },
  { find: /^@holdfast\/(core|agent|mcp)$/, replacement: source("packages/$1/src/index.ts") },
  {
    find: /^@holdfast\/(google-files|hosts|importers|mcp-client|page|postgres|sandbox|screen|tour|web)$/,
    replacement: source("addons/$1/src/index.ts"),
  },
];

/** Where no times are known, large files come first. What is short and takes long would begin last, and all wait for it. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\/(golden|fuzz|postgres)\.test\.ts$/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  ...(ofSources
    ? { resolve: { alias: sources } }
    : { plugins: [{ name: "compiled-sources", enforce: "pre" as const, resolveId: compiled }] }),
  test: {
    // A time is a bound for work that hangs, never a judgement of the machine.
    testTimeout: 3 * hangMs,
    hookTimeout: 3 * hangMs,
    expect: { poll: { timeout: hangMs, interval: 10 } },
    globalSetup: [fileURLToPath(new URL("test/compile.ts", import.meta.url))],
    setupFiles: [fileURLToPath(new URL("test/setup.ts", import.meta.url))],
    server: { deps: { external: [/\/(?:packages|addons)\/[^/]+\/dist\//] } },
    pool: "forks",
    // Tests share no state, so a worker loads the sources once for all of its files. A hook of a helper would belong to the
    // first file that imports it: helpers clean up through `test/cleanups.ts`.
    isolate: false,
    // What a file is transformed to is kept in `node_modules`, by its content: the next run starts in half the time.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongFirst },
    // Vitest would leave one core idle.
    maxWorkers: availableParallelism() + 1,
    projects: [
      // Both in one set of workers, which load the sources once; beside them each file would run twice.
      ...(process.argv.includes("all")
        ? [{ extends: true as const, test: { name: "all", include: [...pure, ...machine] } }]
        : [
            {
              extends: true as const,
              test: { name: "pure", include: pure, exclude: machineTestsOfCore },
            },
            { extends: true as const, test: { name: "machine", include: machine } },
          ]),
      // It installs: `npm run packages`, no part of `npm test`.
      { extends: true, test: { name: "packages", include: ["test/packages.test.ts"] } },
    ],
  },
});
