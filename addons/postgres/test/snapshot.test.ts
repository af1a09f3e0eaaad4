import { createHash } from "node:crypto";
import { renderContext } from "@holdfast/core/context";
import {
  encodeRecord,
  firstRecords,
  readJournal,
  replay,
  replayOn,
  sealJson,
} from "@holdfast/core/conversation/journal";
import type { ConversationContext, JournalRecord, TimedEvent } from "@holdfast/core/conversation/values";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  awkwardEvents,
  longLife,
  started,
} from "../../../packages/core/test/conversation/journal/store-events.js";
import { operation, World } from "../../../packages/core/test/conversation/operations.js";
import { plainContext as plain } from "../../../packages/core/test/conversation/support.js";
import { readSnapshot, type SnapshotHead, snapshotHead, snapshotParts } from "../src/snapshot.js";

/** `HOLDFAST_RUNS=20000` for a long run. */
const runs = Number(process.env.HOLDFAST_RUNS ?? 20);

/** What a store would keep: snapshots are written at these records, one after the other. */
class Keeper {
  readonly blobs = new Map<string, Uint8Array>();
  readonly parts: string[] = [];
  readonly records: readonly JournalRecord[];
  head: SnapshotHead | undefined;
  private readonly changed = new Set<string>();
  private done = 0;

  constructor(
    readonly id: string,
    events: readonly TimedEvent[],
  ) {
    const lines = firstRecords(events).map((record) => encodeRecord(record, this.put));
    const read = readJournal(Buffer.concat(lines), this.read);
    expect(read.problems).toEqual([]);
    this.records = read.records;
  }

  readonly put = (bytes: Uint8Array): string => {
    const name = createHash("sha256").update(bytes).digest("hex");
    this.blobs.set(name, bytes);
    return name;
  };

  readonly read = (name: string) => this.blobs.get(name);

  fold(to: number): ConversationContext {
    const { context, problems } = replay(this.id, this.records.slice(0, to));
    expect(problems).toEqual([]);
    return context;
  }

  keep(at: number): void {
    const context = this.fold(at);
    const fresh = this.records.slice(this.done, at);
    for (const { event } of fresh) if (event.type === "metadata_set") this.changed.add(event.nodeId);
    const names = new Set(this.blobs.keys());
    this.parts.push(...(snapshotParts(context, fresh, this.put) ?? []));
    this.head = snapshotHead(context, at, this.changed, this.put);
    expect([...this.blobs.keys()], "its texts are kept already").toEqual([...names]);
    this.done = at;
  }

  open(): ConversationContext | undefined {
    const found = this.head && readSnapshot(this.id, this.head, this.parts, this.read);
    return found && replayOn(found.context, this.records.slice(this.done));
  }
}

const rendered = (context: ConversationContext) =>
  JSON.stringify(renderContext(context, { now: 1 }).contents);

