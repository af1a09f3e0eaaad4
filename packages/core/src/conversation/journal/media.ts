import { fromBase64, toBase64 } from "../../text/index.js";
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
