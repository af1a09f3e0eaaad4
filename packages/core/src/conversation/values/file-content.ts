import type { ReadOutcome } from "../../files/values/index.js";
import { countLines, shortHash } from "../../text/index.js";
import type { RepeatedLines } from "./file-facts.js";
import type { FileContent, TurnPayload } from "./payload.js";
import { type ConversationRefusal, refuse } from "./refusal.js";

/** SHA-256 as 64 hex digits. */
export type Digest = (bytes: Uint8Array) => string;

/** What reads of ours found, so that it is known to be the state's own text. */
const fromReads = new WeakSet<FileContent>();

/**
 * What a read found, as something to be put before the model. Its text is the state's, also where it is a
 * window or not UTF-8, which no hash of the text could show.
 *
 * @param path another name of the file, where the conversation knows it by that.
 */
export function fileContentOf(
  { state }: Extract<ReadOutcome, { kind: "read" }>,
  { form, path = state.path }: { readonly form?: FileContent["form"]; readonly path?: string } = {},
): FileContent {
  const { sha256, version, content, facts } = state;
  const total = facts?.totalLines ?? countLines(content);
  const lines = state.lines ?? { from: 1, to: total };
  const payload: FileContent = {
    kind: "file_content",
    path,
    version,
    sha256,
    lines: { from: lines.from, to: lines.to, total },
    text: content,
    form: form ?? (state.lines === undefined ? "whole" : "window"),
    verified: true,
  };
  fromReads.add(payload);
  return payload;
}

/** The same file before the model, with the stretches that the prompt shows already; what is known of its text stays known. */
export function withRepeats(payload: FileContent, repeats: readonly RepeatedLines[]): FileContent {
  if (repeats.length === 0) return payload;
  const repeating = { ...payload, repeats };
  if (fromReads.has(payload)) fromReads.add(repeating);
  return repeating;
}

/**
 * The payload with what is known of its text: `verified` where a read of ours found it, or where it is all of
 * a file and hashes to the state's SHA-256 as UTF-8. A window that nobody read is kept as it was said, and shows nothing.
 *
 * @param digest without one, only reads are proof, and no text of a file is refuted.
 * @returns `invalid_payload` where text and lines contradict each other, where the text of a whole file has not the
 *   hash, or where `verified` is claimed.
 */
export function withProof(
  payload: TurnPayload,
  digest: Digest | undefined,
): TurnPayload | ConversationRefusal {
  if (payload.kind !== "file_content" || fromReads.has(payload)) return payload;
  const misfit = misfitOf(payload);
  if (misfit !== undefined) return refuse("invalid_payload", misfit);
  if (digest !== undefined && isWholeFile(payload)) {
    if (hashesTo(payload, digest))
      return payload.verified === true ? payload : { ...payload, verified: true };
    return refuse("invalid_payload", notTheState(payload));
  }
  if (payload.verified !== true) return payload;
  return refuse(
    "invalid_payload",
    `That the text is the one of ${payload.path} is not known; make the payload of a read (fileContentOf).`,
  );
}

/** The bytes may be right and of another encoding: a read of ours knows it. */
function notTheState({ path, sha256 }: FileContent): string {
  return `The text is not that of ${path} in the state ${shortHash(sha256)}…; make the payload of a read (fileContentOf).`;
}

/** The same of what was read from a file that anybody can have written: nothing is believed unproved. */
export function withoutUnverifiedClaims(payload: TurnPayload, digest: Digest | undefined): TurnPayload {
  if (payload.kind !== "file_content" || payload.verified === undefined) return payload;
  const { verified: _, ...unproved } = payload;
  const proved = withProof(unproved, digest);
  return proved.kind === "refusal" ? unproved : proved;
}

function misfitOf({ path, lines, text, form }: FileContent): string | undefined {
  const { from, to, total } = lines;
  const inOrder = 1 <= from && from - 1 <= to && to <= total;
  if (!inOrder || (to < from && total > 0))
    return `Lines ${from} to ${to} of ${total} are no lines of ${path}.`;
  if (form === "whole" && (from !== 1 || to !== total))
    return `Lines ${from} to ${to} of ${total} are not all of ${path}.`;
  const count = to - from + 1;
  if (countLines(text) === count || newlines(text) === count) return undefined;
  return `The text has ${countLines(text)} lines, not the ${count} from ${from} to ${to} of ${path}.`;
}

/** In the midst of a file a lone carriage return ends no line, whatever it would do in a text of its own. */
function newlines(text: string): number {
  const ends = text.split("\n").length - 1;
  return text === "" || text.endsWith("\n") ? ends : ends + 1;
}

function isWholeFile({ lines }: FileContent): boolean {
  return lines.from === 1 && lines.to === lines.total;
}

/** A byte order mark is no part of a text, and part of the bytes. */
function hashesTo({ text, sha256 }: FileContent, digest: Digest): boolean {
  if (!text.isWellFormed()) return false;
  return [text, `\ufeff${text}`].some((each) => digest(encoder.encode(each)) === sha256);
}

const encoder = new TextEncoder();
