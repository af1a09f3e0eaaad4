import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The core's tests that start processes, break disks or need root. */
const machineTestsOfCore = [
  "packages/core/test/node/**/*.test.ts",
  "packages/core/test/{attacks,hardening,losses}.test.ts",
];

// Tests run against the sources, so that a stale build cannot pass them;
// tests of whole processes use the built binary, which `npm ci` has made.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@holdfast\/core$/, replacement: source("packages/core/src/index.ts") },
      { find: /^@holdfast\/core\/(\w+)$/, replacement: source("packages/core/src/$1/index.ts") },
      { find: /^@holdfast\/agent$/, replacement: source("packages/agent/src/index.ts") },
      { find: /^@holdfast\/mcp$/, replacement: source("packages/mcp/src/index.ts") },
      {
        find: /^@holdfast\/(hosts|importers|page|postgres)$/,
        replacement: source("addons/$1/src/index.ts"),
      },
    ],
  },
  test: {
    // A time is a bound for work that hangs, never a judgement of the machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    setupFiles: [fileURLToPath(new URL("test/setup.ts", import.meta.url))],
    pool: "forks",
    // Tests share no state, so a worker loads the sources once for all of its files. A hook of a helper would belong to the
    // first file that imports it: helpers clean up through `test/cleanups.ts`.
    isolate: false,
    // What a file is transformed to is kept in `node_modules`, by its content: the next run starts in half the time.
    experimental: { fsModuleCache: true },
    // Vitest would leave one core idle.
    maxWorkers: availableParallelism(),
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: ["packages/core/test/**/*.test.ts", "addons/{adapters,importers}/test/*.test.ts"],
          exclude: machineTestsOfCore,
        },
      },
      {
        extends: true,
        test: {
          name: "machine",
          include: [
            ...machineTestsOfCore,
            "packages/!(core)/test/**/*.test.ts",
            "addons/{hosts,page,postgres}/test/**/*.test.ts",
            "addons/importers/test/command/**/*.test.ts",
            "test/!(packages).test.ts",
          ],
        },
      },
      {
        extends: true,
        // It installs: `npm run packages`, no part of `npm test`.
        test: { name: "packages", include: ["test/packages.test.ts"] },
      },
    ],
  },
});
