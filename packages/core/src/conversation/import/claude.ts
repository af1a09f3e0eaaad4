import { defined } from "../../text/index.js";
import type { JsonObject } from "../json.js";
import type { TurnUsage } from "../node.js";
import type { ForeignSession } from "./assemble.js";
import {
  argsOf,
  blocksOf,
  noteForModel,
  noteForPerson,
  resultPieces,
  textAndRest,
  unknown,
  userPieces,
} from "./blocks.js";
import { behindTheirCalls } from "./claude-batches.js";
import type { Draft, Piece } from "./draft.js";
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
 * turns of a subagent (`isSidechain`) become a task of their own; lines without a place in the tree are
 * kept in a row below the root.
 */
export function readClaude({ lines, problems }: SourceLines, now: number): ForeignSession {
  const reader = new ClaudeReader(lines);
  const first = lines.find(({ value }) => value.timestamp !== undefined);
  const startedMs = first === undefined ? now : timeOf(first.value, now);
  const drafts = behindTheirCalls(reader.read(startedMs));
  return {
    format: "claude",
    title: titleOf(lines),
    cwd: lines.map(({ value }) => textOf(value, "cwd")).find((cwd) => cwd !== undefined),
    startedMs,
    drafts,
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

  read(startedMs: number): readonly Draft[] {
    const drafts: Draft[] = [];
    for (const source of this.lines) {
      const draft = this.draftOf(source, timeOf(source.value, drafts.at(-1)?.timestamp ?? startedMs));
      drafts.push(draft);
    }
    return drafts;
  }

  /** What a line tells of others: the names of calls, the last count of an answer, who is a subagent's. */
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

  private draftOf({ line, value }: SourceLine, timestamp: number): Draft {
    const uuid = textOf(value, "uuid");
    if (uuid === undefined) return this.aside(line, value, timestamp);
    const parent = textOf(value, "parentUuid") ?? textOf(value, "logicalParentUuid") ?? null;
    const pieces = this.piecesOf(value);
    const isSide = value.isSidechain === true;
    if (!isSide && pieces.length > 0) this.leaf = { sourceId: uuid, line };
    const base = { sourceId: uuid, line, timestamp };
    if (!isSide || (parent !== null && this.sidechain.has(parent)))
      return { ...base, parentSourceId: parent, pieces };
    const agent = textOf(value, "agentId");
    const name = agent === undefined ? "subagent" : `subagent ${agent}`;
    const boundary: Piece = {
      payload: { kind: "task_boundary", name, transformation: { kind: "clear" } },
    };
    return {
      ...base,
      parentSourceId: parent ?? this.leaf?.sourceId ?? null,
      pieces: [boundary, ...pieces],
      aside: true,
    };
  }

  /** A line that has no place in the tree. */
  private aside(line: number, value: JsonObject, timestamp: number): Draft {
    const sourceId = `line ${line}`;
    const parentSourceId = this.lastAside;
    this.lastAside = sourceId;
    const summary = value.type === "summary" ? textOf(value, "summary") : undefined;
    const piece = summary === undefined ? unknown("claude", value) : noteForPerson(`Summary: ${summary}`);
    return { sourceId, parentSourceId, line, timestamp, pieces: [piece] };
  }

  private piecesOf(value: JsonObject): readonly Piece[] {
    const message = objectOf(value, "message");
    switch (value.type) {
      case "user":
        return message === undefined ? [unknown("claude", value)] : this.userPieces(value, message);
      case "assistant":
        return message === undefined ? [unknown("claude", value)] : this.answerPieces(message);
      case "system":
        return [noteForPerson(textOf(value, "content") ?? textOf(value, "subtype") ?? JSON.stringify(value))];
      default:
        return [unknown("claude", value)];
    }
  }

  private userPieces(value: JsonObject, message: JsonObject): readonly Piece[] {
    const blocks = blocksOf(message.content);
    const { text } = textAndRest(blocks);
    if (value.isCompactSummary === true)
      return [{ payload: { kind: "summary", of: "compaction", text, keepFromId: null } }];
    const results = blocks.filter(({ type }) => type === "tool_result");
    const said = blocks.filter(({ type }) => type !== "tool_result");
    const answered = results.flatMap((block) => this.resultOf(block, value));
    if (said.length === 0 && results.length > 0) return answered;
    if (value.isVisibleInTranscriptOnly === true) return [...answered, noteForPerson(text)];
    if (value.isMeta === true) return [...answered, noteForModel(text)];
    return [...answered, ...userPieces(said, "claude")];
  }

  private resultOf(block: JsonObject, { toolUseResult }: JsonObject): readonly Piece[] {
    const callId = textOf(block, "tool_use_id") ?? "";
    const name = this.callNames.get(callId) ?? "unknown";
    const isError = block.is_error === true;
    return resultPieces({ callId, name, isError }, blocksOf(block.content), "claude", toolUseResult);
  }

  private answerPieces(message: JsonObject): readonly Piece[] {
    const blocks = blocksOf(message.content);
    const model = textOf(message, "model") ?? "unknown";
    if (model === "<synthetic>") return [noteForPerson(textAndRest(blocks).text)];
    const step = textOf(message, "id");
    const origin = { from: { provider: "anthropic", model }, ...defined({ step }) };
    const pieces = mergeThoughts(blocks.map((block) => answerPiece(block, origin)));
    const usage = step === undefined ? usageOf(objectOf(message, "usage") ?? {}) : this.usage.get(step);
    if (step !== undefined) this.usage.delete(step);
    const [first, ...others] = pieces;
    if (first === undefined || usage === undefined) return pieces;
    return [{ ...first, metadata: { usage } }, ...others];
  }
}

function answerPiece(
  block: JsonObject,
  origin: { readonly from: { readonly provider: string; readonly model: string }; readonly step?: string },
): Piece {
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
