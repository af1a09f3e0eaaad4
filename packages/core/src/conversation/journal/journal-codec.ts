import { isObject, jsonOf } from "../../text/index.js";
import { type ConversationEvent, type JournalRecord, journalVersion } from "../values/event.js";
import { eventFromJson, eventToJson, mapPayloads } from "../values/event-shape.js";
import type { ContextManagement, Media, OverlayForm, TurnPayload } from "../values/payload.js";
import { versionOf } from "../values/record-version.js";
import { moveOutOfLine, outOfLineBytes, restoreInline, storeMedia } from "./media.js";

/**
 * One record as a line of a journal file, the line break included (docs/journal.md): JSON that ends with
 * the CRC-32 of all bytes before `,"crc":`.
 *
 * @param put keeps a large text, or the bytes of a medium, beside the journal and names it by its SHA-256; to
 *   be durable before the line is.
 * @throws where the event is no JSON (a circle, a BigInt): a bug of who made it.
 */
export function encodeRecord(
  { seq, ts, event: given }: Omit<JournalRecord, "v">,
  put: (bytes: Uint8Array) => string,
): Uint8Array {
  const event = storeMedia(given, put);
  const json = { v: versionOf(event), seq, ts, type: event.type, ...eventToJson(event) };
  let text = JSON.stringify(json);
  if (text.length * 3 >= outOfLineBytes) {
    const { value, blobs } = moveOutOfLine(json, put);
    if (Object.keys(blobs).length > 0) text = JSON.stringify({ ...value, blobs });
  }
  return sealed(encoder.encode(text));
}

/** JSON with the check of a line at its end, and no line break; `isSealed` proves it. */
export function sealJson(json: Readonly<Record<string, unknown>>): string {
  return decoder.decode(sealed(encoder.encode(JSON.stringify(json)))).slice(0, -1);
}

/** What a line of a journal turned out to be. */
export type Line =
  | {
      readonly kind: "record";
      readonly record: JournalRecord;
      /** The SHA-256 of the texts that stood out of line and are gone. */
      readonly lostBlobs: readonly string[];
    }
  | { readonly kind: "newer_version"; readonly seq: number; readonly v: number }
  | { readonly kind: "unknown_event"; readonly seq: number; readonly type: string }
  /** The check fits its bytes, so they are as they were written; they were never an event. */
  | { readonly kind: "no_event"; readonly seq: number; readonly flaw: string }
  | { readonly kind: "damaged" };

/**
 * Whether the check at the end of a line is that of its bytes.
 *
 * @param from its first byte. @param to where its line break stands, or would.
 */
export function isSealed(bytes: Uint8Array, from: number, to: number): boolean {
  const written = writtenCheck(bytes, from, to);
  return written !== undefined && written === crc32(bytes, from, to - sealBytes);
}

/** The check that is written at the end of these bytes, right or not. */
function writtenCheck(bytes: Uint8Array, from: number, to: number): number | undefined {
  const end = to - sealBytes;
  if (end <= from || bytes[to - 2] !== quote || bytes[to - 1] !== brace) return undefined;
  for (let at = 0; at < sealStart.length; at += 1) if (bytes[end + at] !== sealStart[at]) return undefined;
  let written = 0;
  for (let at = end + sealStart.length; at < to - 2; at += 1) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) return undefined;
    written = (written << 4) | digit;
  }
  return written >>> 0;
}

/**
 * What a line says whose check is right.
 *
 * @param read the bytes of this SHA-256, proved by it; undefined where they are gone.
 */
export function readLine(text: string, read: (sha256: string) => Uint8Array | undefined): Line {
  return readUsual(text) ?? readAny(text, read);
}

/**
 * A line as `encodeRecord` begins them, without large texts: its event is parsed alone, so that nothing has
 * to be copied out of a larger object.
 */
function readUsual(text: string): Line | undefined {
  const v = usualStarts.findIndex((start) => text.startsWith(start)) + 1;
  if (v === 0) return undefined;
  const afterSeq = text.indexOf(",", usualBytes);
  const afterTs = text.indexOf(",", afterSeq + 1);
  if (!text.startsWith(tsStart, afterSeq)) return undefined;
  const seq = Number(text.slice(usualBytes, afterSeq));
  const ts = Number(text.slice(afterSeq + tsStart.length, afterTs));
  const json = jsonOf(`{${text.slice(afterTs + 1, text.length - sealBytes)}}`);
  if (!isObject(json) || !isNatural(seq) || !Number.isFinite(ts) || besides.some((name) => name in json))
    return undefined;
  const answer = eventFromJson(json);
  if (answer.kind !== "event") return undefined;
  return { kind: "record", record: { v, seq, ts, event: answer.event }, lostBlobs: none };
}

