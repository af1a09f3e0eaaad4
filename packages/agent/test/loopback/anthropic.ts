import type Anthropic from "@anthropic-ai/sdk";
import * as z from "zod";
import type { Ledger } from "./ledger.js";
import { missing, repeated, schemaComplaints, shapeComplaint } from "./rules.js";
import {
  type PromptTokens,
  pieces,
  type ServedAnswer,
  someTokens,
  type Wire,
  type WireEvent,
} from "./wire.js";

const mark = z.strictObject({
  type: z.literal("ephemeral"),
  ttl: z.enum(["5m", "1h"]).exactOptional(),
});
const cached = { cache_control: mark.exactOptional() };
const text = z.strictObject({ type: z.literal("text"), text: z.string(), ...cached });
const image = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
    data: z.base64(),
  }),
  ...cached,
});
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() });
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/u),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,200}$/u),
  input: z.record(z.string(), z.unknown()),
  ...cached,
});
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image]))]).exactOptional(),
  is_error: z.boolean().exactOptional(),
  ...cached,
});
const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.array(z.discriminatedUnion("type", [text, image, toolResult])),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.array(z.discriminatedUnion("type", [text, thinking, redacted, toolUse])),
  }),
]);
/** What of the API's request the agent may use; what it accepts fits the SDK's own type. */
const request = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1).max(128_000),
  stream: z.literal(true),
  messages: z.array(message),
  system: z.array(text).exactOptional(),
  tools: z
    .array(
      z.union([
        z.strictObject({
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/u),
          description: z.string().exactOptional(),
          input_schema: z.looseObject({ type: z.literal("object") }),
          ...cached,
        }),
        z.strictObject({
          type: z.literal("web_search_20250305"),
          name: z.literal("web_search"),
          max_uses: z.int().min(1),
        }),
      ]),
    )
    .exactOptional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
      z.strictObject({ type: z.literal("adaptive"), display: z.literal("summarized").exactOptional() }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .exactOptional(),
  output_config: z
    .strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]) })
    .exactOptional(),
}) satisfies z.ZodType<Anthropic.MessageCreateParamsStreaming>;
type Request = z.output<typeof request>;
type Message = Request["messages"][number];

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  name: "Anthropic Messages",
  provider: "anthropic",
  model: "claude-opus-5",
  thinks: true,
  path: /^POST \/v1\/messages$/u,
  base: "",
  // Its SDK gives the key as a bearer from version 1 on; the API takes both.
  keyOf: ({ authorization, "x-api-key": key, "anthropic-version": version }) =>
    version === undefined ? undefined : String(key ?? String(authorization).replace(/^Bearer /u, "")),
  *complaints(body, ledger) {
    const parsed = request.safeParse(body);
    if (!parsed.success) return yield shapeComplaint(parsed.error);
    yield* ofRequest(parsed.data);
    yield* ofTurns(parsed.data.messages);
    for (const [at, one] of parsed.data.messages.entries()) {
      yield* ofBlocks(one, at);
      if (one.role === "assistant") yield* ofThoughts(one, at, ledger);
    }
  },
  stream: streamOf,
  malformed: "event: content_block_delta\ndata: {nonsense\n\n",
  error: (status, words) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message: words },
    request_id: "req_1",
  }),
};

