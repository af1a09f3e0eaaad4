import type { OpenAIInputPart, OpenAIItem } from "../../../src/context/providers/openai-responses.js";
import { isBlank, type WireCheckOptions, type WireViolation, when } from "./wire-check.js";

/** What the Responses API would refuse of this input, as far as it can be known beforehand. */
export function checkOpenAIResponses(
  { input }: { readonly input: readonly OpenAIItem[] },
  { request = false }: WireCheckOptions = {},
): readonly WireViolation[] {
  const [first, last] = [input[0], input.at(-1)];
  return [
    ...when(request && last === undefined, "not-empty", [], "there is nothing to send"),
    ...when(
      request && last !== undefined && !isOfUser(last),
      "ends-with-user",
      [input.length - 1],
      "the model spoke last",
    ),
    ...when(first !== undefined && !isOfUser(first), "starts-with-user", [0], "the user begins"),
    ...input.flatMap((item, at) => [...checkItem(item, at), ...checkReasoning(item, input[at + 1], at)]),
    ...checkResults(input, request),
  ];
}

function checkItem(item: OpenAIItem, at: number): readonly WireViolation[] {
  switch (item.type) {
    case "message":
      if (typeof item.content === "string")
        return when(isBlank(item.content), "no-empty-text", [at], "a text is blank");
      return [
        ...when(item.content.length === 0, "no-empty-content", [at], "a message has no parts"),
        ...(item.role === "user" ? checkParts(item.content, at) : []),
      ];
    case "function_call":
      return [
        ...when(!/^[a-zA-Z0-9_-]{1,64}$/.test(item.name), "function-name", [at], item.name),
        ...when(item.call_id === "" || item.call_id.length > 64, "id-letters", [at], item.call_id),
      ];
    case "function_call_output":
      return typeof item.output === "string" ? [] : checkParts(item.output, at);
    case "reasoning":
      return [];
    default:
      return item satisfies never;
  }
}

function checkParts(parts: readonly OpenAIInputPart[], at: number): readonly WireViolation[] {
  return parts.flatMap((part, index) =>
    part.type === "input_text"
      ? when(isBlank(part.text), "no-empty-text", [at, index], "a text is blank")
      : [],
  );
}

/** Reasoning is given back with what it led to. */
function checkReasoning(
  item: OpenAIItem,
  next: OpenAIItem | undefined,
  at: number,
): readonly WireViolation[] {
  const leads = next !== undefined && (next.type === "reasoning" || !isOfUser(next));
  return when(item.type === "reasoning" && !leads, "reasoning-leads", [at], "reasoning leads to nothing");
}

/** Each call has one result, before the user or the model goes on. */
function checkResults(input: readonly OpenAIItem[], request: boolean): readonly WireViolation[] {
  const found: WireViolation[] = [];
  const ids = new Set<string>();
  let open = new Set<string>();
  for (const [at, item] of input.entries()) {
    if (item.type === "function_call") {
      found.push(...when(ids.has(item.call_id), "ids-unique", [at], item.call_id));
      ids.add(item.call_id);
      open.add(item.call_id);
    } else if (item.type === "function_call_output") {
      const asked = open.delete(item.call_id);
      found.push(...when(!asked, "results-follow-calls", [at], item.call_id));
    } else if (item.type === "message" && item.role === "user") {
      found.push(...when(open.size > 0, "calls-answered-next", [at], `[${[...open]}] are not answered`));
      open = new Set();
    }
  }
  const still = request && open.size > 0;
  return [...found, ...when(still, "calls-answered-next", [input.length - 1], `[${[...open]}] stand open`)];
}

function isOfUser(item: OpenAIItem): boolean {
  return item.type === "function_call_output" || (item.type === "message" && item.role === "user");
}
