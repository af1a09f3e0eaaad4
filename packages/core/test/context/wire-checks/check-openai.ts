import type { OpenAIContentPart, OpenAIMessage } from "../../../src/context/providers/openai.js";
import { isObject, jsonOf } from "../../../src/text/index.js";
import { isBlank, violation, type WireCheckOptions, type WireViolation, when } from "./wire-check.js";

/** What the Chat Completions API would refuse of these messages, as far as it can be known beforehand. */
export function checkOpenAI(
  body: { readonly messages: readonly OpenAIMessage[] },
  { request = false }: WireCheckOptions = {},
): readonly WireViolation[] {
  const messages = body.messages.slice(body.messages[0]?.role === "system" ? 1 : 0);
  const last = messages.at(-1);
  const users = messages.filter(({ role }) => role === "user").length;
  return [
    ...when(request && last === undefined, "not-empty", [], "there is nothing to send"),
    ...when(
      request && last?.role === "assistant",
      "ends-with-user",
      [messages.length - 1],
      "the model spoke last",
    ),
    ...when(messages.length > 0 && users === 0, "some-user-message", [], "no message is the user's"),
    ...when(
      messages[0] !== undefined && messages[0].role !== "user",
      "starts-with-user",
      [0],
      "the user begins",
    ),
    ...messages.flatMap((message, at) => checkMessage(message, messages, at)),
    ...checkResults(messages, request),
  ];
}

function checkMessage(
  message: OpenAIMessage,
  messages: readonly OpenAIMessage[],
  at: number,
): readonly WireViolation[] {
  switch (message.role) {
    case "system":
      return [violation("system-first", [at], "the system speaks in the middle")];
    case "user":
      return checkUser(message.content, at);
    case "assistant": {
      const calls = message.tool_calls ?? [];
      return [
        ...when(
          message.content === null && calls.length === 0 && message.audio === undefined,
          "no-empty-content",
          [at],
          "an answer is empty",
        ),
        ...when(
          message.content !== null && isBlank(message.content),
          "no-empty-text",
          [at],
          "a text is blank",
        ),
        ...when(message.tool_calls !== undefined && calls.length === 0, "no-empty-calls", [at], "no calls"),
        ...calls.flatMap((call, index) => [
          ...when(!wireName.test(call.function.name), "function-name", [at, index], call.function.name),
          ...when(!isObject(jsonOf(call.function.arguments)), "arguments-are-json", [at, index], call.id),
        ]),
      ];
    }
    case "tool": {
      const before = messages[at - 1];
      const follows =
        before?.role === "tool" || (before?.role === "assistant" && before.tool_calls !== undefined);
      return when(!follows, "results-follow-calls", [at], "a result follows no calls");
    }
    default:
      return message satisfies never;
  }
}

function checkUser(
  content: Extract<OpenAIMessage, { role: "user" }>["content"],
  at: number,
): readonly WireViolation[] {
  if (typeof content === "string") return when(isBlank(content), "no-empty-text", [at], "a text is blank");
  return [
    ...when(content.length === 0, "no-empty-content", [at], "a message has no parts"),
    ...content.flatMap((part, index) => checkPart(part, [at, index])),
  ];
}

function checkPart(part: OpenAIContentPart, at: readonly number[]): readonly WireViolation[] {
  switch (part.type) {
    case "text":
      return when(isBlank(part.text), "no-empty-text", at, "a text is blank");
    case "image_url": {
      const { url } = part.image_url;
      return when(!url.startsWith("data:image/"), "image-type", at, url.slice(0, 40));
    }
    case "file": {
      const { file_data } = part.file;
      return when(!file_data.startsWith("data:application/pdf;"), "file-type", at, file_data.slice(0, 40));
    }
    default:
      return part satisfies never;
  }
}

/** Each call has one result, right after its message. */
function checkResults(messages: readonly OpenAIMessage[], request: boolean): readonly WireViolation[] {
  const found: WireViolation[] = [];
  const ids = new Set<string>();
  messages.forEach((message, at) => {
    if (message.role !== "assistant" || message.tool_calls === undefined) return;
    const asked = message.tool_calls.map(({ id }) => id);
    const answered: string[] = [];
    for (let next = at + 1; ; next += 1) {
      const result = messages[next];
      if (result?.role !== "tool") break;
      answered.push(result.tool_call_id);
    }
    const same = asked.toSorted().join() === answered.toSorted().join();
    const open = at === messages.length - 1 && !request;
    found.push(
      ...when(!same && !open, "calls-answered-next", [at], `[${asked}] are answered by [${answered}]`),
    );
    for (const id of asked) {
      found.push(...when(ids.has(id) || id === "" || id.length > 64, "ids-unique", [at], id));
      ids.add(id);
    }
  });
  return found;
}

const wireName = /^[a-zA-Z0-9_-]{1,64}$/;
