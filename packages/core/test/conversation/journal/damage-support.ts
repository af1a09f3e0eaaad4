import { createHash } from "node:crypto";
import { expect } from "vitest";
import { ContextRenderer } from "../../../src/context/index.js";
import { ContextManager, upwards } from "../../../src/conversation/index.js";
import {
  encodeRecord,
  firstRecords,
  type ReadJournal,
  type Replayed,
  readJournal,
  replay,
} from "../../../src/conversation/journal/index.js";
import type {
  ConversationContext,
  ConversationEvent,
  JournalRecord,
  TimedEvent,
} from "../../../src/conversation/values/index.js";
import { checkPrompts } from "../provider-checks.js";
import { call, must, plainContext as plain, reply, result, say, steadyClock } from "../support.js";

/** A journal as a store would hold it, and what it says. */
export interface Life {
  readonly id: string;
  readonly records: readonly JournalRecord[];
  readonly lines: readonly Uint8Array[];
  readonly bytes: Buffer;
  readonly context: ConversationContext;
}

/** Ids that sort in the order in which they are made. */
function sortedIds(prefix: string) {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}${String(count).padStart(4, "0")}`;
  };
}

/** @param events of a manager that began with this context. */
export function lifeOf(begun: ConversationContext, events: readonly ConversationEvent[]): Life {
  const { rootNode } = begun;
  const root = { id: rootNode.id, parentId: null, timestamp: rootNode.timestamp, payload: rootNode.payload };
  const started = { type: "session_started", sessionId: rootNode.id, root, title: "t", cwd: "/w" } as const;
  return livedBy([started, ...events].map((event, at) => ({ ts: 1_000 + at, event })));
}

function livedBy(events: readonly TimedEvent[]): Life {
  const records = firstRecords(events);
  const lines = linesOf(records);
  const first = records[0]?.event;
  if (first?.type !== "session_started") throw new Error("it begins");
  const { context } = replay(first.sessionId, records);
  return { id: first.sessionId, records, lines, bytes: Buffer.concat(lines), context };
}

export function linesOf(records: readonly JournalRecord[]): readonly Uint8Array[] {
  return records.map((record) =>
    encodeRecord(record, (bytes) => createHash("sha256").update(bytes).digest("hex")),
  );
}

/** Turns with calls, tasks, staged items, branches and a prune: every kind of event. */
export function scriptedLife(prefix = "n", turns = 2): Life {
  return playedLife(prefix, (manager) => {
    for (let turn = 0; turn < turns; turn += 1) playTurn(manager, turn);
  });
}

export function playedLife(prefix: string, play: (manager: ContextManager) => void): Life {
  const manager = new ContextManager({ ids: sortedIds(prefix), now: steadyClock() });
  const begun = manager.context;
  const events: ConversationEvent[] = [];
  manager.subscribe((_, event) => {
    if (event !== undefined) events.push(event);
  });
  play(manager);
  return lifeOf(begun, events);
}

function playTurn(manager: ContextManager, turn: number): void {
  must(manager.addToStagingArea({ kind: "note", text: `note ${turn}`, audience: "model" }));
  const asked = say(manager, `question ${turn}`);
  call(manager, `c${turn}`);
  must(manager.addNode(result(`c${turn}`)));
  reply(manager, `answer ${turn}`);
  const task = must(manager.startTask({ name: `task ${turn}` }));
  reply(manager, "inside");
  must(manager.completeTask({ summary: "done" }));
  must(manager.addToStagingArea({ kind: "note", text: "x", audience: "person" }));
  must(manager.discardStaging());
  must(manager.expandTask(task.id));
  const fruitless = reply(manager, "fruitless");
  must(manager.rewind(asked.id));
  must(manager.prune(fruitless.id));
  must(manager.unprune(fruitless.id));
  must(manager.setLabel(asked.id, "here"));
  reply(manager, `second answer ${turn}`);
  must(manager.setTitle(`title ${turn}`));
}

export function read(bytes: Uint8Array, sessionId: string): ReadJournal {
  return readJournal(bytes, () => undefined, sessionId);
}

/** What a damaged journal is opened as. */
export function opened(bytes: Uint8Array, sessionId: string): ReadJournal & Replayed {
  const journal = read(bytes, sessionId);
  const { problems, ...replayed } = replay(sessionId, journal.records, journal.nextSeq - 1);
  return { ...journal, ...replayed, problems: [...journal.problems, ...problems] };
}

/**
 * What has to hold of a damaged journal, whichever of its records are lost: all other nodes are where they were,
 * the head where the last of them says, the repaired journal is sound and the same tree, and a turn that is
 * added before the repair survives it.
 *
 * @param lost places in the list of records that may be lost.
 */
export function holdAfterDamage(
  life: Life,
  bytes: Uint8Array,
  lost: ReadonlySet<number>,
): ReadJournal & Replayed {
  const found = opened(bytes, life.id);
  keepsAllBut(life, found.context, lost);
  const repaired = soundOnce(found, life.id);
  expect(plain(repaired)).toEqual(plain(found.context));
  keepsTurn(life.id, bytes, found);
  return found;
}

/** The nodes of all records that are whole are there, below what they were below, and lead to the root. */
function keepsAllBut(life: Life, context: ConversationContext, lost: ReadonlySet<number>): void {
  for (const [at, { event }] of life.records.entries()) {
    if (lost.has(at) || event.type !== "nodes_added") continue;
    for (const { id, parentId } of event.nodes) {
      expect(context.nodes.get(id)?.parentId).toBe(parentId);
      expect([...upwards(context, id)].at(-1)?.id).toBe(life.id);
    }
  }
  const last = life.records.findLastIndex(({ event }) => headOf(event) !== undefined);
  if (!lost.has(last)) expect(context.currentNodeId).toBe(life.context.currentNodeId);
}

function headOf(event: ConversationEvent): string | undefined {
  return event.type === "nodes_added" || event.type === "head_moved" ? event.head : undefined;
}

/** What took effect, written down as a journal of its own. */
export function soundOnce({ events }: Replayed, sessionId: string): ConversationContext {
  const journal = read(Buffer.concat(linesOf(firstRecords(events))), sessionId);
  expect(journal.problems).toEqual([]);
  const again = replay(sessionId, journal.records, journal.nextSeq - 1);
  expect(again.problems).toEqual([]);
  expect(again.losses).toEqual([]);
  return again.context;
}

/** As a store opens it to write, adds a turn, and is repaired afterwards. */
function keepsTurn(sessionId: string, bytes: Uint8Array, found: ReadJournal & Replayed): void {
  const parentId = found.context.currentNodeId;
  const node = { id: "turn", parentId, timestamp: 9, payload: { kind: "user_message", text: "on" } } as const;
  const event = { type: "nodes_added", nodes: [node], head: "turn", turn: true } as const;
  const line = linesOf([{ v: 1, seq: found.nextSeq, ts: 9, event }]);
  const whole = Buffer.from(bytes.subarray(0, found.wholeBytes));
  const ended = found.terminated ? whole : Buffer.concat([whole, Buffer.from("\n")]);
  const after = opened(Buffer.concat([ended, ...line]), sessionId);
  expect(after.context.currentNodeId).toBe("turn");
  expect(after.context.nodes.get("turn")?.parentId).toBe(parentId);
  const repaired = soundOnce(after, sessionId);
  expect(repaired.currentNodeId).toBe("turn");
  expect([...upwards(repaired, "turn")].map(({ id }) => id).slice(1)).toEqual(
    [...upwards(found.context, parentId)].map(({ id }) => id),
  );
}

/** Every end of a branch is a prompt that each provider takes. */
export function promptsHold(context: ConversationContext): void {
  const renderer = new ContextRenderer();
  for (const { id, childIds } of context.nodes.values())
    if (childIds.length === 0) checkPrompts({ ...context, currentNodeId: id }, renderer, 1_000_000);
}
