import type OpenAI from "openai";
import * as z from "zod";
import { errorTypes, isJsonObject } from "./chat.js";
import type { Ledger } from "./ledger.js";
import { repeated, schemaComplaints, shapeComplaint } from "./rules.js";
import { pieces, type ServedAnswer, someTokens, type Wire, type WireEvent } from "./wire.js";

const inputPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("input_text"), text: z.string() }),
  z.strictObject({
    type: z.literal("input_image"),
    detail: z.enum(["low", "high", "auto"]),
    image_url: z.string(),
  }),
]);
const outputPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("output_text"), text: z.string(), annotations: z.array(z.never()) }),
  z.strictObject({ type: z.literal("refusal"), refusal: z.string() }),
]);
const phase = { phase: z.enum(["commentary", "final_answer"]).exactOptional() };
const asked = z.strictObject({
  type: z.literal("message"),
  role: z.literal("user"),
  content: z.array(inputPart).min(1),
});
const said = z.strictObject({
  type: z.literal("message"),
  role: z.literal("assistant"),
  content: z.array(outputPart).min(1),
  id: z.string().startsWith("msg"),
  status: z.literal("completed"),
  ...phase,
});
const quoted = z.strictObject({
  type: z.literal("message"),
  role: z.literal("assistant"),
  content: z.string(),
  ...phase,
});
const reasoning = z.strictObject({
  type: z.literal("reasoning"),
  id: z.string().startsWith("rs"),
  summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
  encrypted_content: z.string(),
});
const call = z.strictObject({
  type: z.literal("function_call"),
  call_id: z.string().min(1).max(64),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u),
  arguments: z.string(),
  id: z.string().startsWith("fc").exactOptional(),
  status: z.literal("completed").exactOptional(),
});
const result = z.strictObject({
  type: z.literal("function_call_output"),
  call_id: z.string().min(1).max(64),
  output: z.union([z.string(), z.array(inputPart).min(1)]),
});
/** What of the API's request the agent may use; what it accepts fits the SDK's own type. */
const request = z.strictObject({
  model: z.string().min(1),
  stream: z.literal(true),
  store: z.boolean().exactOptional(),
  include: z.array(z.literal("reasoning.encrypted_content")).exactOptional(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]),
      summary: z.literal("auto"),
    })
    .exactOptional(),
  max_output_tokens: z.int().min(16).exactOptional(),
  prompt_cache_key: z.string().max(64).exactOptional(),
  instructions: z.string().exactOptional(),
  input: z.array(z.union([asked, said, quoted, reasoning, call, result])).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u),
        description: z.string().exactOptional(),
        parameters: z.looseObject({ type: z.literal("object") }),
        strict: z.literal(false),
      }),
    )
    .max(128)
    .exactOptional(),
}) satisfies z.ZodType<OpenAI.Responses.ResponseCreateParamsStreaming>;
type Request = z.output<typeof request>;
type Item = Request["input"][number];

/** OpenAI's Responses API, of which nothing is stored: reasoning goes encrypted with the client. */
export const responsesWire: Wire = {
  name: "OpenAI Responses",
  provider: "openai",
  model: "gpt-5.4",
  thinks: true,
  path: /^POST \/v1\/responses$/u,
  base: "/v1",
  keyOf: ({ authorization = "" }) => /^Bearer (.+)$/u.exec(String(authorization))?.[1],
  *complaints(body, ledger) {
    const parsed = request.safeParse(body);
    if (!parsed.success) return yield shapeComplaint(parsed.error);
    const { input, tools = [], store, include = [] } = parsed.data;
    for (const [at, tool] of tools.entries())
      yield* schemaComplaints(`tools[${at}].parameters`, tool.parameters);
    if (repeated(tools.map(({ name }) => name)).length > 0) yield "tools: names must be unique";
    if (store !== false || !include.includes("reasoning.encrypted_content"))
      yield "Items are not persisted when `store` is set to false: ask for `reasoning.encrypted_content`.";
    yield* ofTurns(input);
    yield* ofCalls(input);
    yield* ofReasoning(input, ledger);
    yield* ofIds(input, ledger);
  },
  stream: streamOf,
  malformed: "event: response.output_text.delta\ndata: {nonsense\n\n",
  error: (status, message) => ({
    error: { message, type: errorTypes[status] ?? "server_error", param: null, code: null },
  }),
};