function readAny(text: string, read: (sha256: string) => Uint8Array | undefined): Line {
  const json = jsonOf(text);
  if (!isObject(json)) return damaged;
  const { v, seq, ts, crc: _, blobs, ...rest } = json;
  if (!isNatural(v) || !isNatural(seq) || !isTime(ts)) return damaged;
  if (v > journalVersion) return { kind: "newer_version", seq, v };
  const lost = blobs === undefined ? nothing : lostOf(rest, blobs, read);
  if (lost === undefined) return damaged;
  const answer = eventFromJson(rest);
  if (answer.kind === "invalid") {
    return { kind: "no_event", seq, flaw: answer.flaw.trim() };
  }
  if (answer.kind === "unknown_event") return { ...answer, seq };
  const { names, pointers } = lost;
  const event = names.length === 0 ? answer.event : withoutLostParts(answer.event, pointers);
  return { kind: "record", record: { v, seq, ts, event }, lostBlobs: names };
}

/** Where a sealed line ends that begins at `from`, in bytes that are no line as a whole; -1 where none does. */
export function sealedEnd(bytes: Uint8Array, from: number, to: number): number {
  // Each byte is counted once, however many ends there are to look at.
  let crc = 0;
  let counted = from;
  for (let at = bytes.indexOf(brace, from); at >= 0 && at < to; at = bytes.indexOf(brace, at + 1)) {
    const written = writtenCheck(bytes, from, at + 1);
    if (written === undefined) continue;
    const end = at + 1 - sealBytes;
    crc = crc32(bytes, counted, end, crc);
    counted = end;
    if (written === crc) return at + 1;
  }
  return -1;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Of each version that is read, the first one first. */
const usualStarts = Array.from({ length: journalVersion }, (_, at) => `{"v":${at + 1},"seq":`);
const usualBytes = '{"v":1,"seq":'.length;
const tsStart = ',"ts":';
/** What stands beside an event, once: one that has it itself is a line of two meanings, of which the last counts. */
const besides = ["v", "seq", "ts", "crc", "blobs"];
const none: readonly string[] = [];
const damaged: Line = { kind: "damaged" };
const quote = 0x22;
const brace = 0x7d;
const lineBreak = 0x0a;
/** `,"crc":"` */
const sealStart = encoder.encode(',"crc":"');
const sealBytes = sealStart.length + 8 + 2;

interface LostTexts {
  readonly names: readonly string[];
  readonly pointers: readonly string[];
}
const nothing: LostTexts = { names: [], pointers: [] };

function sealed(json: Uint8Array): Uint8Array {
  const end = json.length - 1;
  const line = new Uint8Array(end + sealBytes + 1);
  line.set(json.subarray(0, end));
  line.set(sealStart, end);
  const digits = crc32(json, 0, end).toString(16).padStart(8, "0");
  for (let at = 0; at < 8; at += 1) line[end + sealStart.length + at] = digits.charCodeAt(at);
  line[line.length - 3] = quote;
  line[line.length - 2] = brace;
  line[line.length - 1] = lineBreak;
  return line;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
}

function isNatural(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function lostOf(
  json: Readonly<Record<string, unknown>>,
  blobs: unknown,
  read: (sha256: string) => Uint8Array | undefined,
): LostTexts | undefined {
  if (!isObject(blobs)) return undefined;
  const names: Record<string, string> = {};
  for (const [pointer, name] of Object.entries(blobs)) {
    if (typeof name !== "string" || !/^[0-9a-f]{64}$/.test(name)) return undefined;
    names[pointer] = name;
  }
  const pointers = restoreInline(json, names, read);
  return pointers && { pointers, names: pointers.map((pointer) => names[pointer] ?? "") };
}

/** A number that JSON can write: `1e999` is read as one that it cannot. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/**
 * An event without what would be false now that some of its texts are gone: lines that were shown in them,
 * and signatures, which nobody would accept over another text.
 *
 * @param lost JSON Pointers into the event (`/nodes/0/payload/output`), where a word about it stands now.
 */
function withoutLostParts(event: ConversationEvent, lost: readonly string[]): ConversationEvent {
  return mapPayloads(event, (payload, at) => {
    const pointer = payloadPointer(event, at);
    const fields = lost.filter((one) => one.startsWith(pointer)).map((one) => one.slice(pointer.length));
    return fields.length === 0 ? payload : mended(payload, fields);
  });
}

function payloadPointer({ type }: ConversationEvent, at: number): string {
  if (type === "nodes_added") return `/nodes/${at}/payload/`;
  return type === "session_started" ? "/root/payload/" : "/payload/";
}

function mended(payload: TurnPayload, fields: readonly string[]): TurnPayload {
  switch (payload.kind) {
    case "user_message":
      return withoutLostMedia(payload, fields);
    case "model_message": {
      // What a signature signs is not there any more, or the signature itself is not.
      const { thought: _, redactedThought: __, signature: ___, ...rest } = payload;
      return withoutLostMedia(rest, fields);
    }
    case "tool_call": {
      const { signature: _, ...rest } = payload;
      return rest;
    }
    case "tool_result": {
      const { shows: _, refers: __, repeats: ___, ...rest } = payload;
      return rest;
    }
    case "file_content": {
      // It stood for bytes of a file: shown, but never again given to a model as such.
      const { kind, fileApi: _, repeats: __, ...data } = payload;
      return { kind: "unknown", type: kind, data: { ...data, lines: { ...data.lines } } };
    }
    case "context_management":
      return mendedManagement(payload, fields);
    case "task_boundary":
    case "task_summary":
    case "summary":
    case "restore":
    case "note":
    case "lost":
    case "unknown":
      return payload;
    default:
      return payload satisfies never;
  }
}

function withoutLostMedia<Payload extends { readonly media?: readonly Media[] }>(
  payload: Payload,
  fields: readonly string[],
): Payload {
  const media = payload.media?.filter((_, at) => !fields.includes(`media/${at}/data`));
  return media === undefined ? payload : { ...payload, media };
}

function mendedManagement(payload: ContextManagement, fields: readonly string[]): ContextManagement {
  if (payload.action === "overlay") return { ...payload, form: mendedForm(payload.form) };
  if (payload.action !== "reform") return payload;
  const changes = payload.changes.map((change, at) =>
    fields.includes(`changes/${at}/form/text`) ? { ...change, form: mendedForm(change.form) } : change,
  );
  return { ...payload, changes };
}

function mendedForm(form: OverlayForm): OverlayForm {
  if (form.form !== "replaced") return form;
  const { shows: _, refers: __, ...rest } = form;
  return rest;
}

/**
 * CRC-32 as zlib, gzip and PNG compute it (reflected polynomial 0xEDB88320): every single flipped bit or
 * byte changes it.
 *
 * @param from first byte, included. @param to last byte, not included.
 * @param before the CRC-32 of the bytes that stand before these, to go on from.
 * @returns an unsigned 32-bit number.
 */
export function crc32(bytes: Uint8Array, from = 0, to = bytes.length, before = 0): number {
  let crc = ~before;
  let at = from;
  // Eight bytes a step, each by a table of its own: journals are read whole at every start.
  for (; at + 8 <= to; at += 8) {
    const low = crc ^ word(bytes, at);
    const high = word(bytes, at + 4);
    crc =
      entry(0x700 | (low & 255)) ^
      entry(0x600 | ((low >>> 8) & 255)) ^
      entry(0x500 | ((low >>> 16) & 255)) ^
      entry(0x400 | (low >>> 24)) ^
      entry(0x300 | (high & 255)) ^
      entry(0x200 | ((high >>> 8) & 255)) ^
      entry(0x100 | ((high >>> 16) & 255)) ^
      entry(high >>> 24);
  }
  for (; at < to; at += 1) crc = entry((crc ^ (bytes[at] ?? 0)) & 255) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Eight tables of 256: what a byte comes to with 0 to 7 bytes after it. */
const table = new Int32Array(0x800);
for (let at = 0; at < table.length; at += 1) {
  let crc = at < 256 ? at : (table[at - 256] ?? 0);
  if (at < 256) for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  else crc = (table[crc & 255] ?? 0) ^ (crc >>> 8);
  table[at] = crc;
}

function entry(at: number): number {
  return table[at] ?? 0;
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}
