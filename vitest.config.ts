import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Tests run against the sources, so that a stale build cannot pass them;
// tests of whole processes use the built binary, which `npm ci` has made.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@holdfast\/core$/, replacement: source("packages/core/src/index.ts") },
      { find: /^@holdfast\/core\/node$/, replacement: source("packages/core/src/node/index.ts") },
      { find: /^@holdfast\/mcp$/, replacement: source("packages/mcp/src/index.ts") },
    ],
  },
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    pool: "forks",
  },
});
