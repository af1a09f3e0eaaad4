import type OpenAI from "openai";
import { pieces } from "./anthropic.js";

/** Spaces, an escape and a number that JSON would write otherwise. */
export const writtenArguments = '{ "file_path": "src/\\u00fc.ts", "from": 1.0 }';

export const completion: OpenAI.ChatCompletion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-5.6-2026-07-01",
  choices: [
    {
      index: 0,
      finish_reason: "tool_calls",
      logprobs: null,
      message: {
        role: "assistant",
        content: "I look at both.",
        refusal: null,
        tool_calls: [
          { id: "call_A", type: "function", function: { name: "read_file", arguments: writtenArguments } },
          { id: "call_B", type: "function", function: { name: "list_files", arguments: "{}" } },
        ],
      },
    },
  ],
  usage: {
    prompt_tokens: 2_312,
    completion_tokens: 90,
    total_tokens: 2_402,
    prompt_tokens_details: { cached_tokens: 2_000, cache_write_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 40 },
  },
};

const chunk = (
  delta: OpenAI.ChatCompletionChunk.Choice.Delta,
  finish_reason: OpenAI.ChatCompletionChunk.Choice["finish_reason"] = null,
): OpenAI.ChatCompletionChunk => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-5.6-2026-07-01",
  choices: [{ index: 0, delta, finish_reason }],
});

const message = completion.choices[0]?.message;

/** The same completion as its stream. */
export const chunks: readonly OpenAI.ChatCompletionChunk[] = [
  chunk({ role: "assistant", content: "" }),
  ...pieces(message?.content ?? "").map((content) => chunk({ content })),
  ...(message?.tool_calls ?? []).flatMap((call, index) =>
    call.type !== "function"
      ? []
      : [
          chunk({
            tool_calls: [
              { index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } },
            ],
          }),
          ...pieces(call.function.arguments).map((piece) =>
            chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
          ),
        ],
  ),
  chunk({}, "tool_calls"),
  { ...chunk({}), choices: [], usage: completion.usage ?? null },
];
