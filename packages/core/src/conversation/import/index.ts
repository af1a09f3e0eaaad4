import { type Advancing, finish } from "../../text/index.js";
import { type ConversationRefusal, refuse } from "../refusal.js";
import { assemble } from "./assemble.js";
import { isClaude, readClaude } from "./claude.js";
import { isClaudeStream, readClaudeStream } from "./claude-stream.js";
import type { ImportedSession, ImportOptions, UnreadLine } from "./foreign-session.js";
import { type ImportProblem, readLines, type SourceLines } from "./lines.js";
import { isOwn, readOwn } from "./own.js";
import { isPi, readPi } from "./pi.js";

export { type FoldedLines, foldedText } from "./folded-lines.js";
export type {
  BesideFile,
  ForeignFormat,
  ImportedSession,
  ImportOptions,
  UnreadLine,
} from "./foreign-session.js";
export type { ImportProblem } from "./lines.js";
export { exportLines } from "./own.js";
export { type Envelope, type EnvelopeFile, parseEnvelope } from "./parse-envelope.js";

/**
 * Reads a session that was exported here, or the session file of another program: pi, Claude Code, the Claude
 * Agent SDK. The tree stays a tree. Lines that are no turns are counted by kind; a call without a result is an
 * interrupted one; everything that is not as it was in the file is told by line.
 *
 * @param text the whole file, JSON Lines.
 * @returns `not_a_session` where it is none of these; `newer_version`.
 */
export function readSessionFile(text: string, options: ImportOptions): ImportedSession | ConversationRefusal {
  return finish(readSessionInSteps(text, options));
}

/** The same in steps: of a large file first its characters are counted, then its lines. */
export function* readSessionInSteps(
  text: string,
  options: ImportOptions,
): Advancing<ImportedSession | ConversationRefusal> {
  const source = withUnread(yield* readLines(text), options.unread ?? []);
  const { lines } = source;
  if (isOwn(lines)) return yield* readOwn(source, options.digest);
  if (isPi(lines)) return yield* assemble(yield* readPi(source, options.now), options);
  if (isClaudeStream(lines)) return yield* assemble(yield* readClaudeStream(source, options.now), options);
  if (isClaude(lines))
    return yield* assemble(yield* readClaude(source, options.now, options.beside), options);
  return refuse(
    "not_a_session",
    "This is no session that was exported here, and no session of pi, Claude Code or its SDK: no line says so.",
  );
}

function withUnread(source: SourceLines, unread: readonly UnreadLine[]): SourceLines {
  const problems = unread.map(({ line, bytes }): ImportProblem => {
    const message = `Line ${line} is too long (${bytes.toLocaleString("en")} bytes); it was left out.`;
    return { line, what: "long_line", message };
  });
  return { ...source, problems: [...source.problems, ...problems] };
}