function* ofRequest({ max_tokens, thinking: asked, tools = [], system = [], messages }: Request) {
  if (asked?.type === "enabled" && asked.budget_tokens >= max_tokens)
    yield "`max_tokens` must be greater than `thinking.budget_tokens`.";
  const twice = repeated(tools.map(({ name }) => name));
  if (twice.length > 0) yield "tools: Tool names must be unique.";
  for (const [at, tool] of tools.entries())
    if ("input_schema" in tool) yield* schemaComplaints(`tools.${at}.custom.input_schema`, tool.input_schema);
  for (const one of system) if (one.text.trim() === "") yield "system: text content blocks must be non-empty";
  const blocks = [...tools, ...system, ...messages.flatMap(({ content }) => [...content])];
  const marks = blocks.filter((block) => "cache_control" in block).length;
  if (marks > 4) yield `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
}

function* ofTurns(messages: readonly Message[]) {
  if (messages.length === 0) yield "messages: at least one message is required";
  if (messages[0]?.role === "assistant") yield 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role === "assistant")
    yield "This model does not support assistant message prefill. The conversation must end with a user message.";
  for (const [at, one] of messages.entries()) {
    if (one.role === messages[at - 1]?.role)
      yield `messages: roles must alternate between "user" and "assistant", but found multiple "${one.role}" roles in a row`;
    if (one.content.length === 0) yield `messages.${at}: all messages must have non-empty content`;
    const calls = callsOf(one);
    const answers = resultsOf(messages[at + 1]);
    const open = missing(calls, answers);
    if (open.length > 0)
      yield `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}.`;
    const strangers = missing(resultsOf(one), callsOf(messages[at - 1]));
    if (strangers.length > 0)
      yield `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${strangers.join(", ")}.`;
    if (repeated(resultsOf(one)).length > 0) yield `messages.${at}: each tool_use must have a single result`;
  }
  if (repeated(messages.flatMap(callsOf)).length > 0) yield "messages: `tool_use` ids must be unique";
}

function* ofBlocks({ content }: Message, at: number) {
  let spoken = false;
  for (const [index, block] of content.entries()) {
    const where = `messages.${at}.content.${index}`;
    if (block.type === "text" && block.text.trim() === "")
      yield `${where}: text content blocks must contain non-whitespace text`;
    if (block.type === "tool_result") {
      if (spoken) yield `${where}: tool_result blocks must come before other content`;
      const empty = block.content === undefined || block.content.length === 0;
      if (block.is_error === true && empty) yield `${where}: content cannot be empty if \`is_error\` is true`;
    } else spoken = true;
  }
  const last = content.at(-1)?.type;
  if (last === "thinking" || last === "redacted_thinking")
    yield `messages.${at}: The final block in an assistant message cannot be \`thinking\`.`;
}

