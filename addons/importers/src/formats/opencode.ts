import type { SourceLines } from "@holdfast/core/conversation/import";
import type { JsonObject, TurnUsage } from "@holdfast/core/conversation/values";
import type { Advancing } from "@holdfast/core/text";
import { countOf, objectOf, textOf } from "../lines/fields.js";
import type { EntryNode, EntryScope, ForeignEntry } from "../tree/foreign-entry.js";
import type { ForeignSession } from "../tree/foreign-session.js";
import { noteForPerson } from "./blocks.js";
import {
  answerPart,
  isChatterPart,
  type OpencodeAnswer,
  reasoningIdOf,
  resultOf,
  userParts,
  withThought,
} from "./opencode-parts.js";
import { createdOf, OpencodeRecords, type SourceRecord } from "./opencode-records.js";
import { titleFrom } from "./pi.js";

/**
 * Reads a session of opencode with those of its subagents: records of sessions, messages and parts, in any
 * order, each with the ids of what it belongs to; or an export, in which the parts stand in their messages. The
 * first session is the one that is read; the others are tasks below the calls that made them.
 */
export function* readOpencode({ lines, problems }: SourceLines, now: number): Advancing<ForeignSession> {
  const records = new OpencodeRecords();
  for (const [at, source] of lines.entries()) {
    records.take(source);
    if (at % stepLines === stepLines - 1) yield { done: at + 1, of: lines.length };
  }
  const [main, ...others] = records.sessions();
  const reader = new OpencodeReader(records, main, createdOf(main?.value) ?? now);
  if (main !== undefined) yield* reader.read(main);
  for (const session of others) yield* reader.read(session);
  return {
    format: "opencode",
    title: (main && textOf(main.value, "title")) ?? reader.firstWords,
    startedMs: createdOf(main?.value) ?? now,
    cwd: main && textOf(main.value, "directory"),
    sourceSessionId: main && textOf(main.value, "id"),
    entries: reader.entries,
    leafLine: reader.leafLine,
    folded: records.folded.all(),
    problems: [...problems, ...records.problems],
  };
}

/** Read in some milliseconds. */
const stepLines = 128;

class OpencodeReader {
  readonly entries: ForeignEntry[] = [];
  firstWords: string | undefined;
  /** Of the entry at which the main session stood. */
  leafLine: number | undefined;
  private lastOfMain: ForeignEntry | undefined;

  constructor(
    private readonly records: OpencodeRecords,
    private readonly main: SourceRecord | undefined,
    private timestamp: number,
  ) {}

  *read(session: SourceRecord): Advancing<void> {
    const isMain = session === this.main;
    let last = isMain ? undefined : this.begin(session);
    const revert = textOf(objectOf(session.value, "revert") ?? {}, "messageID");
    const messages = this.records.messagesOf(session.id);
    for (const [at, message] of messages.entries()) {
      if (isMain && message.id === revert) this.leafLine ??= last?.line;
      for (const entry of this.entriesOf(message)) last = this.put(entry, last);
      if (at % stepMessages === stepMessages - 1) yield { done: at + 1, of: messages.length };
    }
    if (!isMain) return;
    this.leafLine ??= last?.line;
    this.lastOfMain = last;
  }

  /** A session of a subagent is a task below the call that made it. */
  private begin({ id, line, value }: SourceRecord): ForeignEntry {
    const parentSourceId = this.records.callOfChild.get(id) ?? this.lastOfMain?.sourceId ?? null;
    const name = textOf(value, "title") ?? "subagent";
    const boundary = { kind: "task_boundary", name, transformation: { kind: "clear" } } as const;
    const timestamp = createdOf(value) ?? this.timestamp;
    const nodes = [{ payload: boundary }];
    const entry = { sourceId: id, parentSourceId, line, timestamp, nodes, aside: true } as const;
    this.entries.push(entry);
    return entry;
  }

  private put(entry: UnplacedEntry, last: ForeignEntry | undefined): ForeignEntry {
    const placed = { ...entry, parentSourceId: last?.sourceId ?? null, timestamp: this.timestamp };
    this.entries.push(placed);
    return placed;
  }

  private entriesOf(message: SourceRecord): readonly UnplacedEntry[] {
    const { id, line, value } = message;
    this.timestamp = createdOf(value) ?? this.timestamp;
    const parts = this.records.partsOf(id);
    for (const part of parts)
      if (isChatterPart(part.value)) this.records.folded.add(textOf(part.value, "type") ?? "");
    if (value.role !== "assistant") {
      const nodes = userParts(parts.map((part) => part.value));
      this.firstWords ??= nodes.map(({ payload }) => wordsOf(payload)).find((words) => words !== undefined);
      return nodes.length === 0 ? [] : [{ sourceId: id, line, nodes }];
    }
    const pieces = value.summary === true ? this.summaryOf(message, parts) : answerPieces(message, parts);
    const error = objectOf(value, "error");
    const told =
      error === undefined
        ? []
        : [{ sourceId: `${id} error`, line, nodes: [noteForPerson(errorText(error))] }];
    return withUsage([...pieces, ...told], objectOf(value, "tokens"));
  }

