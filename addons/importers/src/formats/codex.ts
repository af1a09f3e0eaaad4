import type { BesideFile, SourceLine, SourceLines } from "@holdfast/core/conversation/import";
import type { Advancing } from "@holdfast/core/text";
import { objectOf, timeOf } from "../lines/fields.js";
import { foldedIn } from "../lines/folded-counter.js";
import type { ForeignSession } from "../tree/foreign-session.js";
import { agentFiles, type CodexAgentFile, inheritedIn } from "./codex-agents.js";
import { CodexReader, countsIn } from "./codex-reader.js";

/**
 * Reads a rollout of Codex: items of the Responses API in the order in which they came, and what the program
 * notes about them. It is no tree, but for turns that were taken back (`thread_rolled_back`), which become
 * branches. The first releases wrote the items bare, without an envelope. The rollout of a subagent becomes a task
 * below the call that began it; alone it is a session.
 *
 * @param beside the rollouts of subagents.
 */
export function* readCodex(
  { lines, problems }: SourceLines,
  now: number,
  beside: readonly BesideFile[] = [],
): Advancing<ForeignSession> {
  const startedMs = startOf(lines, now);
  const reader = new CodexReader(countsIn(lines), startedMs);
  yield* takeAll(reader, lines);
  const agents = yield* agentFiles(beside);
  const readers = [reader, ...(yield* readAgents(reader, lines, agents.files, now))];
  return {
    format: "codex",
    title: reader.name ?? reader.firstWords,
    startedMs,
    cwd: reader.cwd,
    sourceSessionId: reader.id,
    parentSessionId: reader.parentId,
    entries: readers.flatMap(({ entries }) => entries),
    leafLine: reader.leafLine,
    folded: foldedIn(readers.map(({ folded }) => folded)),
    problems: [...problems, ...agents.problems, ...readers.flatMap((one) => one.problems)],
  };
}

function* takeAll(reader: CodexReader, lines: readonly SourceLine[]): Advancing<void> {
  for (const [at, source] of lines.entries()) {
    reader.take(source);
    if (at % stepLines === stepLines - 1) yield { done: at + 1, of: lines.length };
  }
  reader.finish();
}

/** Those of a subagent come after the one that began it. One whose beginning is nowhere hangs at the session's end. */
function* readAgents(
  main: CodexReader,
  lines: readonly SourceLine[],
  files: readonly CodexAgentFile[],
  now: number,
): Advancing<readonly CodexReader[]> {
  const done = new Map<string, { readonly reader: CodexReader; readonly lines: readonly SourceLine[] }>();
  done.set(main.id ?? "", { reader: main, lines });
  const readers: CodexReader[] = [];
  // Where a line is damaged that names its parent, that is the one with the call that began it.
  const parentOf = (file: CodexAgentFile) =>
    done.get(file.parentId ?? "no id") ??
    [...done.values()].find(({ reader }) => reader.spawnOf(file) !== undefined);
  let waiting = files.filter(({ id }) => id !== main.id);
  while (waiting.length > 0) {
    const ready = waiting.filter((file) => parentOf(file) !== undefined);
    // Of one whose parent is gone only the session is known; one of another session has nothing to do here.
    const isOfSession = ({ rootId }: CodexAgentFile) =>
      main.id === undefined ? rootId !== undefined : rootId === main.id;
    const next = ready.length > 0 ? ready : waiting.filter(isOfSession);
    if (next.length === 0) break;
    for (const file of next) {
      const parent = parentOf(file);
      const above = parent?.reader ?? main;
      const inherited = file.isFork ? inheritedIn(parent?.lines ?? lines) : new Set<string>();
      const place = { file, inherited, under: above.spawnOf(file) ?? above.last, ids: main.ids };
      const reader = new CodexReader(countsIn(file.lines), startOf(file.lines, now), place);
      yield* takeAll(reader, file.lines);
      readers.push(reader);
      done.set(file.id, { reader, lines: file.lines });
    }
    waiting = waiting.filter(({ id }) => !done.has(id));
  }
  return readers;
}

/** Read in some milliseconds. */
const stepLines = 128;

function startOf(lines: readonly SourceLine[], now: number): number {
  const [first] = lines;
  if (first === undefined) return now;
  const meta = objectOf(first.value, "payload") ?? objectOf(first.value, "session") ?? first.value;
  return timeOf(meta, timeOf(first.value, now));
}
