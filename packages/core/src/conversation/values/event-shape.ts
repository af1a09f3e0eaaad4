import type {
  ConversationEvent,
  EventType,
  MetadataPatch,
  NewNode,
  SessionOrigin,
  TaskChange,
} from "./event.js";
import { flawOfJson, type JsonObject } from "./json.js";
import type { PendingRestore, TurnMetadata, TurnProvenance, TurnUsage } from "./node.js";
import type { TurnPayload } from "./payload.js";
import { delta, isKnownKind, payload } from "./payload-shape.js";
import {
  type Check,
  count,
  type Fields,
  flag,
  listOf,
  number,
  object,
  oneOf,
  optional,
  orNull,
  shape,
  text,
  yes,
} from "./shape.js";

/** What an object of a journal turned out to be. */
type ReadEvent =
  | { readonly kind: "event"; readonly event: ConversationEvent }
  /** Of a newer release. */
  | { readonly kind: "unknown_event"; readonly type: string }
  | { readonly kind: "invalid"; readonly flaw: string };

/**
 * Reads an event as `eventToJson` wrote it. Payloads of kinds that only a newer release knows become
 * `UnknownPayload`; fields that are not known are kept.
 */
export function eventFromJson(value: Readonly<Record<string, unknown>>): ReadEvent {
  const { type } = value;
  if (typeof type !== "string") return { kind: "invalid", flaw: "type must be a text" };
  const check = events.get(type);
  if (check === undefined) return { kind: "unknown_event", type };
  const flaw = check(value);
  if (flaw !== undefined) return { kind: "invalid", flaw };
  // Every field was just looked at.
  const event = value as unknown as ConversationEvent;
  return { kind: "event", event: mapPayloads(event, payloadFromJson) };
}

/**
 * Why an event that is to be written could not be read again: the same look that a reader takes.
 *
 * @returns where and how, such as `nodes[0].payload.args must be an object`; `undefined` where all is well.
 */
export function flawOfEvent(event: ConversationEvent): string | undefined {
  const flaw = flawOfJson(event) ?? events.get(event.type)?.(event);
  return (
    flaw ??
    payloadsOf(event)
      .map(unknownKind)
      .find((one) => one !== undefined)
  );
}

/** The same of an event but for payloads and metadata, which were looked at before. */
export function flawOfFrame(event: ConversationEvent): string | undefined {
  switch (event.type) {
    case "nodes_added":
      return nodeFrames(event.nodes);
    case "staged":
      return frame(event);
    default:
      return flawOfEvent(event);
  }
}

/** The same of metadata. */
export function flawOfMetadata(from: TurnMetadata): string | undefined {
  return flawOfJson(from) ?? metadata(from);
}

/** The same of one payload. */
export function flawOfPayload(from: TurnPayload): string | undefined {
  return flawOfJson(from) ?? payload(from) ?? unknownKind(from);
}

function unknownKind({ kind }: TurnPayload): string | undefined {
  return kind === "unknown" || isKnownKind(kind)
    ? undefined
    : `kind ${JSON.stringify(kind)} is none that is known`;
}

/** What an event holds of payloads. */
export function payloadsOf(event: ConversationEvent): readonly TurnPayload[] {
  switch (event.type) {
    case "session_started":
      return [event.root.payload];
    case "nodes_added":
      return event.nodes.map((one) => one.payload);
    case "staged":
      return [event.payload];
    default:
      return [];
  }
}

/** What of an event is JSON already: all but payloads of unknown kinds, which are written as they came. */
export function eventToJson(event: ConversationEvent): Readonly<Record<string, unknown>> {
  return { ...mapPayloads(event, payloadToJson) };
}

function payloadFromJson(from: TurnPayload): TurnPayload {
  if (isKnownKind(from.kind)) return from;
  const { kind, ...data } = from;
  // It came out of JSON.
  return { kind: "unknown", type: kind, data: data as unknown as JsonObject };
}

function payloadToJson(of: TurnPayload): TurnPayload {
  if (of.kind !== "unknown") return of;
  // The kind first, as everywhere. A payload to the one who knows its kind; to us it is any JSON.
  return { ...{ kind: of.type }, ...of.data, kind: of.type } as unknown as TurnPayload;
}