describe("a snapshot and the records behind it", () => {
  it.each(Object.entries(awkwardEvents()))("give back to the letter %s", (_, event) => {
    const keeper = new Keeper("s-1", [started("s-1", { title: "t\0\ud800" }), event]);
    keeper.keep(2);
    const [opened, whole] = [keeper.open(), keeper.fold(2)];
    expect(opened && plain(opened)).toEqual(plain(whole));
    const letters = (context: ConversationContext | undefined) =>
      JSON.stringify(
        [...(context?.nodes ?? [])].map(([id, { payload, metadata }]) => [id, payload, metadata]),
      );
    expect(letters(opened) === letters(whole)).toBe(true);
  });

  it(
    "come to the same whatever happens to a conversation, however often one is written",
    async () => {
      const lives = fc.tuple(
        fc.array(operation, { minLength: 1, maxLength: 50, size: "max" }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
      );
      await fc.assert(
        fc.asyncProperty(lives, async ([steps, cuts]) => {
          const world = new World();
          const { rootNode } = world.manager.context;
          const { id, timestamp, payload } = rootNode;
          for (const one of steps) await world.perform(one);
          const root = { id, parentId: null, timestamp, payload };
          const begun = { type: "session_started", sessionId: id, root } as const;
          const events = [begun, ...world.events].map((event) => ({ ts: 1, event }));
          const keeper = new Keeper(id, events);
          const places = new Set(cuts.map((cut) => 1 + (cut % events.length)));
          for (const at of [...places].sort((one, other) => one - other)) keeper.keep(at);
          const [opened, whole] = [keeper.open(), keeper.fold(events.length)];
          if (opened === undefined) throw new Error("the snapshot was not used");
          expect(plain(opened)).toEqual(plain(whole));
          expect(rendered(opened)).toBe(rendered(whole));
        }),
        { numRuns: runs },
      );
    },
    Math.max(120_000, runs * 300),
  );
});

describe("a snapshot that does not fit", () => {
  const whole = () => {
    const keeper = new Keeper("s-1", longLife("s-1", 40));
    keeper.keep(40);
    if (keeper.head === undefined) throw new Error("no snapshot");
    return { parts: keeper.parts, head: keeper.head, read: keeper.read };
  };
  const flipped = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === "a" ? "b" : "a"}${text.slice(at + 1)}`;

  it("is not used wherever one letter of it is another", () => {
    const { parts, head, read } = whole();
    const [part = ""] = parts;
    for (let at = 0; at < part.length; at += 41)
      expect(readSnapshot("s-1", head, [flipped(part, at)], read)).toBeUndefined();
    for (let at = 0; at < head.state.length; at += 41)
      expect(readSnapshot("s-1", { ...head, state: flipped(head.state, at) }, parts, read)).toBeUndefined();
  });

  it("is not used where a part of it is missing or stands twice, or where it is another session's", () => {
    const { parts, head, read } = whole();
    expect(readSnapshot("s-1", head, [], read)).toBeUndefined();
    expect(readSnapshot("s-1", head, [...parts, ...parts], read)).toBeUndefined();
    expect(readSnapshot("s-2", head, parts, read)).toBeUndefined();
    expect(readSnapshot("s-1", { ...head, seq: 39 }, parts, read)).toBeUndefined();
    expect(readSnapshot("s-1", { ...head, lines: [] }, parts, read)).toBeUndefined();
    expect(readSnapshot("s-1", head, parts, read)).toBeDefined();
  });

  it("is not used where it was sealed by somebody who makes up what it says", () => {
    const { parts, head, read } = whole();
    const { crc: _, ...state } = JSON.parse(head.state);
    const made = [
      { ...state, tasks: [] },
      { ...state, tasks: [{}] },
      { ...state, tasks: "none" },
      { ...state, pruned: [1] },
      { ...state, head: "nobody" },
      { ...state, metadata: [["s-1", null]] },
      { ...state, metadata: {} },
      { ...state, pendingRestore: { restoreId: "r" } },
      { ...state, v: 2 },
      {},
    ];
    for (const json of made)
      expect(readSnapshot("s-1", { ...head, state: sealJson(json) }, parts, read)).toBeUndefined();
    expect(readSnapshot("s-1", { ...head, state: sealJson(state) }, parts, read)).toBeDefined();
    expect(readSnapshot("s-1", { ...head, state: 'x,"crc":"00000000"}' }, parts, read)).toBeUndefined();
  });

  it("is not used where it is of a tree that has lost something", () => {
    const keeper = new Keeper("s-1", longLife("s-1", 40));
    const left = keeper.records.filter(({ seq }) => seq !== 3);
    const { context, losses } = replay("s-1", left);
    expect(losses).toHaveLength(1);
    const head = snapshotHead(context, 40, [], keeper.put);
    const parts = snapshotParts(context, left, keeper.put);
    // The placeholder is no event's: the parts have fewer nodes than the tree.
    expect(head && parts && readSnapshot("s-1", head, parts, keeper.read)).toBeUndefined();
  });
});
