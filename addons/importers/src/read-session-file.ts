import type { ImportedSession, ImportOptions } from "@holdfast/core/conversation/import";
import {
  aboutLongLine,
  type ImportProblem,
  readLines,
  readOwn,
  type SourceLines,
  withUnread,
} from "@holdfast/core/conversation/import";
import type { ConversationRefusal, Digest, TurnPayload } from "@holdfast/core/conversation/values";
import { refuse } from "@holdfast/core/files/values";
import { type Advancing, finish } from "@holdfast/core/text";
import { readClaude } from "./formats/claude.js";
import { inClaudeShape } from "./formats/claude-shaped.js";
import { readClaudeStream } from "./formats/claude-stream.js";
import { readCodex } from "./formats/codex.js";
import { readGemini } from "./formats/gemini.js";
import { incompleteLines } from "./formats/incomplete.js";
import { readOpencode } from "./formats/opencode.js";
import { readPi } from "./formats/pi.js";
import { type FormatFound, formatNames, formatOf } from "./formats/source-format.js";
import { isDocument, isIndented, readDocument, readRows } from "./lines/document.js";
import { badTimes } from "./lines/fields.js";
import { assemble } from "./tree/assemble.js";
import type { EntryNode } from "./tree/foreign-entry.js";
import type { ForeignFormat, ForeignSession } from "./tree/foreign-session.js";

/**
 * Reads a session that was exported here, or the session file of another program: pi, Claude Code, the Claude
 * Agent SDK, Codex, gemini-cli, opencode, GitHub Copilot CLI, Qwen Code, Cline and Roo Code. The tree stays a tree. Lines that are no turns are counted by kind; a call
 * without a result is an interrupted one; everything that is not as it was in the file is told by line.
 *
 * @param text the whole file, JSON Lines or one document.
 * @returns `not_a_session` where it is none of these, or no turn in it can be read; `newer_version`.
 */
export function readSessionFile(text: string, options: ImportOptions): ImportedSession | ConversationRefusal {
  return finish(readSessionInSteps(text, options));
}

/** The same in steps: of a large file first its characters are counted, then its lines. */
export function* readSessionInSteps(
  text: string,
  options: ImportOptions,
): Advancing<ImportedSession | ConversationRefusal> {
  const source = withUnread(yield* readRecords(text), options.unread ?? []);
  if (formatOf(source.lines)?.format === "holdfast") return yield* readOwn(source, options.digest);
  const timed = { ...source, problems: [...source.problems, ...badTimes(source.lines)] };
  const foreign = yield* readForeign(timed, options);
  if (foreign !== undefined && !hasTurns(foreign)) return refuse("not_a_session", withoutTurns(foreign));
  if (foreign !== undefined) return yield* assemble(named(foreign, text, options), options);
  return refuse(
    "not_a_session",
    `This is no session that was exported here, and none of pi, Claude Code, its SDK, Codex, gemini-cli, opencode, GitHub Copilot CLI, Qwen Code, Cline or Roo Code: no line says so.${aboutLongLine(source)}`,
  );
}

/** Whether somebody says or does something in it. */
function hasTurns({ entries }: ForeignSession): boolean {
  const isTurn = ({ payload }: EntryNode) => typeof payload === "function" || turnKinds.has(payload.kind);
  return entries.some(({ nodes }) => nodes.some(isTurn));
}

const turnKinds: ReadonlySet<TurnPayload["kind"]> = new Set<TurnPayload["kind"]>([
  ...(["user_message", "model_message", "tool_call", "tool_result", "summary", "file_content"] as const),
]);

function withoutTurns({ format, folded = [] }: ForeignSession): string {
  const lines = folded.map(({ kind, count }) => `${kind} ${count}`).join(", ");
  return `This looks like ${formatNames[format]}, but no turn in it can be read${lines === "" ? "" : `; its lines: ${lines}`}. Nothing was imported.`;
}