/** Thoughts are ours, unchanged, and stand before the call that they led to. */
function* ofThoughts({ content }: Extract<Message, { role: "assistant" }>, at: number, ledger: Ledger) {
  for (const [index, block] of content.entries()) {
    const where = `messages.${at}.content.${index}`;
    if (block.type === "thinking" && ledger.given(block.signature) !== JSON.stringify(block))
      yield `${where}: Invalid \`signature\` in \`thinking\` block`;
    if (block.type === "redacted_thinking" && ledger.given(block.data) !== JSON.stringify(block))
      yield `${where}: Invalid \`data\` in \`redacted_thinking\` block`;
    if (block.type !== "tool_use") continue;
    const led = ledger.given(`before ${block.id}`);
    const before = JSON.stringify(content.slice(0, index).filter(isThought));
    if (led !== undefined && led !== before)
      yield `${where}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`.`;
  }
}

const isThought = ({ type }: { readonly type: string }) =>
  type === "thinking" || type === "redacted_thinking";

function callsOf(one: Message | undefined): readonly string[] {
  return one?.role === "assistant"
    ? one.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
    : [];
}

function resultsOf(one: Message | undefined): readonly string[] {
  return one?.role === "user"
    ? one.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
    : [];
}

type Event = Anthropic.RawMessageStreamEvent;
type Block = {
  readonly begin: Anthropic.RawContentBlockStartEvent["content_block"];
  readonly carries: WireEvent["carries"];
} & {
  readonly deltas: readonly Anthropic.RawContentBlockDelta[];
};

function streamOf(answer: ServedAnswer, ledger: Ledger): readonly WireEvent[] {
  const thoughts = thoughtsOf(answer, ledger);
  const calls = callBlocks(answer, thoughts, ledger);
  const blocks = [...thoughts.map(thoughtBlock), ...wordBlocks(answer), ...calls];
  const ended = answer.calls === undefined ? "end_turn" : "tool_use";
  const stop_reason = answer.isCut === true ? "max_tokens" : ended;
  return [
    frame({ type: "message_start", message: messageOf(answer, ledger) }),
    ...blocks.flatMap(({ begin, deltas, carries }, index) => [
      written({ type: "content_block_start", index, content_block: begin }, carries),
      ping,
      ...deltas.map((delta) => written({ type: "content_block_delta", index, delta }, carries)),
      written({ type: "content_block_stop", index }, carries),
    ]),
    frame({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
      usage: {
        ...promptUsage(answer.prompt),
        output_tokens: 10,
        output_tokens_details: null,
        server_tool_use: null,
      },
    }),
    frame({ type: "message_stop" }),
  ];
}

function messageOf({ prompt }: ServedAnswer, ledger: Ledger): Anthropic.Message {
  const usage = { ...emptyMessage.usage, ...promptUsage(prompt) };
  return { ...emptyMessage, usage, id: ledger.next("msg_") };
}

/** The API counts apart what it reads of the cache, what it writes to it, and the rest. */
function promptUsage({ total, cached, written }: PromptTokens = someTokens) {
  return {
    input_tokens: total - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
  };
}

type Thought = Anthropic.ThinkingBlock | Anthropic.RedactedThinkingBlock;

/** What one cannot read stands before what one can. */
function thoughtsOf({ thought }: ServedAnswer, ledger: Ledger): readonly Thought[] {
  if (thought === undefined) return [];
  const hidden = { type: "redacted_thinking", data: ledger.signature() } as const;
  const shown = { type: "thinking", thinking: thought, signature: ledger.signature() } as const;
  ledger.keep(hidden.data, hidden);
  ledger.keep(shown.signature, shown);
  return [hidden, shown];
}

function thoughtBlock(thought: Thought): Block {
  if (thought.type === "redacted_thinking") return { begin: thought, deltas: [], carries: "thought" };
  const { thinking: words, signature } = thought;
  const deltas = pieces(words).map((piece) => ({
    type: "thinking_delta" as const,
    thinking: piece,
    estimated_tokens: null,
  }));
  return {
    begin: { type: "thinking", thinking: "", signature: "" },
    deltas: [...deltas, { type: "signature_delta", signature }],
    carries: "thought",
  };
}

function wordBlocks({ text: words }: ServedAnswer): readonly Block[] {
  if (words === undefined) return [];
  const deltas = pieces(words).map((piece) => ({ type: "text_delta" as const, text: piece }));
  return [{ begin: { type: "text", text: "", citations: null }, deltas, carries: "words" }];
}

function callBlocks(
  { calls = [] }: ServedAnswer,
  thoughts: readonly Thought[],
  ledger: Ledger,
): readonly Block[] {
  return calls.map(({ name, args }) => {
    const id = ledger.next("toolu_01A");
    ledger.keep(`before ${id}`, thoughts);
    const json = Object.keys(args).length === 0 ? [] : pieces(JSON.stringify(args));
    return {
      begin: { type: "tool_use", id, name, input: {}, caller: { type: "direct" } },
      deltas: ["", ...json].map((partial_json) => ({ type: "input_json_delta" as const, partial_json })),
      carries: "call",
    };
  });
}

function written(event: Event, carries: WireEvent["carries"]): WireEvent {
  return { text: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`, carries };
}

const frame = (event: Event) => written(event, "frame");

/** It may come anywhere, and the SDK's type does not know it. */
const ping: WireEvent = { text: 'event: ping\ndata: {"type":"ping"}\n\n', carries: "frame" };

const emptyMessage: Omit<Anthropic.Message, "id"> = {
  type: "message",
  role: "assistant",
  model: "claude-opus-5-20260801",
  content: [],
  container: null,
  diagnostics: null,
  stop_details: null,
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: 100,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_creation: null,
    output_tokens: 1,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: "standard",
    speed: "standard",
    inference_geo: null,
  },
};

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};
