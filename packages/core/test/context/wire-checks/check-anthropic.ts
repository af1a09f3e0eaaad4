import type { AnthropicBlock, AnthropicMessage } from "../../../src/context/providers/anthropic.js";
import {
  checkPairs,
  checkTurns,
  isBlank,
  type WireCheckOptions,
  type WireViolation,
  when,
} from "./wire-check.js";

/** What the Messages API would refuse of these messages, as far as it can be known beforehand. */
export function checkAnthropic(
  { messages }: { readonly messages: readonly AnthropicMessage[] },
  options: WireCheckOptions = {},
): readonly WireViolation[] {
  const calls = messages.flatMap(({ content }) => callsOf(content));
  const twice = repeated(calls);
  const last = messages.at(-1);
  return [
    ...checkTurns(
      messages.map(({ role }) => role),
      options,
    ),
    ...messages.flatMap((message, at) => checkMessage(message, messages[at - 1], at)),
    ...when(twice.length > 0, "ids-unique", [], `ids used twice: ${twice}`),
    ...when(
      options.request === true && last !== undefined && callsOf(last.content).length > 0,
      "calls-answered-next",
      [messages.length - 1],
      "calls stand open",
    ),
  ];
}

function checkMessage(
  { role, content }: AnthropicMessage,
  before: AnthropicMessage | undefined,
  at: number,
): readonly WireViolation[] {
  const results = content.filter(({ type }) => type === "tool_result");
  const lastResult = content.findLastIndex(({ type }) => type === "tool_result");
  const answered = results.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
  const asked = before === undefined ? [] : callsOf(before.content);
  const ending = content.at(-1)?.type;
  return [
    ...when(content.length === 0, "no-empty-content", [at], "a message has no blocks"),
    ...content.flatMap((block, index) => checkBlock(block, role, content[index - 1], [at, index])),
    ...(role === "user" ? checkPairs(asked, answered, [at]) : []),
    ...when(lastResult + 1 > results.length, "results-first", [at], "something stands before a result"),
    ...when(
      ending === "thinking" || ending === "redacted_thinking",
      "thinking-not-last",
      [at],
      "a message ends with a thought",
    ),
  ];
}

function checkBlock(
  block: AnthropicBlock,
  role: AnthropicMessage["role"],
  before: AnthropicBlock | undefined,
  at: readonly number[],
): readonly WireViolation[] {
  const ofModel =
    block.type === "tool_use" || block.type === "thinking" || block.type === "redacted_thinking";
  const side = block.type === "text" ? role : ofModel ? "assistant" : "user";
  return [
    ...when(side !== role, "blocks-on-their-side", at, `${block.type} in a message of the ${role}`),
    ...ownRules(block, before, at),
  ];
}

function ownRules(
  block: AnthropicBlock,
  before: AnthropicBlock | undefined,
  at: readonly number[],
): readonly WireViolation[] {
  switch (block.type) {
    case "text":
      return [
        ...when(isBlank(block.text), "no-empty-text", at, "a text is blank"),
        ...when(!block.text.isWellFormed(), "well-formed", at, "a text holds half a surrogate pair"),
      ];
    case "thinking":
      return [
        ...when(block.signature === "", "thinking-signed", at, "a thought has no signature"),
        ...when(before?.type === "thinking", "thinking-not-adjacent", at, "two thoughts meet"),
      ];
    case "redacted_thinking":
      return when(block.data === "", "no-empty-text", at, "a redacted thought is empty");
    case "tool_use":
      return [
        ...when(!wireId.test(block.id), "id-letters", at, block.id),
        ...when(!wireId.test(block.name), "tool-name", at, block.name),
      ];
    case "tool_result":
      return [
        ...when(!wireId.test(block.tool_use_id), "id-letters", at, block.tool_use_id),
        ...when(
          block.is_error === true && typeof block.content !== "object" && isBlank(block.content ?? ""),
          "error-says-something",
          at,
          "an error result is empty",
        ),
        ...(typeof block.content === "object"
          ? block.content.flatMap((inner, index) => ownRules(inner, undefined, [...at, index]))
          : []),
      ];
    case "image":
      return when(!images.has(block.source.media_type), "image-type", at, block.source.media_type);
    case "document":
      return when(
        block.source.media_type !== "application/pdf",
        "document-type",
        at,
        block.source.media_type,
      );
    default:
      return block satisfies never;
  }
}

const wireId = /^[a-zA-Z0-9_-]{1,64}$/;

const images: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

function repeated(ids: readonly string[]): readonly string[] {
  const known = new Set<string>();
  return ids.filter((id) => known.size === known.add(id).size);
}

function callsOf(content: readonly AnthropicBlock[]): readonly string[] {
  return content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}
