import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openJournalStore } from "../../../src/node/journal/store.js";
import { openWorkspace } from "../../../src/node/workspace/open.js";
import { operation } from "../../knowledge/walks.js";
import { type Ground, looks, WatchedTalk } from "../../knowledge/watched-talk.js";
import { must } from "../../reproductions/scene.js";
import { freshFolder } from "../support.js";

/** The law of blind writes on a real folder and a real journal. `HOLDFAST_RUNS` makes the run longer. */
const runs = Math.ceil(Number(process.env.HOLDFAST_RUNS ?? 40) / 10);

describe("no write of a conversation is blind", () => {
  it(
    "on a real folder, with a journal that is closed and opened again",
    async () => {
      const walk = fc.record({
        look: fc.constantFrom(...looks),
        operations: fc.array(operation, { minLength: 5, maxLength: 30, size: "max" }),
      });
      await fc.assert(
        fc.asyncProperty(walk, async ({ look, operations }) => {
          const { ground, close } = await realGround();
          const talk = await WatchedTalk.begin(ground, { look });
          await talk.walk(operations);
          await talk.close();
          await close();
          expect(talk.problems).toEqual([]);
        }),
        { numRuns: runs, endOnFailure: true },
      );
    },
    Math.max(120_000, runs * 20_000),
  );
});

async function realGround(): Promise<{ readonly ground: Ground; close(): Promise<void> }> {
  const base = freshFolder();
  const [root, stateDir] = [join(base, "root"), join(base, "state")];
  mkdirSync(root);
  const open = async () => must(await openWorkspace({ roots: [root], stateDir }));
  let workspace = await open();
  const ground: Ground = {
    root,
    store: must(openJournalStore({ stateDir })),
    get workspace() {
      return workspace;
    },
    disk: () => {
      const entries = readdirSync(root, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      return new Map(files.map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]));
    },
    put: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    reopen: async () => {
      await workspace.close();
      workspace = await open();
    },
  };
  return { ground, close: () => workspace.close() };
}
