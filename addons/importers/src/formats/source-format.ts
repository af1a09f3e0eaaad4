import { isOwnRecord, type SourceLine } from "@holdfast/core/conversation/import";
import { isJsonObject, type JsonObject } from "@holdfast/core/conversation/values";
import { objectOf } from "../lines/fields.js";
import type { ForeignFormat } from "../tree/foreign-session.js";
import { isCline, isCopilot, isQwen } from "./claude-shaped.js";
import { isBareItem } from "./codex-reader.js";
import { isContent } from "./gemini-records.js";

/** Whose lines a file holds. */
type SourceFormat = ForeignFormat | "holdfast";

/** What a file is, and of which other formats lines stand in it. */
export interface FormatFound {
  readonly format: SourceFormat;
  readonly lines: number;
  readonly strays: readonly Strays[];
}

/** Lines of another format than that of their file. */
interface Strays {
  readonly format: SourceFormat;
  /** The first of them. */
  readonly line: number;
  readonly count: number;
}

/**
 * Tells whose a file is by most of its lines, so that neither one that was lost nor some of another program decide. Of
 * equally many those of the first line's format count.
 *
 * @returns undefined where no line is of any format.
 */
export function formatOf(lines: readonly SourceLine[]): FormatFound | undefined {
  const found = new Map<SourceFormat, { line: number; count: number }>();
  for (const { line, value } of lines) {
    const format = formats.find((one) => marks[one](value));
    if (format === undefined) continue;
    const before = found.get(format);
    if (before === undefined) found.set(format, { line, count: 1 });
    else before.count += 1;
  }
  const [main, ...others] = [...found].toSorted(([, a], [, b]) => b.count - a.count || a.line - b.line);
  if (main === undefined) return undefined;
  const [format, { count }] = main;
  return { format, lines: count, strays: others.map(([other, of]) => ({ format: other, ...of })) };
}

/** What a file of each is called. */
export const formatNames = {
  pi: "a session of pi",
  claude: "a transcript of Claude Code",
  "claude-sdk": "a stream of the Claude Agent SDK",
  codex: "a rollout of Codex",
  gemini: "a chat of gemini-cli",
  opencode: "a session of opencode",
  copilot: "a session of GitHub Copilot CLI",
  qwen: "a session of Qwen Code",
  cline: "a task of Cline or Roo Code",
  holdfast: "an export",
} as const satisfies Readonly<Record<SourceFormat, string>>;

/** Lines that only one of them writes, the strictest first: a line is of the first whose mark it bears. */
const formats: readonly SourceFormat[] = [
  ...(["holdfast", "opencode", "codex", "claude-sdk", "qwen", "claude", "copilot"] as const),
  ...(["pi", "gemini", "cline"] as const),
];

const marks: Readonly<Record<SourceFormat, (value: JsonObject) => boolean>> = {
  holdfast: isOwnRecord,
  codex: (value) => isRolloutLine(value) || isBareItem(value),
  "claude-sdk": ({ session_id: id, parentUuid, type }) =>
    typeof id === "string" && parentUuid === undefined && typeof type === "string",
  claude: (value) =>
    (value.type === "user" || value.type === "assistant") &&
    objectOf(value, "message") !== undefined &&
    ("uuid" in value || "parentUuid" in value || "sessionId" in value),
  copilot: isCopilot,
  qwen: isQwen,
  cline: isCline,
  opencode: (value) => isOpencode(objectOf(value, "info") ?? value),
  pi: ({ type, id, message, parentId, projectHash }) =>
    (type === "session" && typeof id === "string" && projectHash === undefined) ||
    (type === "message" && isJsonObject(message)) ||
    (typeof type === "string" && typeof id === "string" && parentId !== undefined),
  gemini: (value) => isGeminiHeader(value) || isGeminiRecord(value) || isContent(value),
};

/** Codex writes a time into each line; of a line without one the kind tells. */
function isRolloutLine({ type, payload, timestamp }: JsonObject): boolean {
  if (typeof type !== "string" || !isJsonObject(payload)) return false;
  return typeof timestamp === "string" || rolloutKinds.has(type);
}

const rolloutKinds: ReadonlySet<string> = new Set([
  ...["session_meta", "response_item", "event_msg", "turn_context", "compacted"],
]);

function isOpencode({ id, projectID, sessionID, messageID, time, role, type }: JsonObject): boolean {
  if (typeof id !== "string") return false;
  const isSession = typeof projectID === "string" && isJsonObject(time) && role === undefined;
  const isMessage = typeof sessionID === "string" && typeof role === "string";
  return (
    (isSession && type === undefined) || isMessage || (typeof messageID === "string" && type !== undefined)
  );
}

function isGeminiHeader({ type, sessionId, projectHash, startTime, authType }: JsonObject): boolean {
  if (typeof authType === "string") return true;
  const isOfChat = typeof projectHash === "string" || typeof startTime === "string";
  return type === undefined && typeof sessionId === "string" && isOfChat;
}

function isGeminiRecord({ $set, $rewindTo, id, type, content }: JsonObject): boolean {
  if (isJsonObject($set) || typeof $rewindTo === "string") return true;
  return typeof id === "string" && (type === "user" || type === "gemini") && content !== undefined;
}
