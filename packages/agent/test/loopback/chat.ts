import type OpenAI from "openai";
import * as z from "zod";
import type { Ledger } from "./ledger.js";
import { isRecord, missing, repeated, schemaComplaints, shapeComplaint } from "./rules.js";
import { pieces, type ServedAnswer, someTokens, type Wire, type WireEvent } from "./wire.js";

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u);
const part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("image_url"), image_url: z.strictObject({ url: z.string() }) }),
  z.strictObject({
    type: z.literal("file"),
    file: z.strictObject({ filename: z.string(), file_data: z.string() }),
  }),
]);
const toolCall = z.strictObject({
  id: z.string().min(1).max(40),
  type: z.literal("function"),
  function: z.strictObject({ name, arguments: z.string() }),
});
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({ role: z.literal("user"), content: z.union([z.string(), z.array(part).min(1)]) }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.string().nullable(),
    tool_calls: z.array(toolCall).min(1).max(128).exactOptional(),
    reasoning_content: z.string().min(1).exactOptional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: z.string().max(40), content: z.string() }),
]);
/** What of the API's request the agent may use; what it accepts fits the SDK's own type. */
const request = z.strictObject({
  model: z.string().min(1),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.boolean() }).exactOptional(),
  max_tokens: z.int().min(1).exactOptional(),
  reasoning_effort: z.enum(["none", "low", "medium", "high", "xhigh"]).exactOptional(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name,
          description: z.string().max(1_024).exactOptional(),
          parameters: z.looseObject({ type: z.literal("object") }),
        }),
      }),
    )
    .min(1)
    .max(128)
    .exactOptional(),
}) satisfies z.ZodType<OpenAI.Chat.ChatCompletionCreateParamsStreaming>;
type Request = z.output<typeof request>;
type Message = Request["messages"][number];

/** OpenAI's Chat Completions API, as servers of many makers speak it. */
export const chatWire: Wire = {
  name: "Chat Completions",
  provider: "local",
  model: "the-model",
  thinks: true,
  path: /^POST \/v1\/chat\/completions$/u,
  base: "/v1",
  keyOf: ({ authorization = "" }) => /^Bearer (.+)$/u.exec(String(authorization))?.[1],
  *complaints(body) {
    const parsed = request.safeParse(body);
    if (!parsed.success) return yield shapeComplaint(parsed.error);
    const { messages, tools = [] } = parsed.data;
    for (const [at, tool] of tools.entries())
      yield* schemaComplaints(`tools[${at}].function.parameters`, tool.function.parameters);
    if (repeated(tools.map((tool) => tool.function.name)).length > 0) yield "tools: names must be unique";
    yield* ofTurns(messages);
    yield* ofCalls(messages);
  },
  stream: streamOf,
  malformed: "data: {nonsense\n\n",
  error: (status, words) => ({
    error: { message: words, type: errorTypes[status] ?? "server_error", param: null, code: null },
  }),
};

function* ofTurns(messages: readonly Message[]) {
  for (const [at, one] of messages.entries()) {
    if (one.role === "system" && at > 0) yield "Conversation roles must alternate: system stands first.";
    if (one.role === "user" && isBlank(one.content)) yield `messages[${at}].content: must not be empty`;
    if (one.role !== "assistant") continue;
    // Templates of open models refuse two answers in a row.
    if (messages[at - 1]?.role === "assistant")
      yield "Conversation roles must alternate user/assistant/user/assistant/...";
    if (one.content === null && one.tool_calls === undefined)
      yield `Invalid value for 'messages[${at}].content': expected a string, got null.`;
    if (one.content !== null && one.content.trim() === "") yield `messages[${at}].content: must not be empty`;
  }
  const said = messages.filter(({ role }) => role !== "system");
  if (said[0]?.role !== "user") yield "No user query found in messages.";
  if (said.at(-1)?.role === "assistant") yield "Cannot continue: the last message is the assistant's.";
}

function isBlank(content: string | readonly z.output<typeof part>[]): boolean {
  if (typeof content === "string") return content.trim() === "";
  return content.some((one) => one.type === "text" && one.text.trim() === "");
}

function* ofCalls(messages: readonly Message[]) {
  let open: readonly string[] = [];
  const ids: string[] = [];
  for (const [at, one] of messages.entries()) {
    if (one.role === "tool") {
      if (!open.includes(one.tool_call_id))
        yield "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      open = missing(open, [one.tool_call_id]);
      continue;
    }
    if (open.length > 0) yield unanswered(open);
    open = [];
    if (one.role !== "assistant") continue;
    for (const call of one.tool_calls ?? []) {
      ids.push(call.id);
      if (!isJsonObject(call.function.arguments))
        yield `Invalid 'messages[${at}].tool_calls[0].function.arguments': not a JSON object.`;
    }
    open = (one.tool_calls ?? []).map(({ id }) => id);
  }
  if (open.length > 0) yield unanswered(open);
  if (repeated(ids).length > 0) yield `Duplicate value for 'tool_call_id' of ${repeated(ids).join(", ")}.`;
}

const unanswered = (open: readonly string[]) =>
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
  `The following tool_call_ids did not have response messages: ${open.join(", ")}`;

/** Whether it is the JSON of an object. */
export function isJsonObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta;

function streamOf(
  { thought = "", text = "", calls = [], prompt = someTokens, isCut }: ServedAnswer,
  ledger: Ledger,
): readonly WireEvent[] {
  const id = ledger.next("chatcmpl-");
  const chunk = (
    delta: Delta,
    carries: WireEvent["carries"],
    finish_reason: OpenAI.ChatCompletionChunk.Choice["finish_reason"] = null,
  ) => written({ ...head(id), choices: [{ index: 0, delta, finish_reason, logprobs: null }] }, carries);
  return [
    chunk({ role: "assistant", content: "" }, "frame"),
    // No part of the SDK's type: servers of open models send it.
    ...pieces(thought).map((words) => chunk({ reasoning_content: words } as Delta, "thought")),
    ...pieces(text).map((content) => chunk({ content }, "words")),
    ...calls.flatMap((call, index) => [
      chunk(
        {
          tool_calls: [
            {
              index,
              id: ledger.next("call_"),
              type: "function",
              function: { name: call.name, arguments: "" },
            },
          ],
        },
        "call",
      ),
      ...pieces(JSON.stringify(call.args)).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, "call"),
      ),
    ]),
    chunk({}, "frame", isCut === true ? "length" : calls.length > 0 ? "tool_calls" : "stop"),
    written(
      {
        ...head(id),
        choices: [],
        usage: { prompt_tokens: prompt.total, completion_tokens: 10, total_tokens: prompt.total + 10 },
      },
      "frame",
    ),
    { text: "data: [DONE]\n\n", carries: "frame" },
  ];
}

const head = (id: string) =>
  ({ id, object: "chat.completion.chunk", created: 1, model: "the-model" }) as const;

function written(chunk: OpenAI.ChatCompletionChunk, carries: WireEvent["carries"]): WireEvent {
  return { text: `data: ${JSON.stringify(chunk)}\n\n`, carries };
}

export const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_exceeded",
};