/** A file that names no session is known again by its content. */
function named(foreign: ForeignSession, text: string, { idOf, digest }: ImportOptions): ForeignSession {
  if (foreign.sourceSessionId !== undefined || idOf === undefined || digest === undefined) return foreign;
  const message =
    "The file names no session; its id here is made of its content: the same file is known again, one that has grown is not.";
  const problems = [...foreign.problems, { line: 1, what: "missing_id", message } as const];
  return { ...foreign, sourceSessionId: contentId(text, digest), problems };
}

function contentId(text: string, digest: Digest): string {
  return `sha256:${digest(new TextEncoder().encode(text))}`;
}

/** What a list of sessions of other programs says of each. */
export interface SessionDescription {
  readonly format: ForeignFormat;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  /** Its id there. */
  readonly sourceId: string | undefined;
  /** The id there of the session whose subagent it is, where it says so. */
  readonly parentId: string | undefined;
  readonly startedMs: number;
  /** Whether any turn of the conversation was seen. */
  readonly hasTurns: boolean;
}

/**
 * Describes the session of another program.
 *
 * @param text the file, or as much of its beginning as is to be looked at.
 * @param digest makes the id of a file that names no session; the text must be the whole of it.
 */
export function describeSessionFile(text: string, digest?: Digest): SessionDescription | undefined {
  const foreign = finish(readForeign(finish(readRecords(text)), { now: 0 }));
  if (foreign === undefined) return undefined;
  const { format, title, cwd, sourceSessionId, parentSessionId: parentId, startedMs, entries } = foreign;
  const hasTurns = entries.some(({ nodes }) =>
    nodes.some(({ payload }) => typeof payload === "object" && payload.kind === "user_message"),
  );
  const sourceId = sourceSessionId ?? (digest && contentId(text, digest));
  return { format, title, cwd, sourceId, parentId, startedMs, hasTurns };
}

function* readRecords(text: string): Advancing<SourceLines> {
  if (isDocument(text)) return yield* readDocument(text);
  const source = yield* readLines(text);
  // A document whose first row is lost.
  const rows =
    source.lines.length === 0 && isIndented(text) ? yield* readRows(text, source.problems) : undefined;
  return rows ?? source;
}

function* readForeign(
  source: SourceLines,
  { now, beside }: Pick<ImportOptions, "now" | "beside">,
): Advancing<ForeignSession | undefined> {
  const found = formatOf(source.lines);
  if (found === undefined) return undefined;
  if (found.format === "holdfast") return undefined;
  const strays = withStrays(source, found);
  const told = { ...strays, problems: [...strays.problems, ...incompleteLines(found.format, source.lines)] };
  switch (found.format) {
    case "pi":
      return yield* readPi(told, now);
    case "claude-sdk":
      return yield* readClaudeStream(told, now);
    case "codex":
      return yield* readCodex(told, now, beside);
    case "gemini":
      return yield* readGemini(told, now, beside);
    case "claude":
      return yield* readClaude(told, now, beside);
    case "copilot":
    case "qwen":
    case "cline": {
      const { format } = found;
      const lines = told.lines.map((one, at) => ({ ...one, value: inClaudeShape(format, one.value, at) }));
      return yield* readClaude({ ...told, lines }, now, beside, format);
    }
    case "opencode":
      return yield* readOpencode(told, now);
    default:
      return found.format satisfies never;
  }
}

/** Tells, once a format and with their count, that lines of another program stand in the file. */
function withStrays(source: SourceLines, { format, lines, strays }: FormatFound): SourceLines {
  const problems = strays.map(({ format: other, line, count }): ImportProblem => {
    const message = `Line ${line} is of ${formatNames[other]} (${count} such in all, ${lines} of ${formatNames[format]}); the file is read as the latter.`;
    return { line, what: "foreign_line", message };
  });
  return { ...source, problems: [...source.problems, ...problems] };
}