function* ofTurns(input: readonly Item[]) {
  if (input[0]?.type !== "message" || input[0].role !== "user") yield "input: the user begins";
  const last = input.at(-1);
  if (last?.type !== "function_call_output" && !(last?.type === "message" && last.role === "user"))
    yield "input: there is nothing to answer";
  for (const [at, item] of input.entries()) {
    if (item.type !== "message") continue;
    const texts = typeof item.content === "string" ? [item.content] : item.content.map(wordsOf);
    if (texts.some((text) => text.trim() === "")) yield `input[${at}].content: must not be empty`;
  }
}

function wordsOf(part: z.output<typeof inputPart> | z.output<typeof outputPart>): string {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return part.text;
    case "refusal":
      return part.refusal;
    case "input_image":
      return part.image_url;
    default:
      return part satisfies never;
  }
}

/** Each call is answered before the user or the model speaks again. */
function* ofCalls(input: readonly Item[]) {
  const ids = input.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
  if (repeated(ids).length > 0) yield `Duplicate item found with call_id ${repeated(ids).join(", ")}.`;
  const open = new Set<string>();
  for (const [at, item] of input.entries()) {
    if (item.type === "function_call") {
      open.add(item.call_id);
      if (!isJsonObject(item.arguments)) yield `Invalid 'input[${at}].arguments': not a JSON object.`;
    } else if (item.type === "function_call_output") {
      if (!open.delete(item.call_id))
        yield `No tool call found for function call output with call_id ${item.call_id}.`;
    } else if (input[at - 1]?.type === "function_call_output" && open.size > 0) break;
    else if (item.type === "message" && item.role === "user" && open.size > 0) break;
  }
  for (const id of open) yield `No tool output found for function call ${id}.`;
}

/** Reasoning is ours and unchanged, before the item that it led to; an item that followed reasoning has it before it. */
function* ofReasoning(input: readonly Item[], ledger: Ledger) {
  for (const [at, item] of input.entries()) {
    if (item.type === "reasoning") {
      if (ledger.given(item.id) !== JSON.stringify(item))
        yield `The encrypted content for item ${item.id} could not be verified.`;
      const next = input[at + 1];
      const leads = next !== undefined && next.type !== "function_call_output" && !isOfUser(next);
      if (!leads)
        yield `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
    }
    const needed = "id" in item && item.id !== undefined ? ledger.given(`before ${item.id}`) : undefined;
    if (needed === undefined) continue;
    const id = String(JSON.parse(needed));
    const before = input.slice(0, at).findLast((one) => one.type === "reasoning");
    if (before?.type !== "reasoning" || before.id !== id)
      yield `Item '${"id" in item ? item.id : ""}' of type '${item.type}' was provided without its required 'reasoning' item: '${id}'.`;
  }
}

/** Under an id stands what was given under it. */
function* ofIds(input: readonly Item[], ledger: Ledger) {
  const ids = input.flatMap((item) => ("id" in item && item.id !== undefined ? [item.id] : []));
  if (repeated(ids).length > 0) yield `Duplicate item found with id ${repeated(ids).join(", ")}.`;
  for (const item of input) {
    if (!("id" in item) || item.id === undefined || item.type === "reasoning") continue;
    const kept = ledger.given(item.id);
    if (kept === undefined) yield `Item with id '${item.id}' not found.`;
    else if (kept !== JSON.stringify(sorted(item))) yield `Item with id '${item.id}' was changed.`;
  }
}

const sorted = (item: object) =>
  Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)));

function isOfUser(item: Item): boolean {
  return item.type === "message" && item.role === "user";
}

type Output = OpenAI.Responses.ResponseReasoningItem | OpenAI.Responses.ResponseOutputMessage | Called;
type Called = OpenAI.Responses.ResponseFunctionToolCall & { readonly id: string };
/** An event without its number, which is given last. */
type Event = Readonly<Record<string, unknown>> & { readonly type: string };

function streamOf(answer: ServedAnswer, ledger: Ledger): readonly WireEvent[] {
  const output = itemsOf(answer, ledger);
  const { total, cached, written } = answer.prompt ?? someTokens;
  const usage = {
    ...emptyResponse.usage,
    input_tokens: total,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    total_tokens: total + 10,
  };
  const response = { ...emptyResponse, usage, id: ledger.next("resp_"), output };
  const events: readonly (readonly [Event, WireEvent["carries"]])[] = [
    [{ type: "response.created", response: { ...response, status: "in_progress", output: [] } }, "frame"],
    ...output.flatMap((item, at) => eventsOf(item, at)),
    [ended(response, answer.isCut === true), "frame"],
  ];
  return events.map(([event, carries], sequence_number) => ({
    text: `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
    carries,
  }));
}