  private summaryOf(
    { id, line, value }: SourceRecord,
    parts: readonly SourceRecord[],
  ): readonly UnplacedEntry[] {
    const said = parts.filter((part) => part.value.type === "text");
    const text = said.map((part) => textOf(part.value, "text") ?? "").join("\n");
    const asked = this.records.partsOf(textOf(value, "parentID") ?? "");
    const tail = asked.map((part) => textOf(part.value, "tail_start_id")).find((one) => one !== undefined);
    const payload = (scope: EntryScope) => {
      const firstId = tail === undefined ? undefined : scope.nodesOf(tail)?.firstId;
      const keepFromId = firstId !== undefined && scope.isAbove(firstId) ? firstId : null;
      return { kind: "summary", of: "compaction", text, keepFromId } as const;
    };
    return [{ sourceId: id, line, nodes: [{ payload }] }];
  }
}

/** An entry before it has its place. */
type UnplacedEntry = Pick<ForeignEntry, "sourceId" | "line" | "nodes">;

/** The parts of an answer, step by step: of each step its calls, then their results. */
function answerPieces({ id, value }: SourceRecord, parts: readonly SourceRecord[]): readonly UnplacedEntry[] {
  const from = {
    provider: textOf(value, "providerID") ?? "unknown",
    model: textOf(value, "modelID") ?? "unknown",
  };
  const pieces: UnplacedEntry[] = [];
  let results: UnplacedEntry[] = [];
  let steps = 0;
  for (const part of joinedThoughts(parts)) {
    if (part.value.type === "step-start") {
      for (const result of results) pieces.push(result);
      results = [];
      steps += 1;
    }
    if (isChatterPart(part.value)) continue;
    const answer: OpencodeAnswer = { from, step: steps < 2 ? id : `${id} ${steps}` };
    pieces.push({ sourceId: part.id, line: part.line, nodes: answerPart(part.value, answer) });
    const nodes = part.value.type === "tool" ? resultOf(part.value) : [];
    if (nodes.length > 0) results.push({ sourceId: `${part.id} result`, line: part.line, nodes });
  }
  return [...pieces, ...results];
}

/** Several summaries of one reasoning item of OpenAI are parts of their own there. */
function joinedThoughts(parts: readonly SourceRecord[]): readonly SourceRecord[] {
  const joined: SourceRecord[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const item = reasoningIdOf(part.value);
    if (last === undefined || item === undefined || reasoningIdOf(last.value) !== item) joined.push(part);
    else joined.splice(-1, 1, { ...last, value: withThought(last.value, part.value) });
  }
  return joined;
}

function errorText(error: JsonObject): string {
  const message = textOf(objectOf(error, "data") ?? error, "message");
  return [textOf(error, "name") ?? "Error", ...(message === undefined ? [] : [message])].join(": ");
}

function wordsOf(payload: EntryNode["payload"]): string | undefined {
  return typeof payload === "object" && payload.kind === "user_message" ? titleFrom(payload.text) : undefined;
}

function withUsage(
  pieces: readonly UnplacedEntry[],
  tokens: JsonObject | undefined,
): readonly UnplacedEntry[] {
  const [piece, ...others] = pieces;
  const [node, ...nodes] = piece?.nodes ?? [];
  // An answer that broke off was never counted.
  if (piece === undefined || node === undefined || tokens === undefined || isNothing(tokens)) return pieces;
  const metadata = { ...node.metadata, usage: usageOf(tokens) };
  return [{ ...piece, nodes: [{ ...node, metadata }, ...nodes] }, ...others];
}

function usageOf(tokens: JsonObject): TurnUsage {
  const cache = objectOf(tokens, "cache");
  const [cached, written, thoughts] = [
    countOf(cache, "read"),
    countOf(cache, "write"),
    countOf(tokens, "reasoning"),
  ];
  return {
    inputTokens: countOf(tokens, "input") + cached + written,
    cachedInputTokens: cached,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
    outputTokens: countOf(tokens, "output") + thoughts,
    ...(thoughts === 0 ? {} : { thoughtTokens: thoughts }),
  };
}

function isNothing(tokens: JsonObject): boolean {
  const { inputTokens = 0, outputTokens = 0 } = usageOf(tokens);
  return inputTokens + outputTokens === 0;
}

/** Messages in some milliseconds. */
const stepMessages = 64;
