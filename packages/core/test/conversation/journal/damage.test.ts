import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConversationEvent } from "../../../src/conversation/values/index.js";
import { operation, World } from "../operations.js";
import { must } from "../support.js";
import {
  holdAfterDamage,
  type Life,
  lifeOf,
  linesOf,
  playedLife,
  promptsHold,
  scriptedLife,
} from "./damage-support.js";

/** `HOLDFAST_SWEEP=all` tries every byte of a longer journal, too. */
const isLong = process.env.HOLDFAST_SWEEP === "all";
const hangMs = isLong ? 3_600_000 : 180_000;

const small = scriptedLife("n", 1);
const other = scriptedLife("m", 1);

/** 0-based. */
function lineAt(life: Life, at: number): number {
  let end = 0;
  return life.lines.findIndex((line) => {
    end += line.length;
    return at < end;
  });
}

function without(life: Life, ...places: readonly number[]): Buffer {
  return Buffer.concat(life.lines.filter((_, at) => !places.includes(at)));
}

describe("a journal of which something is lost", () => {
  it(
    "keeps all other nodes where they were, whichever byte is flipped",
    () => {
      const { bytes } = small;
      const ways = [(byte: number) => byte ^ 1, (byte: number) => byte ^ 255, () => 10, () => 0];
      const stride = isLong ? 1 : 211;
      for (const [way, change] of ways.entries())
        for (let at = way; at < bytes.length; at += stride) {
          const damaged = Buffer.from(bytes);
          damaged[at] = change(bytes[at] ?? 0);
          const line = lineAt(small, at);
          // Where the line break is gone the next record stands in the same line, and is found all the same.
          holdAfterDamage(small, damaged, new Set([line]));
        }
    },
    hangMs,
  );

  it(
    "keeps all before it, wherever it is cut",
    () => {
      for (let size = 1; size < small.bytes.length; size += isLong ? 1 : 101) {
        const first = lineAt(small, size);
        const lost = new Set(small.records.map((_, at) => at).filter((at) => at >= first));
        holdAfterDamage(small, small.bytes.subarray(0, size), lost);
      }
    },
    hangMs,
  );

  it("keeps all others, whichever line is missing, or two, or a stretch of them", () => {
    for (const [at] of small.records.entries()) {
      const found = holdAfterDamage(small, without(small, at), new Set([at]));
      promptsHold(found.context);
      holdAfterDamage(small, without(small, at, at + 4), new Set([at, at + 4]));
    }
    for (const from of [0, 5]) {
      const places = [from, from + 1, from + 2, from + 3, from + 4, from + 5];
      holdAfterDamage(small, without(small, ...places), new Set(places));
    }
  });

  it("is the very same where lines stand twice, or all of them", () => {
    const { lines, bytes } = small;
    const none = new Set<number>();
    for (const from of [0, 1, 3, 9]) {
      const range = lines.slice(from, from + 4);
      for (const at of [from + 4, lines.length]) {
        const doubled = Buffer.concat([...lines.slice(0, at), ...range, ...lines.slice(at)]);
        const found = holdAfterDamage(small, doubled, none);
        expect(found.problems.map(({ what }) => what)).toEqual(["doubled_line"]);
        expect(found.losses).toEqual([]);
      }
    }
    const twice = holdAfterDamage(small, Buffer.concat([bytes, bytes]), none);
    expect(twice.problems.map(({ message }) => message)).toEqual([
      `Lines ${lines.length + 1} to ${2 * lines.length}: records 1 to ${lines.length} a second time; the first time holds.`,
    ]);
  });

  it("leaves out another session that was joined to it, behind it or before it", () => {
    const none = new Set<number>();
    for (const joined of [
      [small.bytes, other.bytes],
      [other.bytes, small.bytes],
      [small.bytes, other.bytes, small.bytes],
      [...small.lines.slice(0, 9), other.bytes, ...small.lines.slice(9)],
    ]) {
      const found = holdAfterDamage(small, Buffer.concat(joined), none);
      expect(
        found.problems.some(({ what, message }) => what === "foreign_line" && message.includes("m0001")),
      ).toBe(true);
      expect([...found.context.nodes.keys()].some((id) => id.startsWith("m"))).toBe(false);
      expect(found.losses).toEqual([]);
    }
  });

  it("keeps the nodes of two records of one number, those of the second beside", () => {
    const { records, lines, context } = small;
    const { currentNodeId } = context;
    const node = {
      id: "beside",
      parentId: "n0003",
      timestamp: 5,
      payload: { kind: "user_message", text: "b" },
    };
    const event = { type: "nodes_added", nodes: [node], head: "beside" } as ConversationEvent;
    const second = linesOf([{ v: 1, seq: 5, ts: 5, event }]);
    const found = holdAfterDamage(small, Buffer.concat([...lines, ...second]), new Set());
    expect(found.problems.map(({ what }) => what)).toEqual(["second_record"]);
    expect(found.context.nodes.get("beside")?.parentId).toBe("n0003");
    expect(found.context.currentNodeId).toBe(currentNodeId);
    expect(found.nextSeq).toBe(records.length + 1);
  });

  it("keeps nodes that stand in a circle, or before their parents, on a path to the root", () => {
    const { records, lines, context } = small;
    const node = (id: string, parentId: string) => ({
      ...{ id, parentId, timestamp: 5 },
      payload: { kind: "user_message", text: id } as const,
    });
    const nodes = [node("x", "y"), node("y", "x"), node("lower", "upper"), node("upper", "n0003")];
    const event = { type: "nodes_added", nodes, head: "lower" } as const;
    const crafted = linesOf([{ v: 1, seq: records.length + 1, ts: 5, event }]);
    const found = holdAfterDamage(small, Buffer.concat([...lines, ...crafted]), new Set(records.keys()));
    expect(found.problems.map(({ what }) => what)).toEqual(["missing_record"]);
    const parents = ["x", "y", "lower", "upper"].map((id) => found.context.nodes.get(id)?.parentId);
    expect(parents).toEqual(["y", context.currentNodeId, "upper", "n0003"]);
  });

  it("has nothing staged that is a node, where a record of the same number came before its turn", () => {
    const at = small.records.findIndex(
      ({ event }) => event.type === "nodes_added" && event.staged !== undefined,
    );
    const node = {
      id: "beside",
      parentId: small.id,
      timestamp: 5,
      payload: { kind: "user_message", text: "b" },
    };
    const event = { type: "nodes_added", nodes: [node], head: "beside" } as ConversationEvent;
    const first = linesOf([{ v: 1, seq: at + 1, ts: 5, event }]);
    const joined = Buffer.concat([...small.lines.slice(0, at), ...first, ...small.lines.slice(at)]);
    const { context } = holdAfterDamage(small, joined, new Set());
    expect(context.stagingArea.filter(({ id }) => context.nodes.has(id))).toEqual([]);
  });

  it("keeps a turn of several nodes where the placeholder above them stands in a pruned branch", () => {
    const life = playedLife("n", (manager) => {
      const first = must(manager.startTask({ name: "t" }));
      must(manager.restartTask({}));
      must(manager.addToStagingArea({ kind: "note", text: "n", audience: "model" }));
      must(manager.prune(first.id));
      must(manager.commitStagedItems("go on"));
    });
    const restart = life.records.findIndex(
      ({ event }) => event.type === "nodes_added" && event.head === "n0003",
    );
    const found = holdAfterDamage(life, without(life, restart), new Set([restart]));
    expect(found.losses).toMatchObject([{ placeholders: ["n0003"] }]);
  });

  it(
    "is a prompt that every provider takes, whatever happened to it",
    async () => {
      const operations = fc.array(operation, { minLength: 5, maxLength: 40, size: "max" });
      const runs = Number(process.env.HOLDFAST_RUNS ?? 12);
      await fc.assert(
        fc.asyncProperty(
          operations,
          fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
          async (steps, picks) => {
            const world = new World();
            const begun = world.manager.context;
            for (const one of steps) await world.perform(one);
            const life = lifeOf(begun, world.events);
            const lost = new Set(picks.map((pick) => pick % life.records.length));
            const found = holdAfterDamage(life, without(life, ...lost), lost);
            promptsHold(found.context);
          },
        ),
        { numRuns: runs },
      );
    },
    hangMs,
  );
});
