import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { debugOutline } from "@holdfast/core/context";
import { TreeShape } from "@holdfast/core/conversation";
import { encodeRecord, isSealed, readLine, replay, replayOn } from "@holdfast/core/conversation/journal";
import type { ConversationContext, JournalRecord } from "@holdfast/core/conversation/values";
import { treeRows } from "../../addons/page/src/browser/tree-rows.js";
import { readSnapshot, snapshotHead, snapshotParts } from "../../addons/postgres/src/snapshot.js";
import { crc32, sealedEnd } from "../../packages/core/src/conversation/journal/journal-codec.js";
import { ensure, type Target } from "../target.js";

/**
 * Lines of a journal. One that is an object without a check is sealed first, so that what is behind the check is
 * reached. Held against: a record that was read and written again is the same record; what cannot be read is a kind of
 * line and no exception; any records fold to a tree that can be shown, twice to the same one; a snapshot of a half of
 * them and the rest come to the same.
 */
export const journal: Target = {
  name: "journal",
  words: [
    ...[
      "nodes_added",
      "session_started",
      "head_moved",
      "task_started",
      "task_completed",
      "overlay",
      "compaction",
    ],
    ...[
      "parentId",
      "childIds",
      "payload",
      "user_message",
      "model_message",
      "tool_call",
      "tool_result",
      "note",
      "summary",
    ],
    ...[
      "unknown",
      "task_boundary",
      "file_effects",
      "callId",
      "sha256",
      "blobs",
      "/nodes/0/payload/text",
      "crc",
      "head",
    ],
    ...[
      "metadata",
      "label",
      "title_changed",
      "media",
      "root",
      "n1",
      "n2",
      "s1",
      "restored",
      "file_content",
      "origin",
    ],
  ],
  run(input) {
    const records: JournalRecord[] = [];
    for (const line of input.split("\n")) {
      const bytes = sealedLine(line);
      const end = bytes.length;
      const sealed = isSealed(bytes, 0, end);
      if (sealed) ensure(sealedEnd(bytes, 0, end) > 0, "a sealed line is found among bytes", line);
      if (!sealed) continue;
      const read = readLine(new TextDecoder().decode(bytes), () => undefined);
      if (read.kind !== "record") continue;
      records.push(read.record);
      if (read.lostBlobs.length === 0) checkRoundTrip(read.record);
    }
    const [first] = records;
    const id = first?.event.type === "session_started" ? first.event.sessionId : "s1";
    const { context } = replay(id, records);
    const again = replay(id, records).context;
    ensure(isDeepStrictEqual(context, again), "records fold to one tree", [...context.nodes.keys()]);
    for (const node of context.nodes.values())
      ensure(
        node.parentId === null || context.nodes.has(node.parentId),
        "a node of the tree has its parent",
        node.id,
      );
    ensure(context.nodes.has(context.currentNodeId), "the head is in the tree", context.currentNodeId);
    checkSnapshot(id, records);
    checkMadeUp(id, input.split("\n"));
    debugOutline(context);
    const shape = new TreeShape(context, { tasksAside: true });
    ensure(
      treeRows(shape, { folded: new Set(), opened: new Set(), shows: () => true }).length ===
        context.nodes.size,
      "the page has a row for each node",
    );
  },
};

/** As a store with snapshots keeps them: with texts and media beside the lines, and each under a number of its own. */
function checkSnapshot(id: string, given: readonly JournalRecord[]): void {
  const kept = new Map<string, Uint8Array>();
  const put = (blob: Uint8Array) => {
    const name = createHash("sha256").update(blob).digest("hex");
    kept.set(name, blob);
    return name;
  };
  const records = given
    .flatMap((record) => {
      const line = new TextDecoder().decode(encodeRecord(record, put).subarray(0, -1));
      const read = readLine(line, (name) => kept.get(name));
      return read.kind === "record" ? [read.record] : [];
    })
    .map((record, at) => ({ ...record, seq: at + 1 }));
  const whole = replay(id, records);
  if (whole.problems.length > 0 || whole.losses.length > 0) return;
  const half = Math.ceil(records.length / 2);
  const begun = replay(id, records.slice(0, half));
  const changed = records
    .slice(0, half)
    .flatMap(({ event }) => (event.type === "metadata_set" ? [event.nodeId] : []));
  const parts = snapshotParts(begun.context, records.slice(0, half), put);
  const head = snapshotHead(begun.context, half, changed, put);
  if (begun.problems.length > 0 || begun.losses.length > 0 || parts === undefined) return;
  const found = readSnapshot(id, head, parts, (name) => kept.get(name));
  ensure(found !== undefined, "a snapshot that was written can be read", head.state);
  const opened = replayOn(found.context, records.slice(half));
  ensure(
    opened !== undefined && isDeepStrictEqual(plain(opened), plain(whole.context)),
    "a snapshot and the rest come to what all records come to",
    head.state,
  );
}

function plain({ nodes, tasks, pruned, ...rest }: ConversationContext): unknown {
  const all = { ...rest, nodes: [...nodes], tasks: [...tasks], pruned: [...pruned] };
  for (const list of [all.nodes, all.tasks, all.pruned])
    list.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return JSON.parse(JSON.stringify(all));
}

/** What is no snapshot is none, whatever it says. */
function checkMadeUp(id: string, given: readonly string[]): void {
  const lines = given.map((line) => new TextDecoder().decode(sealedLine(line)));
  for (const state of lines) readSnapshot(id, { seq: 1, state, lines }, lines, () => undefined);
}

function checkRoundTrip(record: JournalRecord): void {
  const kept = new Map<string, Uint8Array>();
  const bytes = encodeRecord(record, (blob) => {
    const name = String(kept.size).padStart(64, "0");
    kept.set(name, blob);
    return name;
  });
  ensure(bytes.at(-1) === 10 && isSealed(bytes, 0, bytes.length - 1), "a record becomes a sealed line");
  const read = readLine(new TextDecoder().decode(bytes.subarray(0, -1)), (name) => kept.get(name));
  ensure(read.kind === "record", "what was written can be read", { record, read });
  // The type comes first when it is written, wherever it stood.
  const [wanted, got] = [record.event, read.record.event].map(({ type, ...rest }) =>
    JSON.stringify({ type, ...rest }),
  );
  ensure(
    wanted === got && read.record.seq === record.seq && read.record.ts === record.ts,
    "a record comes back",
    {
      wanted,
      got,
    },
  );
}

/** The line with its check, where it is an object that has none. */
function sealedLine(line: string): Uint8Array {
  if (!line.endsWith("}") || /,"crc":"[0-9a-f]{8}"\}$/.test(line)) return new TextEncoder().encode(line);
  const body = new TextEncoder().encode(line.slice(0, -1));
  const check = crc32(body, 0, body.length).toString(16).padStart(8, "0");
  return new TextEncoder().encode(`${line.slice(0, -1)},"crc":"${check}"}`);
}
