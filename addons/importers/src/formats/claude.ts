import type { BesideFile } from "@holdfast/core/conversation/import";
import { readLines, type SourceLine, type SourceLines } from "@holdfast/core/conversation/import";
import type { JsonObject } from "@holdfast/core/conversation/values";
import { type Advancing, defined } from "@holdfast/core/text";
import { objectOf, textOf, timeOf } from "../lines/fields.js";
import type { ForeignEntry } from "../tree/foreign-entry.js";
import type { ForeignSession } from "../tree/foreign-session.js";
import { blocksOf, splitTexts } from "./blocks.js";
import type { ClaudeShaped } from "./claude-shaped.js";
import { type AgentStart, ClaudeWeaver, noUuid } from "./claude-weaver.js";
import { incompleteLines } from "./incomplete.js";
import { titleFrom } from "./pi.js";

/**
 * Reads a transcript of Claude Code: one line for each block of an answer, `uuid` and `parentUuid`. The turns of a
 * subagent (`isSidechain`, or a file of its own) become a task below the call that began it; in a file that holds
 * nothing else they are the session.
 *
 * @param beside the files of subagents (`agent-*.jsonl`), and what is known of them (`agent-*.meta.json`).
 * @param format whose lines were written in the shape of a transcript.
 */
export function* readClaude(
  source: SourceLines,
  now: number,
  beside: readonly BesideFile[] = [],
  format: "claude" | ClaudeShaped = "claude",
): Advancing<ForeignSession> {
  const files: AgentFile[] = [];
  const described = new Map<string, JsonObject>();
  const problems = [...source.problems];
  for (const { name, text } of beside) {
    const agent = agentIn(name);
    const isMeta = name.endsWith(".meta.json");
    // One object, on as many lines as it likes; no text in it holds a line end.
    const read = yield* readLines(isMeta ? text.replaceAll(/[\r\n]/g, " ") : text, { file: name });
    for (const problem of read.problems) problems.push(problem);
    if (!isMeta) for (const problem of incompleteLines("claude", read.lines, name)) problems.push(problem);
    if (!isMeta) files.push({ name, agent, lines: read.lines });
    else for (const { value } of read.lines) described.set(agent, value);
  }
  const own = withoutProgress(source.lines, new Set(files.map(({ agent }) => agent)));
  const reader = new ClaudeReader(own, files, described, format);
  const entries = yield* reader.read(now);
  const { lines } = source;
  return {
    format,
    title: titleOf(lines),
    cwd: lines.map(({ value }) => textOf(value, "cwd")).find((cwd) => cwd !== undefined),
    sourceSessionId: lines.map(({ value }) => textOf(value, "sessionId")).find((id) => id !== undefined),
    startedMs: startOf(lines, now),
    entries,
    leafLine: reader.weaver.leafLine(),
    folded: reader.weaver.folded.all(),
    problems: [...problems, ...reader.weaver.problems],
  };
}

/**
 * Each turn of a subagent that stands in a line of progress follows that line as one of its own; releases around 2.1.10
 * kept them so. @param known subagents that have a file: their turns come from there.
 */
function withoutProgress(lines: readonly SourceLine[], known: ReadonlySet<string>): readonly SourceLine[] {
  return lines.flatMap((source) => {
    const data = source.value.type === "progress" ? objectOf(source.value, "data") : undefined;
    const [agentId, turn] = [data && textOf(data, "agentId"), data && objectOf(data, "message")];
    if (data?.type !== "agent_progress" || agentId === undefined || turn === undefined || known.has(agentId))
      return [source];
    return [source, { line: source.line, value: { ...turn, isSidechain: true, agentId } }];
  });
}

/** The file of one subagent. */
interface AgentFile {
  readonly name: string;
  readonly agent: string;
  readonly lines: readonly SourceLine[];
}

/** `agent-7.jsonl` and `agent-7.meta.json` are about subagent 7. */
function agentIn(name: string): string {
  return /(?:^|[/\\])agent-([^/\\]+?)(?:\.meta\.json|\.jsonl)$/.exec(name)?.[1] ?? name;
}

function isTurn(value: JsonObject): boolean {
  return (value.type === "user" || value.type === "assistant") && objectOf(value, "message") !== undefined;
}

function startOf(lines: readonly SourceLine[], now: number): number {
  const first = lines.find(({ value }) => value.timestamp !== undefined);
  return first === undefined ? now : timeOf(first.value, now);
}

/** A title that was given, else what summed it up last, else the beginning of the first prompt. */
function titleOf(lines: readonly SourceLine[]): string | undefined {
  const lastOf = (key: string) =>
    lines.map(({ value }) => textOf(value, key)).findLast((title) => title !== undefined);
  const given = lastOf("customTitle") ?? lastOf("aiTitle") ?? lastOf("summary");
  if (given !== undefined) return titleFrom(given);
  for (const { value } of lines) {
    const text = promptIn(value);
    if (text !== undefined && value.isMeta !== true && value.isCompactSummary !== true && !/^\s*</.test(text))
      return titleFrom(text);
  }
  return undefined;
}

/** What a line of the user says, if it says something. */
function promptIn(value: JsonObject): string | undefined {
  if (value.type !== "user") return undefined;
  const { text } = splitTexts(blocksOf(objectOf(value, "message")?.content));
  return text.trim() === "" ? undefined : text;
}

class ClaudeReader {
  readonly weaver: ClaudeWeaver;
  private readonly uuids = new Set<string>();
  private readonly agents = new Map<SourceLine, string>();
  private readonly agentOf = new Map<string, string>();
  private readonly calls = new Map<string, JsonObject>();
  private readonly callOfAgent = new Map<string, string>();
  private readonly callOfPrompt = new Map<string, string | undefined>();
  private readonly prompts = new Map<string, string>();
  private readonly hasOwn: boolean;

