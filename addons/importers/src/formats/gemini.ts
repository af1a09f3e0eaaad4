import type { BesideFile } from "@holdfast/core/conversation/import";
import {
  type ImportProblem,
  readLines,
  type SourceLine,
  type SourceLines,
} from "@holdfast/core/conversation/import";
import type { JsonObject } from "@holdfast/core/conversation/values";
import type { Advancing } from "@holdfast/core/text";
import { textOf, timeOf } from "../lines/fields.js";
import { foldedIn } from "../lines/folded-counter.js";
import type { ForeignEntry } from "../tree/foreign-entry.js";
import type { ForeignSession } from "../tree/foreign-session.js";
import { GeminiChat } from "./gemini-chat.js";
import { incompleteLines } from "./incomplete.js";

/**
 * Reads a chat of gemini-cli (a header, then records of messages; of the same message the last one holds) or
 * a saved one (the contents of its prompt). Where the program put another list of messages in the place of
 * the first, what stands in both stays; what was taken back is a branch, what was summed up a summary. The chat of
 * a subagent becomes a task below the call that began it; alone it is a session.
 *
 * @param beside the chats of subagents.
 */
export function* readGemini(
  { lines, problems }: SourceLines,
  now: number,
  beside: readonly BesideFile[] = [],
): Advancing<ForeignSession> {
  const header = headerOf(lines);
  const main = yield* chatIn(lines, now);
  const agents: GeminiChat[] = [];
  const found: ImportProblem[] = [...problems];
  for (const { name, text } of beside) {
    const read = yield* readLines(text, { file: name });
    const { sessionId, kind } = headerOf(read.lines);
    // Where its first line is lost, the name of the file says whose it is.
    const id = typeof sessionId === "string" ? sessionId : /^([\w-]+)\.jsonl?$/.exec(name)?.[1];
    if (id === undefined || kind === "main") continue;
    agents.push(yield* chatIn(read.lines, now, { id, file: name }));
    for (const problem of read.problems) found.push(problem);
    for (const problem of incompleteLines("gemini", read.lines, name)) found.push(problem);
  }
  const entries: ForeignEntry[] = [];
  for (const entry of entriesOf(main, agents)) {
    entries.push(entry);
    if (entries.length % stepLines === 0) yield { done: lines.length, of: lines.length };
  }
  const chats = [main, ...agents];
  return {
    format: "gemini",
    title: main.title,
    startedMs: startOf(lines, now),
    cwd: main.cwd,
    sourceSessionId: textOf(header, "sessionId"),
    entries,
    leafLine: main.leafLine,
    folded: foldedIn(chats.map(({ folded }) => folded)),
    problems: [...found, ...chats.flatMap((chat) => chat.problems)],
  };
}

/** Read in some milliseconds. */
const stepLines = 128;

/** The first line, unless that was lost: then the first message is as old as the chat. */
function headerOf(lines: readonly SourceLine[]): JsonObject {
  return lines.find(({ value }) => typeof value.sessionId === "string")?.value ?? lines[0]?.value ?? {};
}

function startOf(lines: readonly SourceLine[], now: number): number {
  const { startTime, timestamp = null } = headerOf(lines);
  return timeOf({ timestamp: startTime ?? timestamp }, now);
}

function* chatIn(
  lines: readonly SourceLine[],
  now: number,
  agent?: { readonly id: string; readonly file: string },
): Advancing<GeminiChat> {
  const chat = new GeminiChat(startOf(lines, now), agent);
  for (const [at, source] of lines.entries()) {
    chat.take(source);
    if (at % stepLines === stepLines - 1) yield { done: at + 1, of: lines.length };
  }
  return chat;
}

/** Those of a subagent come after the call that began it. One whose call is nowhere hangs at the session's end. */
function* entriesOf(main: GeminiChat, agents: readonly GeminiChat[]): Generator<ForeignEntry> {
  const begun = new Map(main.begun);
  yield* main.entries();
  let waiting = agents;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ agentId = "" }) => begun.has(agentId));
    const next = ready.length > 0 ? ready : waiting;
    for (const agent of next) {
      yield* agent.entries(begun.get(agent.agentId ?? "") ?? { sourceId: main.lastEntryId });
      for (const [id, begin] of agent.begun) if (!begun.has(id)) begun.set(id, begin);
    }
    const done = new Set(next);
    waiting = waiting.filter((one) => !done.has(one));
  }
}
