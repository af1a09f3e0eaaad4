import { type Advancing, finish } from "../../text/index.js";
import { type ConversationRefusal, refuse } from "../refusal.js";
import { assemble, type ImportedSession, type ImportOptions } from "./assemble.js";
import { isClaude, readClaude } from "./claude.js";
import { readLines } from "./lines.js";
import { isOwn, readOwn } from "./own.js";
import { isPi, readPi } from "./pi.js";

export type { ImportedSession, ImportOptions } from "./assemble.js";
export type { ImportProblem } from "./lines.js";
export { exportLines } from "./own.js";
export { type Envelope, type EnvelopeFile, parseEnvelope } from "./parse-envelope.js";

/**
 * Reads a session that was exported here, or the session file of pi or of Claude Code. The tree stays a
 * tree; what has no counterpart is kept as a note for people or as unknown, and everything that is not as
 * it was in the file is told by line.
 *
 * @param text the whole file, JSON Lines.
 * @returns `not_a_session` where it is none of these; `broken_pairs` where calls and results of another
 *   program do not belong together, unless `repair` keeps them; `newer_version`.
 */
export function readSessionFile(text: string, options: ImportOptions): ImportedSession | ConversationRefusal {
  return finish(readSessionInSteps(text, options));
}

/** The same in steps: of a large file first its characters are counted, then its lines. */
export function* readSessionInSteps(
  text: string,
  options: ImportOptions,
): Advancing<ImportedSession | ConversationRefusal> {
  const source = yield* readLines(text);
  if (isOwn(source.lines)) return yield* readOwn(source, options.digest);
  if (isPi(source.lines)) return yield* assemble(readPi(source, options.now), options);
  if (isClaude(source.lines)) return yield* assemble(readClaude(source, options.now), options);
  return refuse(
    "not_a_session",
    "This is no session that was exported here, and no session of pi or Claude Code: no line says so.",
  );
}
