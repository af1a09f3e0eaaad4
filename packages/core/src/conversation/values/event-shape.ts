import { type Schema, shapes } from "../../text/index.js";
import { type ConversationEvent, eventShape, type NewNode } from "./event.js";
import { flawOfJson, type JsonObject } from "./json.js";
import { turnMetadata } from "./node.js";
import { isKnownKind, payload, type TurnPayload } from "./payload.js";

const { listOf, number, shape, text } = shapes;

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
  const check = eventShape(type);
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
  const flaw = flawOfJson(event) ?? eventShape(event.type)?.(event);
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
export function flawOfMetadata(from: unknown): string | undefined {
  return flawOfJson(from) ?? turnMetadata(from);
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

/** A time that JSON cannot keep would be `null` to the reader. */
const time: Schema<number> = (value) => number(value) ?? flawOfJson(value);
const frame = shape({ id: text, timestamp: time });
const nodeFrames = listOf(frame);
