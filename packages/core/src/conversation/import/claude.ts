import { defined } from "../../text/index.js";
import type { JsonObject } from "../json.js";
import type { TurnUsage } from "../node.js";
import type { ForeignSession } from "./assemble.js";
import {
  argsOf,
  blocksOf,
  noteForModel,
  noteForPerson,
  resultNodes,
  textAndRest,
  unknown,
  userNodes,
} from "./blocks.js";
import { behindTheirCalls } from "./claude-batches.js";
import type { EntryNode, ForeignEntry } from "./foreign-entry.js";
import { countOf, objectOf, type SourceLine, type SourceLines, textOf, timeOf } from "./lines.js";
import { mergeThoughts, titleFrom } from "./pi.js";

/** Whether a line is one of a transcript of Claude Code. */
export function isClaude(lines: readonly SourceLine[]): boolean {
  return lines.some(
    ({ value }) => typeof value.uuid === "string" && (value.type === "user" || value.type === "assistant"),
  );
}

/**
 * Reads a transcript of Claude Code: one line for each block of an answer, `uuid` and `parentUuid`. The
 * turns of a subagent (`isSidechain`) become a task of their own; lines outside the tree are
 * kept in a row below the root.
 */
export function readClaude({ lines, problems }: SourceLines, now: number): ForeignSession {
  const reader = new ClaudeReader(lines);
  const first = lines.find(({ value }) => value.timestamp !== undefined);
  const startedMs = first === undefined ? now : timeOf(first.value, now);
  const entries = behindTheirCalls(reader.read(startedMs));
  return {
    format: "claude",
    title: titleOf(lines),
    cwd: lines.map(({ value }) => textOf(value, "cwd")).find((cwd) => cwd !== undefined),
    startedMs,
    entries,
    leafLine: reader.leaf?.line,
    problems,
  };
}

/** A title that was given, else what summed it up last, else the beginning of the first prompt. */
function titleOf(lines: readonly SourceLine[]): string | undefined {
  const lastOf = (key: string) =>
    lines.map(({ value }) => textOf(value, key)).findLast((title) => title !== undefined);
  const given = lastOf("customTitle") ?? lastOf("aiTitle") ?? lastOf("summary");
  if (given !== undefined) return given;
  const prompt = lines.find(({ value }) => value.type === "user" && value.isMeta !== true);
  return titleFrom(textAndRest(blocksOf((prompt && objectOf(prompt.value, "message"))?.content)).text);
}

class ClaudeReader {
  /** The entry of the main conversation that was written last. */
  leaf: { readonly sourceId: string; readonly line: number } | undefined;
  private readonly callNames = new Map<string, string>();
  private readonly usage = new Map<string, TurnUsage>();
  private readonly sidechain = new Set<string>();
  private lastAside: string | null = null;

  constructor(private readonly lines: readonly SourceLine[]) {
    for (const { value } of lines) this.lookAhead(value);
  }

  read(startedMs: number): readonly ForeignEntry[] {
    const entries: ForeignEntry[] = [];
    for (const source of this.lines) {
      const entry = this.entryOf(source, timeOf(source.value, entries.at(-1)?.timestamp ?? startedMs));
      entries.push(entry);
    }
    return entries;
  }

  /** Collects what a line says about others: names of calls, the last count of an answer, subagents. */
  private lookAhead(value: JsonObject): void {
    const { type, isSidechain } = value;
    const uuid = textOf(value, "uuid");
    if (isSidechain === true && uuid !== undefined) this.sidechain.add(uuid);
    const message = objectOf(value, "message");
    if (type !== "assistant" || message === undefined) return;
    for (const block of blocksOf(message.content)) {
      const [id, name] = [textOf(block, "id"), textOf(block, "name")];
      if (block.type === "tool_use" && id !== undefined && name !== undefined) this.callNames.set(id, name);
    }
    const [step, usage] = [textOf(message, "id"), objectOf(message, "usage")];
    if (step !== undefined && usage !== undefined) this.usage.set(step, usageOf(usage));
  }

  private entryOf({ line, value }: SourceLine, timestamp: number): ForeignEntry {
    const uuid = textOf(value, "uuid");
    if (uuid === undefined) return this.aside(line, value, timestamp);
    const parent = textOf(value, "parentUuid") ?? textOf(value, "logicalParentUuid") ?? null;
    const nodes = this.nodesFor(value);
    const isSide = value.isSidechain === true;
    if (!isSide && nodes.length > 0) this.leaf = { sourceId: uuid, line };
    const base = { sourceId: uuid, line, timestamp };
    if (!isSide || (parent !== null && this.sidechain.has(parent)))
      return { ...base, parentSourceId: parent, nodes };
    const agent = textOf(value, "agentId");
    const name = agent === undefined ? "subagent" : `subagent ${agent}`;
    const boundary: EntryNode = {
      payload: { kind: "task_boundary", name, transformation: { kind: "clear" } },
    };
    return {
      ...base,
      parentSourceId: parent ?? this.leaf?.sourceId ?? null,
      nodes: [boundary, ...nodes],
      aside: true,
    };
  }

