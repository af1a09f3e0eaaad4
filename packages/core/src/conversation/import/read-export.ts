import { type Advancing, finish } from "../../text/index.js";
import { type ConversationRefusal, refuse } from "../values/refusal.js";
import type { ImportedSession, ImportOptions, UnreadLine } from "./imported-session.js";
import { type ImportProblem, readLines, type SourceLines } from "./lines.js";
import { isOwnRecord, readOwn } from "./own.js";

/** What reading an export needs to know. */
export type ReadExportOptions = Pick<ImportOptions, "digest" | "unread">;

/**
 * Reads a session that was exported here.
 *
 * @param text the whole file, JSON Lines.
 * @returns `not_a_session` where no line is one of an export; `newer_version`.
 */
export function readExport(text: string, options: ReadExportOptions): ImportedSession | ConversationRefusal {
  return finish(readExportInSteps(text, options));
}

/** The same in steps: of a large file first its characters are counted, then its lines. */
export function* readExportInSteps(
  text: string,
  { digest, unread = [] }: ReadExportOptions,
): Advancing<ImportedSession | ConversationRefusal> {
  const source = withUnread(yield* readLines(text), unread);
  if (source.lines.some(({ value }) => isOwnRecord(value))) return yield* readOwn(source, digest);
  return refuse("not_a_session", `This is no session that was exported here.${aboutLongLine(source)}`);
}

/** The source with a problem for each line that the caller left out. */
export function withUnread(source: SourceLines, unread: readonly UnreadLine[]): SourceLines {
  const problems = unread.map(({ line, bytes }): ImportProblem => {
    const message = `Line ${line} is too long (${bytes.toLocaleString("en")} bytes); it was left out.`;
    return { line, what: "long_line", message };
  });
  return { ...source, problems: [...source.problems, ...problems] };
}

/** A sentence about the first line that was too long, since that line may name the format; "" if there is none. */
export function aboutLongLine({ problems }: SourceLines): string {
  const first = problems.find(({ what }) => what === "long_line");
  return first === undefined ? "" : ` ${first.message}`;
}
