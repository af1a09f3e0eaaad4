import { readFileSync } from "node:fs";
import { readSessionFile } from "../../addons/importers/dist/index.js";
import { conversation } from "../context/engine.mjs";
import { blocksOf } from "./blocks.mjs";

/**
 * One piece of a prompt: a message, a call, or a result. The text is what the prompt has of it.
 *
 * @typedef {{ readonly id: string, readonly role: "user" | "model" | "call" | "result" | "summary",
 *   readonly text: string, readonly atMs: number, readonly step: string | undefined,
 *   readonly callId?: string, readonly isError?: boolean, readonly use?: import("./file-use.mjs").FileUse,
 *   readonly depth: number, readonly name?: string,
 *   readonly payload?: import("../../packages/core/dist/conversation/values/index.js").TurnPayload,
 *   readonly keepFromDepth?: number }} Block
 * @typedef {{ readonly kind: "session", readonly format: string, readonly blocks: readonly Block[],
 *   readonly problems: number }} Session
 * @typedef {{ readonly kind: "refused", readonly message: string }} Refused
 * @typedef {import("../../packages/core/dist/conversation/values/index.js").JournalRecord} JournalRecord
 */

/** The formats of `--format`, and what the reader calls them. @type {Readonly<Record<"pi" | "claude" | "codex" | "holdfast", readonly string[]>>} */
export const formats = {
  pi: ["pi"],
  claude: ["claude", "claude-sdk"],
  codex: ["codex"],
  holdfast: ["holdfast"],
};

/**
 * Reads the path to the head of a recorded session.
 *
 * @param {string} file as given
 * @param {keyof typeof formats} format what the file has to be
 * @returns {Session | Refused}
 */
export function readSession(file, format) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return {
      kind: "refused",
      message: `${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    };
  }
  const read = readRecords(bytes, format);
  if (read.kind === "refused") return read;
  const { context } = conversation.replay(read.sessionId, read.records);
  const path = conversation.pathTo(context, context.currentNodeId);
  return { kind: "session", format: read.format, blocks: blocksOf(path), problems: read.problems };
}

/**
 * @param {Uint8Array} bytes @param {keyof typeof formats} format
 * @returns {Refused | { readonly kind: "records", readonly format: string, readonly sessionId: string,
 *   readonly records: readonly JournalRecord[], readonly problems: number }}
 */
function readRecords(bytes, format) {
  let next = 0;
  const newId = () => `s-${String(next++).padStart(9, "0")}`;
  const text = new TextDecoder().decode(bytes);
  const read = readSessionFile(text, { from: "bench", newId, now: 0 });
  if (read.kind !== "imported")
    return format === "holdfast" ? readOwnJournal(bytes) : refusedWith(read.message);
  if (!formats[format].includes(read.format))
    return refusedWith(`This is a session of ${read.format}, not of ${format}.`);
  const records = read.events.map(({ ts, event }, at) => ({
    v: conversation.journalVersion,
    seq: at + 1,
    ts,
    event,
  }));
  return {
    kind: "records",
    format: read.format,
    sessionId: read.sessionId,
    records,
    problems: read.problems.length,
  };
}

/** A file of the journal store; images that lie beside it are not read. @param {Uint8Array} bytes */
function readOwnJournal(bytes) {
  const { records, problems } = conversation.readJournal(bytes, () => undefined);
  const first = records[0]?.event;
  if (first?.type !== "session_started") return refusedWith("This is no journal of ours.");
  const { sessionId } = first;
  return {
    kind: /** @type {const} */ ("records"),
    format: "holdfast",
    sessionId,
    records,
    problems: problems.length,
  };
}

/** @param {string} message @returns {Refused} */
function refusedWith(message) {
  return { kind: "refused", message };
}