/** @param at of an event that adds nodes: that of which of them it is. */
type ChangePayload = (payload: TurnPayload, at: number) => TurnPayload;

/** An event with other payloads; the same event where none changed. */
export function mapPayloads(event: ConversationEvent, change: ChangePayload): ConversationEvent {
  switch (event.type) {
    case "session_started": {
      const root = mapNode(event.root, 0, change);
      return root === event.root ? event : { ...event, root };
    }
    case "nodes_added": {
      const nodes = event.nodes.map((node, at) => mapNode(node, at, change));
      return nodes.every((node, at) => node === event.nodes[at]) ? event : { ...event, nodes };
    }
    case "staged": {
      const changed = change(event.payload, 0);
      return changed === event.payload ? event : { ...event, payload: changed };
    }
    default:
      return event;
  }
}

function mapNode(node: NewNode, at: number, change: ChangePayload): NewNode {
  const changed = change(node.payload, at);
  return changed === node.payload ? node : { ...node, payload: changed };
}

const usage = shape<TurnUsage>({
  inputTokens: optional(number),
  cachedInputTokens: optional(number),
  cacheWriteTokens: optional(number),
  outputTokens: optional(number),
  thoughtTokens: optional(number),
});
const provenance = shape<TurnProvenance>({
  source: optional(text),
  sourceId: optional(text),
  expanded: optional(listOf(text)),
});
const metadata = shape<TurnMetadata>({
  isHiddenFromLlm: optional(flag),
  label: optional(text),
  usage: optional(usage),
  provenance: optional(provenance),
  custom: optional(object),
});
const metadataPatch = shape<MetadataPatch>({
  label: optional(orNull(text)),
  usage: optional(orNull(usage)),
  custom: optional(object),
});
/** A time that JSON cannot keep would be `null` to the reader. */
const time: Check = (value) => number(value) ?? flawOfJson(value);
const frame = shape<Pick<NewNode, "id" | "timestamp">>({ id: text, timestamp: time });
const nodeFrames = listOf(frame);
const node = shape<NewNode>({
  id: text,
  parentId: orNull(text),
  timestamp: number,
  payload,
  metadata: optional(metadata),
});
const taskChange = shape<TaskChange>({ id: text, outcome: oneOf("open", "complete", "cancelled") });
const origin = shape<SessionOrigin>({
  kind: oneOf("fork", "import"),
  from: text,
  seq: optional(count),
  sourceId: optional(text),
});

/** The type was looked at when the check was chosen. */
type FieldsOf<Type extends EventType> = Omit<Extract<ConversationEvent, { type: Type }>, "type">;

function event<Type extends EventType>(fields: Fields<FieldsOf<Type>>): Check {
  return shape<FieldsOf<Type>>(fields);
}

const known: Readonly<Record<EventType, Check>> = {
  session_started: event<"session_started">({
    sessionId: text,
    root: node,
    title: optional(text),
    cwd: optional(text),
    origin: optional(origin),
  }),
  nodes_added: event<"nodes_added">({
    nodes: listOf(node),
    head: text,
    turn: optional(yes),
    staged: optional(listOf(text)),
    task: optional(taskChange),
    pruned: optional(text),
  }),
  head_moved: event<"head_moved">({
    head: text,
    reason: oneOf("rewind", "task_pop", "task_resume", "task_cancel", "navigate"),
    task: optional(taskChange),
    pruned: optional(text),
  }),
  staged: event<"staged">({ id: text, timestamp: number, payload }),
  unstaged: event<"unstaged">({ ids: listOf(text) }),
  metadata_set: event<"metadata_set">({ nodeId: text, metadata: metadataPatch }),
  pruned: event<"pruned">({ nodeId: text }),
  unpruned: event<"unpruned">({ nodeId: text, task: optional(taskChange) }),
  expansion_set: event<"expansion_set">({ taskId: text, turns: number }),
  renamed: event<"renamed">({ title: text }),
  restore_begun: shape<PendingRestore>({
    restoreId: text,
    fromId: text,
    toId: text,
    files: listOf(delta),
    undoes: optional(text),
    stateOf: optional(text),
    cancels: optional(text),
  }),
  restore_dropped: event<"restore_dropped">({ restoreId: text }),
};

const events = new Map(Object.entries(known));
