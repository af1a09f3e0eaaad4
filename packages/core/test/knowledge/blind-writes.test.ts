import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memorySessionStore } from "../../src/conversation/index.js";
import { Workspace } from "../../src/files/index.js";
import { countedIds } from "../conversation/support.js";
import { memoryWith } from "../support.js";
import { asksTooLate, knowsEverything, neverForgets, takesPartsForAll } from "./breaches.js";
import type { CallKind } from "./calls.js";
import { Picks } from "./picks.js";
import { operation } from "./walks.js";
import { type Breach, callKinds, type Ground, looks, WatchedTalk } from "./watched-talk.js";

/**
 * After any rewind, fork, resume, task with another history, clearing or compaction, no write replaces a line
 * that was neither shown on that path nor quoted in the call, nor works on a state of which nothing was shown
 * there and whose hash was not named. `HOLDFAST_RUNS=5000` for a long run.
 */
const runs = Number(process.env.HOLDFAST_RUNS ?? 12);
const walk = fc.record({
  look: fc.constantFrom(...looks),
  operations: fc.array(operation, { minLength: 5, maxLength: 40, size: "max" }),
});

function memoryGround(): Ground {
  const ports = memoryWith({}, countedIds("id"));
  let workspace = new Workspace(ports);
  return {
    root: "/workspace",
    store: memorySessionStore(),
    get workspace() {
      return workspace;
    },
    disk: () => {
      const names = ["a.txt", "b.txt", "d/c.txt", "e.txt", "memories/m.md", "memories/n.md"];
      const texts = names.map((name) => [name, ports.disk.peek(name)] as const);
      return new Map(
        texts.flatMap(([name, bytes]) =>
          bytes === undefined ? [] : [[name, Buffer.from(bytes).toString()] as const],
        ),
      );
    },
    put: (path, text) => ports.disk.poke(path, Buffer.from(text)),
    reopen: async () => {
      workspace = new Workspace(ports);
    },
  };
}

type Walk = typeof walk extends fc.Arbitrary<infer Value> ? Value : never;

async function watched({ look, operations }: Walk, breach?: Breach): Promise<WatchedTalk> {
  const talk = await WatchedTalk.begin(memoryGround(), { look, ...(breach && { breach }) });
  await talk.walk(operations);
  return talk;
}

describe("no write of a conversation is blind", () => {
  it(
    "in any walk through it",
    async () => {
      const holds = async (one: Walk) => {
        expect((await watched(one)).problems).toEqual([]);
      };
      await fc.assert(fc.asyncProperty(walk, holds), { numRuns: runs, endOnFailure: true });
    },
    Math.max(120_000, runs * 2_000),
  );

  const looking: readonly CallKind[] = [
    "read",
    "window",
    "many",
    "search",
    "view",
    "view_range",
    "memory_view",
  ];
  const refused: readonly CallKind[] = ["replace_empty"];
  const doors = new Set(callKinds.filter((kind) => ![...looking, ...refused].includes(kind)));
  /** What has to be done before a call of this kind can come to something. */
  const before: { readonly [kind: string]: CallKind } = {
    undo: "append",
    rename: "remove",
    memory_create: "memory_delete",
  };
  it.each([...doors])("and its walks can write by %s", async (kind) => {
    const talk = await WatchedTalk.begin(memoryGround());
    let written = 0;
    for (let at = 0; at < 60 && written === 0; at++) {
      const call = (one: CallKind, drawn = at) =>
        talk.answer([talk.nextCall(new Picks([drawn * 7, drawn * 13, drawn * 5 + 1]), [one])]);
      await call(before[kind] ?? "many", kind === "rename" ? at * 3 + 1 : at);
      await call("many");
      const earlier = writesOf(talk);
      await call(kind);
      written = writesOf(talk) - earlier;
    }
    expect([written, talk.problems]).toEqual([1, []]);
  });
});

function writesOf({ codes }: WatchedTalk): number {
  const applied = [...codes].filter(([key]) => key.endsWith(" applied"));
  return applied.reduce((sum, [, count]) => sum + count, 0);
}

describe("the law fails", () => {
  const breaches: readonly (readonly [string, Breach])[] = [
    ["where everything counts as shown", knowsEverything],
    ["where a rewind and a cleared history take nothing away", neverForgets],
    ["where a whole replacement asks what was shown by now", asksTooLate],
    ["where a line that was shown stands for the file", takesPartsForAll],
  ];
  it.each(breaches)(
    "%s",
    async (_, breach) => {
      const found: string[] = [];
      for (const one of fc.sample(walk, { numRuns: 400, seed: 20 })) {
        found.push(...(await watched(one, breach)).problems);
        if (found.length > 0) break;
      }
      expect(found.join()).toMatch(/neither shown nor quoted|of which nothing was shown/);
    },
    600_000,
  );
});
