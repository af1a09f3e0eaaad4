import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The core's tests that start processes, break disks or need root. */
const machineTestsOfCore = [
  "packages/core/test/node/**/*.test.ts",
  "packages/core/test/{attacks,hardening,losses}.test.ts",
];

/**
 * What comes out the same on every Node: what the doors say, the documents, what other programs answer (PostgreSQL,
 * Chromium, a real client, git), the repository's own rules. `test/packages.test.ts` is not among them: it installs.
 */
const sameOnEveryNode = [
  "test/!(packages).test.ts",
  "addons/{hosts,page,postgres}/test/**/*.test.ts",
  "addons/importers/test/command/**/*.test.ts",
  "packages/agent/test/{commands,config,headless,input,models}/**/*.test.ts",
  "packages/agent/test/loop/{context-economy,prefix-cache,providers}.test.ts",
  "packages/agent/test/host/readable-html.test.ts",
  "packages/cli/test/{answers,reproductions}/**/*.test.ts",
  "packages/cli/test/commands/{sessions,sessions-files,repair}.test.ts",
  "packages/cli/test/commands/{apply,changing,completion,config,editing,mcp-memory,mcp-roots,reading}.test.ts",
  "packages/cli/test/commands/{doctor-agent,upkeep}.test.ts",
  "packages/cli/test/agent/{bad-input,economy-bad-input,memory,milestones,slash-commands}.test.ts",
  "packages/cli/test/{words,hidden-names,long-line,exit-codes}.test.ts",
  "packages/mcp/test/reproductions/**/*.test.ts",
  "packages/mcp/test/{hosts,long-line,media,options,parallel,result,session,shapes,words}.test.ts",
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
    // Vitest would leave one core idle.
    maxWorkers: availableParallelism(),
    projects: [
      {
        extends: true,
        test: {
          name: "pure",
          include: ["packages/core/test/**/*.test.ts", "addons/{adapters,importers}/test/*.test.ts"],
          exclude: machineTestsOfCore,
          // These files share no state, so a worker loads the sources once for all of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "machine",
          include: [...machineTestsOfCore, "packages/!(core)/test/**/*.test.ts", "test/packages.test.ts"],
          exclude: sameOnEveryNode,
          // The parts run one after the other: what measures time has no third worker beside it.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        // Much of it waits for servers and programs, so one more of it at a time keeps the cores busy.
        test: {
          name: "once",
          include: sameOnEveryNode,
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
