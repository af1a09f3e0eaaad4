import type Anthropic from "@anthropic-ai/sdk";
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  Content as SdkContent,
} from "@google/genai";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  type Content,
  fromAnthropic,
  fromGemini,
  fromOpenAI,
  fromOpenAIResponses,
  type ReceivedAnswer,
  type RequestOptions,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";

/**
 * That the forms fit the official SDKs without a cast. `npm run types` is what tries it: a request that their
 * parameter types would not take does not compile. Running shows that the same lines make a request.
 */
const picture = { inlineData: { mimeType: "image/png", data: "AA==" } };
const contents: readonly Content[] = [
  { role: "user", parts: [{ text: "look" }, picture] },
  { role: "model", parts: [{ functionCall: { id: "c", name: "shot", args: {} } }] },
  {
    role: "user",
    parts: [{ functionResponse: { id: "c", name: "shot", response: { output: "" }, parts: [picture] } }],
  },
];
const options: RequestOptions = {
  system: "Be brief.",
  tools: [{ name: "read_file", description: "Reads.", inputSchema: { type: "object", properties: {} } }],
  cache: "5m",
};

describe("a form fits the parameters of the official SDK", () => {
  it("of Anthropic", () => {
    const request: Anthropic.MessageCreateParamsNonStreaming = {
      model: "claude-opus-5",
      max_tokens: 100,
      ...toAnthropic(contents, options).body,
    };
    const stream: Anthropic.MessageCreateParamsStreaming = { ...request, stream: true };
    const counted: Anthropic.MessageCountTokensParams = {
      model: "claude-opus-5",
      ...toAnthropic(contents, options).body,
    };
    const messages: Anthropic.MessageParam[] = toAnthropic(contents).body.messages;
    expect([request.tools?.length, stream.stream, counted.messages, messages.length]).toEqual([
      1,
      true,
      request.messages,
      3,
    ]);
  });

  it("of OpenAI, Chat Completions", () => {
    const request: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming = {
      model: "gpt-5.6",
      ...toOpenAI(contents, options).body,
    };
    const stream: OpenAI.Chat.ChatCompletionCreateParamsStreaming = { ...request, stream: true };
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = toOpenAI(contents, options).body.messages;
    expect([request.tools?.length, stream.stream, messages.length]).toEqual([1, true, 5]);
  });

  it("of OpenAI, Responses", () => {
    const request: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      model: "gpt-5.6",
      store: false,
      include: ["reasoning.encrypted_content"],
      ...toOpenAIResponses(contents, options).body,
    };
    const stream: OpenAI.Responses.ResponseCreateParamsStreaming = { ...request, stream: true };
    const input: OpenAI.Responses.ResponseInput = toOpenAIResponses(contents).body.input;
    expect([request.instructions, stream.stream, input.length]).toEqual(["Be brief.", true, 3]);
  });

  it("of Google", () => {
    const { config, ...body } = toGemini(contents, options).body;
    const request: GenerateContentParameters = { model: "gemini-3-pro", ...body, config: { ...config } };
    const plain: GenerateContentParameters = { model: "gemini-3-pro", ...toGemini(contents, options).body };
    const history: SdkContent[] = toGemini(contents).body.contents;
    expect(request).toEqual(plain);
    expect(history.length).toBe(3);
  });
});

/** Called by nothing: what is tried is that it compiles. */
export const readers = {
  anthropic: (one: Anthropic.Message) => fromAnthropic(one, named) satisfies ReceivedAnswer,
  anthropicStream: (events: AsyncIterable<Anthropic.RawMessageStreamEvent>) =>
    fromAnthropic(events, named) satisfies Promise<ReceivedAnswer>,
  openai: (one: OpenAI.ChatCompletion) => fromOpenAI(one, named) satisfies ReceivedAnswer,
  openaiStream: (events: AsyncIterable<OpenAI.ChatCompletionChunk>) =>
    fromOpenAI(events, named) satisfies Promise<ReceivedAnswer>,
  responses: (one: OpenAI.Responses.Response) => fromOpenAIResponses(one, named) satisfies ReceivedAnswer,
  responsesStream: (events: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>) =>
    fromOpenAIResponses(events, named) satisfies Promise<ReceivedAnswer>,
  google: (one: GenerateContentResponse) => fromGemini(one, named) satisfies ReceivedAnswer,
  googleStream: (events: AsyncGenerator<GenerateContentResponse>) =>
    fromGemini(events, named) satisfies Promise<ReceivedAnswer>,
};

const named = { step: "1", model: "m" };
