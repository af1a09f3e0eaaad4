import { fromBase64, isObject, toBase64 } from "../../text/index.js";
import type { ConversationEvent, JournalRecord } from "../values/event.js";
import { mapPayloads, payloadsOf } from "../values/event-shape.js";
import type { InlineMedia, Media, StoredMedia, TurnPayload } from "../values/payload.js";
import { versionOf } from "../values/record-version.js";
import { type ConversationRefusal, isRefusal } from "../values/refusal.js";
import type { JournalProblem, OpenSession } from "../values/store.js";

/** Whether the bytes lie beside the journal, under their SHA-256. */
export function isStored(media: Media): media is StoredMedia {
  return !("data" in media);
}

/**
 * An event whose media are named by their SHA-256. What is no Base64 as we write it stays as it is, so that
 * nothing changes on the way.
 *
 * @param put keeps the bytes and names them; to be durable before the event is.
 */
export function storeMedia(event: ConversationEvent, put: (bytes: Uint8Array) => string): ConversationEvent {
  return mapMedia(event, (media) => {
    if (isStored(media) || media.data === "") return media;
    const bytes = fromBase64(media.data);
    return bytes === undefined
      ? media
      : { mimeType: media.mimeType, sha256: put(bytes), sizeBytes: bytes.length };
  });
}

/** The media of an event that lie beside its journal. */
export function storedMedia(event: ConversationEvent): readonly StoredMedia[] {
  return payloadsOf(event).flatMap((payload) => mediaOf(payload).filter(isStored));
}

/** Records that need nothing beside them. What could not be read stays a name, and is a problem. */
export async function withMediaInline({
  records,
  readBlob,
}: Pick<OpenSession, "records" | "readBlob">): Promise<
  | {
      readonly kind: "whole";
      readonly records: readonly JournalRecord[];
      readonly problems: readonly JournalProblem[];
    }
  | ConversationRefusal
> {
  const problems: JournalProblem[] = [];
  const whole: JournalRecord[] = [];
  for (const record of records) {
    const found = new Map<string, string>();
    for (const { sha256 } of storedMedia(record.event)) {
      const bytes = await readBlob(sha256);
      if (bytes !== undefined && isRefusal(bytes)) return bytes;
      if (bytes === undefined) problems.push(lost(record.seq, sha256));
      else found.set(sha256, toBase64(bytes));
    }
    whole.push(found.size === 0 ? record : inlined(record, found));
  }
  return { kind: "whole", records: whole, problems };
}

function inlined(record: JournalRecord, found: ReadonlyMap<string, string>): JournalRecord {
  const event = mapMedia(record.event, (media): InlineMedia | StoredMedia => {
    const data = isStored(media) ? found.get(media.sha256) : undefined;
    return data === undefined ? media : { mimeType: media.mimeType, data };
  });
  return { ...record, v: versionOf(event), event };
}

function lost(seq: number, sha256: string): JournalProblem {
  const message = `A medium of record ${seq} is lost: blob ${sha256} is missing or damaged.`;
  return { line: seq, what: "missing_blob", message };
}

/** The payloads that can show something besides text. */
export function holdsMedia(
  payload: TurnPayload,
): payload is Extract<TurnPayload, { kind: "user_message" | "model_message" | "tool_result" }> {
  const { kind } = payload;
  return kind === "user_message" || kind === "model_message" || kind === "tool_result";
}

function mediaOf(payload: TurnPayload): readonly Media[] {
  return holdsMedia(payload) ? (payload.media ?? []) : [];
}

function mapMedia(event: ConversationEvent, change: (media: Media) => Media): ConversationEvent {
  return mapPayloads(event, (payload) => {
    const before = mediaOf(payload);
    if (before.length === 0) return payload;
    const media = before.map(change);
    if (media.every((one, at) => one === before[at])) return payload;
    return holdsMedia(payload) ? { ...payload, media } : payload;
  });
}

/** Texts of so many bytes (in UTF-8) or more do not stand in their line. */
export const outOfLineBytes = 16 * 1024;

/** Where in a line a text was taken out (JSON Pointer, RFC 6901), and the SHA-256 of its UTF-8. */
type BlobNames = Readonly<Record<string, string>>;

/** A record whose large texts are kept beside the journal, and the names they are kept by. */
interface TakenOut {
  readonly value: Readonly<Record<string, unknown>>;
  readonly blobs: BlobNames;
}

/**
 * Takes the large texts out of JSON and leaves "" in their places. Which these are stands apart, so nothing
 * that a user or a model writes can be taken for a reference. A text with lone surrogates has no UTF-8 and
 * stays.
 *
 * @param put keeps the bytes and names them by their SHA-256.
 */
export function moveOutOfLine(
  value: Readonly<Record<string, unknown>>,
  put: (bytes: Uint8Array) => string,
): TakenOut {
  const blobs: Record<string, string> = {};
  const walk = (at: unknown, pointer: string): unknown => {
    if (typeof at === "string") {
      const bytes = bytesToTakeOut(at);
      if (bytes === undefined) return at;
      blobs[pointer] = put(bytes);
      return "";
    }
    if (Array.isArray(at)) return at.map((item, index) => walk(item, `${pointer}/${index}`));
    return isObject(at) ? walkObject(at, pointer) : at;
  };
  const walkObject = (at: Readonly<Record<string, unknown>>, pointer: string) =>
    // `fromEntries` defines: a key named __proto__ stays a key.
    Object.fromEntries(
      Object.entries(at).map(([key, item]) => [key, walk(item, `${pointer}/${toToken(key)}`)]),
    );
  return { value: walkObject(value, ""), blobs };
}

/**
 * Puts the texts back into JSON that was just parsed, which is changed in place.
 *
 * @param read the bytes of this name; undefined where they are gone.
 * @returns the pointers whose texts are gone: there `lostText` stands now. Undefined where a pointer leads
 *   nowhere: the line was not written by `moveOutOfLine`.
 */
export function restoreInline(
  json: Readonly<Record<string, unknown>>,
  blobs: BlobNames,
  read: (sha256: string) => Uint8Array | undefined,
): readonly string[] | undefined {
  const lost: string[] = [];
  for (const [pointer, name] of Object.entries(blobs)) {
    const keys = pointer.split("/").slice(1).map(fromToken);
    const last = keys.pop() ?? "";
    let at: unknown = json;
    for (const key of keys)
      at = at !== null && Object.hasOwn(Object(at), key) ? Reflect.get(Object(at), key) : null;
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, last) || Reflect.get(at, last) !== "")
      return undefined;
    const bytes = read(name);
    if (bytes === undefined) lost.push(pointer);
    // Defined, not set: the key may be __proto__.
    const value = bytes === undefined ? lostText(name) : decoder.decode(bytes);
    Object.defineProperty(at, last, { value, writable: true, enumerable: true, configurable: true });
  }
  return lost;
}

/** What stands in the place of a text whose blob is gone. */
function lostText(sha256: string): string {
  return `[This text is lost: the file that held it, ${sha256}, is missing or damaged.]`;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function bytesToTakeOut(text: string): Uint8Array | undefined {
  if (text.length * 3 < outOfLineBytes || !text.isWellFormed()) return undefined;
  const bytes = encoder.encode(text);
  return bytes.length < outOfLineBytes ? undefined : bytes;
}

function toToken(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function fromToken(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