  constructor(
    private readonly lines: readonly SourceLine[],
    private readonly files: readonly AgentFile[],
    private readonly described: ReadonlyMap<string, JsonObject>,
    format: "claude" | ClaudeShaped,
  ) {
    this.hasOwn = lines.some(({ value }) => isTurn(value) && value.isSidechain !== true);
    this.weaver = new ClaudeWeaver(
      (uuid) => this.uuids.has(uuid),
      (agent) => this.startOf(agent),
      format,
    );
  }

  *read(now: number): Advancing<readonly ForeignEntry[]> {
    yield* this.lookAhead(this.lines, undefined);
    for (const { agent, lines } of this.files) yield* this.lookAhead(lines, agent);
    yield* this.weave(this.lines, startOf(this.lines, now));
    let waiting = this.files.toSorted((a, b) => startOf(a.lines, now) - startOf(b.lines, now));
    while (waiting.length > 0) {
      const ready = waiting.filter(({ agent }) => this.weaver.hasCall(this.startOf(agent).callId ?? ""));
      const next = ready.length > 0 ? ready : waiting;
      for (const file of next) yield* this.weave(file.lines, startOf(file.lines, now), file);
      waiting = waiting.filter((file) => !next.includes(file));
    }
    return yield* this.weaver.entries();
  }

  private *lookAhead(lines: readonly SourceLine[], file: string | undefined): Advancing<void> {
    let before: string | undefined;
    for (const [at, source] of lines.entries()) {
      if (at % stepLines === stepLines - 1) yield { done: 0, of: lines.length };
      const { value } = source;
      const uuid = textOf(value, "uuid");
      if (uuid !== undefined) this.uuids.add(uuid);
      const agent = file ?? this.agentIn(source, before);
      if (agent !== undefined) this.agents.set(source, agent);
      if (agent !== undefined && uuid !== undefined) this.agentOf.set(uuid, agent);
      before = agent;
      this.weaver.content.lookAhead(value);
      this.lookForCalls(value);
      const prompt = agent === undefined ? undefined : promptIn(value);
      if (agent !== undefined && prompt !== undefined && !this.prompts.has(agent))
        this.prompts.set(agent, prompt);
    }
  }

  /** The subagent whose line it is, where the file holds the session's own lines as well. */
  private agentIn({ line, value }: SourceLine, before: string | undefined): string | undefined {
    if (!this.hasOwn || value.isSidechain !== true) return undefined;
    const named = textOf(value, "agentId");
    if (named !== undefined) return named;
    const parent = textOf(value, "parentUuid");
    if (parent !== undefined) return this.agentOf.get(parent) ?? `at line ${line}`;
    return value.parentUuid === undefined && before !== undefined ? before : `at line ${line}`;
  }

  /** Which call began which subagent. */
  private lookForCalls(value: JsonObject): void {
    const blocks = blocksOf(objectOf(value, "message")?.content);
    for (const block of value.type === "assistant" ? blocks : []) {
      const [id, input] = [textOf(block, "id"), objectOf(block, "input")];
      if (block.type !== "tool_use" || id === undefined || input === undefined) continue;
      this.calls.set(id, input);
      const prompt = textOf(input, "prompt");
      // Of a prompt that was given twice it is not known whose it was.
      if (prompt !== undefined) this.callOfPrompt.set(prompt, this.callOfPrompt.has(prompt) ? undefined : id);
    }
    const agent = textOf(objectOf(value, "toolUseResult") ?? {}, "agentId");
    const result = blocks.find(({ type }) => type === "tool_result");
    const callId = result && textOf(result, "tool_use_id");
    if (agent !== undefined && callId !== undefined) this.callOfAgent.set(agent, callId);
    const data = value.type === "progress" ? objectOf(value, "data") : undefined;
    const [running, call] = [data && textOf(data, "agentId"), textOf(value, "parentToolUseID")];
    if (running !== undefined && call !== undefined && !this.callOfAgent.has(running))
      this.callOfAgent.set(running, call);
  }

  private startOf(agent: string): AgentStart {
    const meta = this.described.get(agent);
    const prompt = this.prompts.get(agent);
    const callId =
      this.callOfAgent.get(agent) ??
      (meta && textOf(meta, "toolUseId")) ??
      // Copilot names a subagent by its call.
      (this.calls.has(agent) ? agent : undefined) ??
      (prompt === undefined ? undefined : this.callOfPrompt.get(prompt));
    const input = callId === undefined ? undefined : this.calls.get(callId);
    const what = (input && textOf(input, "description")) ?? (meta && textOf(meta, "description"));
    const name = agent.startsWith("at line ") ? "subagent" : `subagent ${agent}`;
    return { name: what === undefined ? name : `${name}: ${what}`, callId };
  }

  private *weave(lines: readonly SourceLine[], startedMs: number, file?: AgentFile): Advancing<void> {
    let timestamp = startedMs;
    for (const [at, source] of lines.entries()) {
      if (at % stepLines === stepLines - 1) yield { done: at, of: lines.length };
      const { line, value } = source;
      timestamp = timeOf(value, timestamp);
      const uuid = textOf(value, "uuid") ?? `${noUuid}${line}${file === undefined ? "" : ` of ${file.name}`}`;
      const parent = value.parentUuid === null ? null : textOf(value, "parentUuid");
      const agent = this.agents.get(source);
      this.weaver.add({ line, value, uuid, parent, timestamp, ...defined({ agent, file: file?.name }) });
    }
  }
}

/** Read in some milliseconds. */
const stepLines = 256;