  /** A line outside the tree. */
  private aside(line: number, value: JsonObject, timestamp: number): ForeignEntry {
    const sourceId = `line ${line}`;
    const parentSourceId = this.lastAside;
    this.lastAside = sourceId;
    const summary = value.type === "summary" ? textOf(value, "summary") : undefined;
    const node = summary === undefined ? unknown("claude", value) : noteForPerson(`Summary: ${summary}`);
    return { sourceId, parentSourceId, line, timestamp, nodes: [node] };
  }

  private nodesFor(value: JsonObject): readonly EntryNode[] {
    const message = objectOf(value, "message");
    switch (value.type) {
      case "user":
        return message === undefined ? [unknown("claude", value)] : this.userNodes(value, message);
      case "assistant":
        return message === undefined ? [unknown("claude", value)] : this.answerPieces(message);
      case "system":
        return [noteForPerson(textOf(value, "content") ?? textOf(value, "subtype") ?? JSON.stringify(value))];
      default:
        return [unknown("claude", value)];
    }
  }

  private userNodes(value: JsonObject, message: JsonObject): readonly EntryNode[] {
    const blocks = blocksOf(message.content);
    const { text } = textAndRest(blocks);
    if (value.isCompactSummary === true)
      return [{ payload: { kind: "summary", of: "compaction", text, keepFromId: null } }];
    const results = blocks.filter(({ type }) => type === "tool_result");
    const rest = blocks.filter(({ type }) => type !== "tool_result");
    const answered = results.flatMap((block) => this.resultOf(block, value));
    if (rest.length === 0 && results.length > 0) return answered;
    if (value.isVisibleInTranscriptOnly === true) return [...answered, noteForPerson(text)];
    if (value.isMeta === true) return [...answered, noteForModel(text)];
    return [...answered, ...userNodes(rest, "claude")];
  }

  private resultOf(block: JsonObject, { toolUseResult }: JsonObject): readonly EntryNode[] {
    const callId = textOf(block, "tool_use_id") ?? "";
    const name = this.callNames.get(callId) ?? "unknown";
    const isError = block.is_error === true;
    return resultNodes({ callId, name, isError }, blocksOf(block.content), "claude", toolUseResult);
  }

  private answerPieces(message: JsonObject): readonly EntryNode[] {
    const blocks = blocksOf(message.content);
    const model = textOf(message, "model") ?? "unknown";
    if (model === "<synthetic>") return [noteForPerson(textAndRest(blocks).text)];
    const step = textOf(message, "id");
    const origin = { from: { provider: "anthropic", model }, ...defined({ step }) };
    const nodes = mergeThoughts(blocks.map((block) => answerNode(block, origin)));
    const usage = step === undefined ? usageOf(objectOf(message, "usage") ?? {}) : this.usage.get(step);
    if (step !== undefined) this.usage.delete(step);
    const [first, ...others] = nodes;
    if (first === undefined || usage === undefined) return nodes;
    return [{ ...first, metadata: { usage } }, ...others];
  }
}

function answerNode(
  block: JsonObject,
  origin: { readonly from: { readonly provider: string; readonly model: string }; readonly step?: string },
): EntryNode {
  switch (block.type) {
    case "text":
      return { payload: { kind: "model_message", text: textOf(block, "text") ?? "", ...origin } };
    case "thinking": {
      const signature = textOf(block, "signature");
      const thought = textOf(block, "thinking") ?? "";
      const sign = defined({ signature });
      return { payload: { kind: "model_message", text: "", thought, ...sign, ...origin } };
    }
    case "redacted_thinking":
      return {
        payload: {
          kind: "model_message",
          text: "",
          redactedThought: textOf(block, "data") ?? "",
          ...origin,
        },
      };
    case "tool_use": {
      const call = { callId: textOf(block, "id") ?? "", name: textOf(block, "name") ?? "unknown" };
      return { payload: { kind: "tool_call", ...call, args: argsOf(block.input), ...origin } };
    }
    default:
      return unknown("claude", block);
  }
}

function usageOf(usage: JsonObject): TurnUsage {
  const cached = countOf(usage, "cache_read_input_tokens");
  return {
    inputTokens: countOf(usage, "input_tokens") + cached + countOf(usage, "cache_creation_input_tokens"),
    cachedInputTokens: cached,
    outputTokens: countOf(usage, "output_tokens"),
  };
}