function ended(response: object, isCut: boolean): Event {
  if (!isCut) return { type: "response.completed", response };
  const incomplete = {
    ...response,
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  };
  return { type: "response.incomplete", response: incomplete };
}

function itemsOf({ thought, text, calls = [] }: ServedAnswer, ledger: Ledger): readonly Output[] {
  const items: Output[] = [];
  if (thought !== undefined) {
    const id = ledger.next("rs_");
    const summary = [{ type: "summary_text" as const, text: thought }];
    const item = { type: "reasoning" as const, id, summary, encrypted_content: ledger.signature() };
    ledger.keep(id, item);
    items.push(item);
  }
  if (text !== undefined) {
    const content = [{ type: "output_text" as const, text, annotations: [] }];
    const id = ledger.next("msg_");
    items.push({ type: "message", id, role: "assistant", status: "completed", phase: "commentary", content });
  }
  for (const { name, args } of calls) {
    const [id, call_id] = [ledger.next("fc_"), ledger.next("call_")];
    const common = { type: "function_call", status: "completed" } as const;
    items.push({ ...common, id, call_id, name, arguments: spaced(args) });
  }
  const [first, second] = items;
  if (first?.type === "reasoning" && second !== undefined) ledger.keep(`before ${second.id}`, first.id);
  for (const item of items) if (item.type !== "reasoning") ledger.keep(item.id, sorted(item));
  return items;
}

/** As a model writes JSON: not as JSON.stringify would. */
function spaced(args: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(args).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function eventsOf(item: Output, output_index: number): readonly (readonly [Event, WireEvent["carries"]])[] {
  const begun = (rest: object): Event => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, ...rest },
  });
  const done: Event = { type: "response.output_item.done", output_index, item };
  const at = { item_id: item.id, output_index };
  switch (item.type) {
    case "reasoning": {
      const deltas = pieces(item.summary[0]?.text ?? "").map(
        (delta): Event => ({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta }),
      );
      const events = [begun({ summary: [], encrypted_content: "partial" }), ...deltas, done];
      return events.map((event) => [event, "thought"] as const);
    }
    case "message": {
      const [part] = item.content;
      const deltas = pieces(part?.type === "output_text" ? part.text : "").map(
        (delta): Event => ({
          type: "response.output_text.delta",
          ...at,
          content_index: 0,
          delta,
          logprobs: [],
        }),
      );
      const events = [begun({ status: "in_progress", content: [] }), ...deltas, done];
      return events.map((event) => [event, "words"] as const);
    }
    case "function_call": {
      const deltas = pieces(item.arguments).map(
        (delta): Event => ({ type: "response.function_call_arguments.delta", ...at, delta }),
      );
      const events = [begun({ status: "in_progress", arguments: "" }), ...deltas, done];
      return events.map((event) => [event, "call"] as const);
    }
    default:
      return item satisfies never;
  }
}

const emptyResponse = {
  object: "response",
  created_at: 1,
  model: "gpt-5.4-2026-07-01",
  status: "completed",
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: null,
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 10,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110,
  },
} as const;
