import type OpenAI from "openai";
import { pieces } from "./anthropic.js";
import { writtenArguments } from "./openai.js";

/** What the API gave, all of which it wants back. */
export const output = [
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "**Looking**\n\nWhich file?" }],
    encrypted_content: "gAAAAABo+/=first",
  },
  { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAAAABo+/=second" },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    phase: "commentary",
    content: [
      { type: "output_text", text: "I look ", annotations: [] },
      { type: "output_text", text: "at both.", annotations: [] },
    ],
  },
  {
    type: "function_call",
    id: "fc_1",
    call_id: "call_A",
    name: "read_file",
    arguments: writtenArguments,
    status: "completed",
  },
  { type: "reasoning", id: "rs_3", summary: [], encrypted_content: "gAAAAABo+/=third" },
  {
    type: "function_call",
    id: "fc_2",
    call_id: "call_B",
    name: "list_files",
    arguments: "{}",
    status: "completed",
  },
] satisfies OpenAI.Responses.ResponseOutputItem[];

// The SDK's type lists many members that say nothing here.
export const response = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "gpt-5.6-2026-07-01",
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
  output,
  output_text: "",
  usage: {
    input_tokens: 2_312,
    input_tokens_details: { cached_tokens: 2_000, cache_write_tokens: 300 },
    output_tokens: 90,
    output_tokens_details: { reasoning_tokens: 40 },
    total_tokens: 2_402,
  },
} satisfies OpenAI.Responses.Response;

/** Without the number that each event has. */
type Numbered = OpenAI.Responses.ResponseStreamEvent;
type Event = Numbered extends infer One
  ? One extends Numbered
    ? Omit<One, "sequence_number">
    : never
  : never;

const plain: readonly Event[] = [
  { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
  ...output.flatMap((item, output_index) => eventsOf(item, output_index)),
  { type: "response.completed", response },
];

/** The same response as its stream. */
export const events: readonly Numbered[] = plain.map(
  // Each has its number again; the compiler does not see that of a union.
  (event, sequence_number) => ({ ...event, sequence_number }) as Numbered,
);

function eventsOf(item: (typeof output)[number], output_index: number): readonly Event[] {
  const done: Event = { type: "response.output_item.done", output_index, item };
  switch (item.type) {
    case "reasoning":
      return [
        {
          type: "response.output_item.added",
          output_index,
          item: { ...item, summary: [], encrypted_content: "partial" },
        },
        ...item.summary.flatMap((part, summary_index): readonly Event[] => {
          const at = { item_id: item.id, output_index, summary_index };
          return [
            { type: "response.reasoning_summary_part.added", ...at, part: { ...part, text: "" } },
            ...pieces(part.text).map(
              (delta): Event => ({ type: "response.reasoning_summary_text.delta", ...at, delta }),
            ),
            { type: "response.reasoning_summary_text.done", ...at, text: part.text },
            { type: "response.reasoning_summary_part.done", ...at, part },
          ];
        }),
        done,
      ];
    case "message":
      return [
        {
          type: "response.output_item.added",
          output_index,
          item: { ...item, status: "in_progress", content: [] },
        },
        ...item.content.flatMap((part, content_index): readonly Event[] => {
          const at = { item_id: item.id, output_index, content_index };
          return [
            { type: "response.content_part.added", ...at, part: { ...part, text: "" } },
            ...pieces(part.text).map(
              (delta): Event => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] }),
            ),
            { type: "response.output_text.done", ...at, text: part.text, logprobs: [] },
            { type: "response.content_part.done", ...at, part },
          ];
        }),
        done,
      ];
    case "function_call":
      return [
        {
          type: "response.output_item.added",
          output_index,
          item: { ...item, status: "in_progress", arguments: "" },
        },
        ...pieces(item.arguments).map(
          (delta): Event => ({
            type: "response.function_call_arguments.delta",
            item_id: item.id,
            output_index,
            delta,
          }),
        ),
        {
          type: "response.function_call_arguments.done",
          item_id: item.id,
          output_index,
          name: item.name,
          arguments: item.arguments,
        },
        done,
      ];
    default:
      return item satisfies never;
  }
}
