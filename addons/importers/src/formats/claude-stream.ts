import type { SourceLine, SourceLines } from "@holdfast/core/conversation/import";
import type { JsonObject } from "@holdfast/core/conversation/values";
import { type Advancing, defined } from "@holdfast/core/text";
import { objectOf, textOf, timeOf } from "../lines/fields.js";
import type { ForeignSession } from "../tree/foreign-session.js";
import { blocksOf, splitTexts } from "./blocks.js";
import { ClaudeWeaver, noUuid } from "./claude-weaver.js";
import { titleFrom } from "./pi.js";

/**
 * Reads a stream of the Claude Agent SDK, one message a line. What has a `parent_tool_use_id` was said by the
 * subagent which that call began, and becomes a task below it. Parts of messages (`stream_event`) are counted, since
 * what they build up comes as a message of its own; of a stream that was cut they are all there is of the last one.
 */
export function* readClaudeStream({ lines, problems }: SourceLines, now: number): Advancing<ForeignSession> {
  const facts = new StreamFacts();
  const weaver = new ClaudeWeaver(
    () => false,
    (callId) => facts.startOf(callId),
  );
  const first = lines.find(({ value }) => value.timestamp !== undefined);
  const startedMs = first === undefined ? now : timeOf(first.value, now);
  for (const [at, { value }] of lines.entries()) {
    if (at % stepLines === stepLines - 1) yield { done: at, of: lines.length };
    weaver.content.lookAhead(value);
    facts.add(value);
  }
  let timestamp = startedMs;
  const add = ({ line, value }: SourceLine) => {
    timestamp = timeOf(value, timestamp);
    const uuid = textOf(value, "uuid") ?? `${noUuid}${line}`;
    const agent = textOf(value, "parent_tool_use_id");
    weaver.add({ line, value, uuid, parent: undefined, timestamp, ...defined({ agent }) });
  };
  for (const [at, { line, value }] of lines.entries()) {
    if (at % stepLines === stepLines - 1) yield { done: at, of: lines.length };
    add({ line, value: facts.endOf(value) ?? value });
  }
  for (const value of facts.unfinished()) add({ line: lines.at(-1)?.line ?? 1, value });
  return {
    format: "claude-sdk",
    title: facts.title,
    cwd: facts.cwd,
    sourceSessionId: idOf(lines),
    startedMs,
    entries: yield* weaver.entries(),
    leafLine: weaver.leafLine(),
    folded: weaver.folded.all(),
    problems: [...problems, ...weaver.problems],
  };
}

/** Each prompt to a session has a stream of its own, with the session's id: the first line tells them apart. */
function idOf(lines: readonly SourceLine[]): string | undefined {
  const first = lines.find(({ value }) => typeof value.session_id === "string")?.value;
  const names = first && [textOf(first, "session_id"), textOf(first, "uuid")];
  return names?.filter((name) => name !== undefined).join(" ");
}

/** What the lines of a stream say of one another. */
class StreamFacts {
  title: string | undefined;
  cwd: string | undefined;
  private readonly calls = new Map<string, JsonObject>();
  private readonly said = new Set<string>();
  private readonly uuids = new Set<string>();
  /** By the call of the subagent; the session's own under "". */
  private readonly begun = new Map<string, BegunMessage>();

  add(value: JsonObject): void {
    const uuid = textOf(value, "uuid");
    if (uuid !== undefined && this.uuids.has(uuid)) return;
    if (uuid !== undefined) this.uuids.add(uuid);
    if (value.subtype === "init") this.cwd ??= textOf(value, "cwd");
    const agent = textOf(value, "parent_tool_use_id") ?? "";
    const event = value.type === "stream_event" ? objectOf(value, "event") : undefined;
    if (event !== undefined) this.addPart(agent, value, event);
    const blocks = blocksOf(objectOf(value, "message")?.content);
    if (value.type === "user" && agent === "" && value.isSynthetic !== true)
      this.title ??= titleFrom(splitTexts(blocks).text);
    if (value.type !== "assistant") return;
    this.begun.get(agent)?.blocks.splice(0, blocks.length);
    for (const block of blocks) {
      const [id, input, text] = [textOf(block, "id"), objectOf(block, "input"), textOf(block, "text")];
      if (id !== undefined && input !== undefined) this.calls.set(id, input);
      if (text !== undefined) this.said.add(text);
    }
  }

  startOf(callId: string): { readonly name: string; readonly callId: string } {
    const input = this.calls.get(callId);
    const what = input && textOf(input, "description");
    return { name: what === undefined ? "subagent" : `subagent: ${what}`, callId };
  }

  /** The end of a turn, as a message, where it says something that no answer said: an error, say. */
  endOf(value: JsonObject): JsonObject | undefined {
    if (value.type !== "result") return undefined;
    const errors = Array.isArray(value.errors) ? value.errors.filter((one) => typeof one === "string") : [];
    const text = textOf(value, "result") ?? errors.join("\n");
    if (text === "" || this.said.has(text)) return undefined;
    return { ...value, type: "assistant", message: { model: "<synthetic>", content: text } };
  }

  /** Texts that were begun and never came whole, because the stream was cut. */
  unfinished(): readonly JsonObject[] {
    return [...this.begun].flatMap(([agent, { message, blocks }]) => {
      const content = blocks.flatMap((parts): readonly JsonObject[] => {
        const text = parts.join("");
        return text === "" ? [] : [{ type: "text", text }];
      });
      if (content.length === 0) return [];
      const parent = agent === "" ? null : agent;
      return [{ type: "assistant", parent_tool_use_id: parent, message: { ...message, content } }];
    });
  }

  private addPart(agent: string, value: JsonObject, event: JsonObject): void {
    const begun = this.begun.get(agent);
    if (event.type === "message_start")
      this.begun.set(agent, { message: objectOf(event, "message") ?? value, blocks: [] });
    else if (event.type === "content_block_start") begun?.blocks.push([]);
    else if (event.type === "content_block_delta") {
      const text = textOf(objectOf(event, "delta") ?? {}, "text");
      if (text !== undefined) begun?.blocks.at(-1)?.push(text);
    }
  }
}

/** A message whose parts came, without those that came whole. */
interface BegunMessage {
  readonly message: JsonObject;
  /** Each the texts of one block. */
  readonly blocks: string[][];
}

/** Read in some milliseconds. */
const stepLines = 256;
