import type { Content, ModelEvent } from "@holdfast/core/context";
import { describe, expect, it } from "vitest";
import { type AiSdkCallOptions, type AiSdkVersion, modelFromAiSdk } from "../src/ai-sdk.js";

/** A model of the SDK that gives these parts of a stream; the real ones are asked in examples/ai-sdk. */
function playing(parts: readonly object[], specificationVersion: AiSdkVersion = "v3") {
  const calls: AiSdkCallOptions[] = [];
  const left = [...parts];
  const reader = {
    read: async () => ({ done: left.length === 0, value: left.shift() }),
    cancel: async () => {},
  };
  const model = {
    specificationVersion,
    provider: "acme.messages",
    modelId: "m",
    async doStream(options: AiSdkCallOptions) {
      calls.push(options);
      return { stream: { getReader: () => reader } };
    },
  };
  return { port: modelFromAiSdk(model, { maxOutputTokens: 9 }), calls };
}

async function asked({ port }: Pick<ReturnType<typeof playing>, "port">, contents: readonly Content[] = []) {
  const events: ModelEvent[] = [];
  for await (const event of port.ask({ step: "s", contents })) events.push(event);
  const last = events.at(-1);
  return last?.kind === "finish" ? last.answer : last;
}

const end = { type: "finish", finishReason: { unified: "stop", raw: "end_turn" }, usage: {} };
const signature = { acme: { signature: "AbC=" } };

describe("modelFromAiSdk", () => {
  it("keeps what the provider signed, and gives it back as it came", async () => {
    const answer = await asked(
      playing([
        { type: "reasoning-start", id: "0" },
        { type: "reasoning-delta", id: "0", delta: "Hm." },
        { type: "reasoning-end", id: "0", providerMetadata: signature },
        { type: "tool-call", toolCallId: "c", toolName: "t", input: "{}", providerMetadata: signature },
        end,
      ]),
    );
    const signed = JSON.stringify(signature);
    expect(answer).toMatchObject({
      from: { provider: "acme.messages", model: "m" },
      stopReason: "end_turn",
      parts: [
        { kind: "thought", text: "Hm.", signature: signed },
        { kind: "tool_call", callId: "c", name: "t", args: {}, signature: signed },
      ],
    });
    const again = playing([end]);
    await asked(again, [
      {
        role: "model",
        parts: [
          { text: "Hm.", thought: true, thoughtSignature: signed },
          { functionCall: { id: "c", name: "t", args: {} }, thoughtSignature: signed },
          { text: "Not of the SDK.", thoughtSignature: "not JSON" },
        ],
      },
    ]);
    expect(again.calls).toMatchObject([{ maxOutputTokens: 9 }]);
    expect(again.calls[0]?.prompt).toEqual([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: signature },
          { type: "tool-call", toolCallId: "c", toolName: "t", input: {}, providerOptions: signature },
          { type: "text", text: "Not of the SDK." },
        ],
      },
    ]);
  });

  it.each([
    ["v3", "AA==", { type: "image-data", mediaType: "image/png", data: "AA==" }],
    [
      "v4",
      { type: "data", data: "AA==" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AA==" } },
    ],
  ] as const)("writes media and results as %s has them, in their order", async (version, data, shown) => {
    const playedModel = playing([end], version);
    const media = { inlineData: { mimeType: "image/png", data: "AA==" } };
    const result = (response: { output: string } | { error: string }, more = {}) => ({
      functionResponse: { id: "c", name: "t", response, ...more },
    });
    await asked(playedModel, [
      {
        role: "user",
        parts: [result({ error: "no" }), result({ output: "seen" }, { parts: [media] }), media],
      },
    ]);
    const answered = { type: "tool-result", toolCallId: "c", toolName: "t" };
    expect(playedModel.calls[0]?.prompt).toEqual([
      {
        role: "tool",
        content: [
          { ...answered, output: { type: "error-text", value: "no" } },
          { ...answered, output: { type: "content", value: [{ type: "text", text: "seen" }, shown] } },
        ],
      },
      { role: "user", content: [{ type: "file", mediaType: "image/png", data }] },
    ]);
  });

  it.each([
    [{ type: "error", error: { statusCode: 529, message: "full" } }, "overloaded"],
    [{ type: "error", error: "it stopped" }, "cut"],
    [{ ...end, finishReason: { unified: "error", raw: undefined } }, "overloaded"],
    [{ type: "ping" }, "cut"],
  ])("says why there is no answer: %j", async (part, reason) => {
    expect(await asked(playing([part]))).toMatchObject({ kind: "failed", failure: { reason } });
  });

  it("leaves out what the provider has carried out by itself", async () => {
    const own = {
      type: "tool-call",
      toolCallId: "c",
      toolName: "search",
      input: "{}",
      providerExecuted: true,
    };
    expect(await asked(playing([own, end]))).toMatchObject({ parts: [] });
  });
});
