import type Anthropic from "@anthropic-ai/sdk";

const usage: Anthropic.Usage = {
  input_tokens: 12,
  cache_read_input_tokens: 2_000,
  cache_creation_input_tokens: 300,
  cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 0 },
  output_tokens: 90,
  output_tokens_details: { thinking_tokens: 40 },
  server_tool_use: null,
  service_tier: "standard",
  speed: "standard",
  inference_geo: null,
};

/** Signatures as the API makes them: letters that JSON would not escape, and some that need care. */
export const content = [
  { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4a==" },
  { type: "thinking", thinking: 'Which file?\n – the "first".', signature: "EqQBCkYIBxgCKkAb+/9=zW" },
  { type: "redacted_thinking", data: "second+/=" },
  { type: "text", text: "I look at both. ", citations: null },
  {
    type: "tool_use",
    id: "toolu_01A",
    name: "read_file",
    input: { file_path: "src/ü.ts", deep: { list: [1, 2.5, null] } },
    caller: { type: "direct" },
  },
  { type: "thinking", thinking: "", signature: "omitted/thinking==" },
  { type: "tool_use", id: "toolu_01B", name: "list_files", input: {}, caller: { type: "direct" } },
] satisfies Anthropic.ContentBlock[];

export const message: Anthropic.Message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-20260801",
  content,
  container: null,
  diagnostics: null,
  stop_details: null,
  stop_reason: "tool_use",
  stop_sequence: null,
  usage,
};

/** The same message as its stream; words, signatures and arguments come in pieces of a few letters. */
export const events: readonly Anthropic.RawMessageStreamEvent[] = [
  {
    type: "message_start",
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  },
  ...content.flatMap((block, index): readonly Anthropic.RawMessageStreamEvent[] => [
    { type: "content_block_start", index, content_block: begun(block) },
    ...deltas(block).map((delta) => ({ type: "content_block_delta", index, delta }) as const),
    { type: "content_block_stop", index },
  ]),
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null, stop_details: null, container: null },
    usage: {
      input_tokens: null,
      cache_read_input_tokens: null,
      cache_creation_input_tokens: null,
      output_tokens: usage.output_tokens,
      output_tokens_details: usage.output_tokens_details,
      server_tool_use: null,
    },
  },
  { type: "message_stop" },
];

type Block = (typeof content)[number];

function begun(block: Block): Anthropic.RawContentBlockStartEvent["content_block"] {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  return block.type === "tool_use" ? { ...block, input: {} } : block;
}

function deltas(block: Block): readonly Anthropic.RawContentBlockDelta[] {
  switch (block.type) {
    case "text":
      return pieces(block.text).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...pieces(block.thinking).map((thinking) => ({
          type: "thinking_delta" as const,
          thinking,
          estimated_tokens: null,
        })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "tool_use":
      return ["", ...pieces(Object.keys(block.input).length === 0 ? "" : JSON.stringify(block.input))].map(
        (partial_json) => ({ type: "input_json_delta", partial_json }),
      );
    case "redacted_thinking":
      return [];
    default:
      return block satisfies never;
  }
}

/** A text in pieces of three letters. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,3}/g) ?? [];
}
