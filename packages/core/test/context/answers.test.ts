import { describe, expect, it } from "vitest";
import {
  type AnswerOptions,
  fromAnthropic,
  fromGemini,
  fromOpenAI,
  fromOpenAIResponses,
  type ReceivedAnswer,
  renderContext,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import type { ContextManager } from "../../src/conversation/index.js";
import type { AnswerPart, ModelAnswer } from "../../src/conversation/values/index.js";
import { must, newManager } from "../conversation/support.js";
import * as anthropic from "./vendors/anthropic.js";
import * as gemini from "./vendors/gemini.js";
import * as openai from "./vendors/openai.js";
import * as responses from "./vendors/openai-responses.js";

const named: AnswerOptions = { step: "s1", model: "m" };

async function* streamOf<Event>(events: readonly Event[], thrown?: Error): AsyncGenerator<Event> {
  yield* events;
  if (thrown !== undefined) throw thrown;
}

interface Vendor {
  readonly name: string;
  readonly provider: string;
  readonly events: readonly { readonly type?: string }[];
  whole(): ReceivedAnswer;
  streamed(length: number, thrown?: Error): Promise<ReceivedAnswer>;
  /** What its API takes for one more request. */
  sent(manager: ContextManager): readonly unknown[];
  /** What it wants back of its answer, and after that the results. */
  readonly wanted: readonly unknown[];
}

const contentsFor = (manager: ContextManager, provider: string) =>
  renderContext(manager.context, { target: { provider, model: "m" } }).contents;

const results = ["A", "B"].map((name) => `result ${name}`);

/** The names of the tools are in no result of OpenAI's and Anthropic's. */
const vendors: readonly Vendor[] = [
  {
    name: "Anthropic",
    provider: "anthropic",
    events: anthropic.events,
    whole: () => fromAnthropic(anthropic.message, named),
    streamed: (length, thrown) => fromAnthropic(streamOf(anthropic.events.slice(0, length), thrown), named),
    sent: (manager) => toAnthropic(contentsFor(manager, "anthropic")).body.messages.slice(1),
    wanted: [
      {
        role: "assistant",
        content: anthropic.content.map((block) => {
          if (block.type === "tool_use")
            return { type: block.type, id: block.id, name: block.name, input: block.input };
          return block.type === "text" ? { type: "text", text: block.text } : block;
        }),
      },
      {
        role: "user",
        content: ["toolu_01A", "toolu_01B"].map((tool_use_id, at) => ({
          type: "tool_result",
          tool_use_id,
          content: results[at],
        })),
      },
    ],
  },
  {
    name: "OpenAI, Chat Completions",
    provider: "openai",
    events: openai.chunks.map((chunk) => ({ ...chunk, type: "chunk" })),
    whole: () => fromOpenAI(openai.completion, named),
    streamed: (length, thrown) => fromOpenAI(streamOf(openai.chunks.slice(0, length), thrown), named),
    sent: (manager) => toOpenAI(contentsFor(manager, "openai")).body.messages.slice(1),
    wanted: [
      {
        role: "assistant",
        content: "I look at both.",
        tool_calls: openai.completion.choices[0]?.message.tool_calls,
      },
      ...["call_A", "call_B"].map((tool_call_id, at) => ({
        role: "tool",
        tool_call_id,
        content: results[at],
      })),
    ],
  },
  {
    name: "OpenAI, Responses",
    provider: "openai",
    events: responses.events,
    whole: () => fromOpenAIResponses(responses.response, named),
    streamed: (length, thrown) =>
      fromOpenAIResponses(streamOf(responses.events.slice(0, length), thrown), named),
    sent: (manager) => toOpenAIResponses(contentsFor(manager, "openai")).body.input.slice(1),
    wanted: [
      ...responses.output,
      ...["call_A", "call_B"].map((call_id, at) => ({
        type: "function_call_output",
        call_id,
        output: results[at],
      })),
    ],
  },
  {
    name: "Gemini",
    provider: "google",
    events: gemini.stream(gemini.parts).map((piece) => ({ ...piece, type: "piece" })),
    whole: () => fromGemini(gemini.response(gemini.parts), named),
    streamed: (length, thrown) =>
      fromGemini(streamOf(gemini.stream(gemini.parts).slice(0, length), thrown), named),
    sent: (manager) =>
      toGemini(contentsFor(manager, "google"), { model: "gemini-3-pro" }).body.contents.slice(1),
    wanted: [
      { role: "model", parts: gemini.parts },
      {
        role: "user",
        parts: [
          ["g1", "read_file"],
          ["g2", "list_files"],
        ].map(([id, name], at) => ({ functionResponse: { id, name, response: { output: results[at] } } })),
      },
    ],
  },
];

/** Says something, takes the answer, and gives its calls a result each. */
function exchanged(answer: ModelAnswer): ContextManager {
  const manager = newManager();
  must(manager.commitStagedItems("go"));
  must(manager.addAnswer(answer));
  const calls = answer.parts.filter((part) => part.kind === "tool_call");
  for (const [at, { callId, name }] of calls.entries())
    must(manager.addNode({ kind: "tool_result", callId, name, output: results[at] ?? "" }));
  return manager;
}

describe.each(vendors)("an answer of $name", ({ events, whole, streamed, sent, wanted, provider }) => {
  it("goes back as it came, to the letter", () => {
    const answer = whole();
    expect(answer).toMatchObject({ ended: "complete", flaws: [], from: { provider, model: "m" } });
    expect(sent(exchanged(answer))).toEqual(wanted);
  });

  it("is the same as a stream", async () => {
    expect(await streamed(events.length)).toEqual(whole());
  });

  it("says what was counted: caches read and written, thoughts", () => {
    const written = provider === "google" ? {} : { cacheWriteTokens: 300 };
    expect(whole().usage).toEqual({
      inputTokens: 2_312,
      cachedInputTokens: 2_000,
      ...written,
      outputTokens: 90,
      thoughtTokens: 40,
    });
  });

  it("is what was whole, wherever its stream ends", async () => {
    const all = whole().parts;
    const thrown = new Error("the connection is gone");
    for (let length = 0; length < events.length; length += 1) {
      const answer = await streamed(length);
      const broken = await streamed(length, thrown);
      expect(broken).toEqual({ ...answer, error: thrown });
      const calls = answer.parts.filter((part) => part.kind === "tool_call");
      expect(calls).toEqual(all.filter((part) => part.kind === "tool_call").slice(0, calls.length));
      expect(isBeginning(answer.parts, all)).toBe(true);
      if (answer.ended === "complete") expect(answer.parts).toEqual(all);
      else expect(answer.ended).toBe("cut");
      if (answer.parts.length > 0) must(newManager().addAnswer(answer));
    }
  });
});

/** Whether it is the beginning of all: the words as far as they came, signatures that belong to them. */
function isBeginning(parts: readonly AnswerPart[], all: readonly AnswerPart[]): boolean {
  const words = (some: readonly AnswerPart[], kind: string) =>
    some.flatMap((part) => (part.kind === kind && "text" in part ? [part.text] : [])).join("");
  const signatures = (some: readonly AnswerPart[]) =>
    some.flatMap((part) => ("signature" in part && part.signature !== undefined ? [part.signature] : []));
  // A list of reasoning items may be shorter: its end is a bracket.
  const known = ({ length }: string, at: string) =>
    signatures(all).some((one) => one.slice(0, length - 1) === at);
  return (
    words(all, "text").startsWith(words(parts, "text")) &&
    words(all, "thought").startsWith(words(parts, "thought")) &&
    signatures(parts).every((one) => known(one, one.slice(0, -1)))
  );
}

describe("an answer that broke off", () => {
  it("tells of the call that it began, with what came of its arguments", async () => {
    const stop = anthropic.events.findIndex(
      (event) => event.type === "content_block_stop" && event.index === 4,
    );
    const cut = await fromAnthropic(streamOf(anthropic.events.slice(0, stop)), named);
    const json = JSON.stringify(anthropic.content[4]?.type === "tool_use" && anthropic.content[4].input);
    expect(cut.flaws).toEqual([
      {
        what: "cut_call",
        name: "read_file",
        message: "A call of read_file breaks off; it is not made.",
        text: json,
      },
    ]);
    expect(cut.parts.map(({ kind }) => kind)).toEqual([
      "redacted_thought",
      "thought",
      "redacted_thought",
      "text",
    ]);
    // What was counted before it broke off is known, what the model said is not.
    expect(cut.usage).toEqual({ inputTokens: 2_312, cachedInputTokens: 2_000, cacheWriteTokens: 300 });
  });

  it("keeps what was said of a text, and tells of it", async () => {
    const first = await fromGemini(streamOf([gemini.response([{ text: "I look" }])].map(unfinished)), named);
    expect(first).toMatchObject({ ended: "cut", parts: [{ kind: "text", text: "I look" }] });
    expect(first.flaws.map(({ what }) => what)).toEqual(["cut_text"]);
  });

  it("has no call whose end nobody saw for want of tokens", () => {
    const limited = fromAnthropic({ ...anthropic.message, stop_reason: "max_tokens" }, named);
    expect(limited.ended).toBe("length");
    expect(limited.flaws.map(({ what, text }) => [what, text])).toEqual([["cut_call", "{}"]]);
    const [choice] = openai.completion.choices;
    if (choice === undefined) throw new Error("no choice");
    const half = (written: string) =>
      fromOpenAI(
        {
          choices: [
            {
              ...choice,
              finish_reason: "length",
              message: {
                ...choice.message,
                tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: written } }],
              },
            },
          ],
        },
        named,
      );
    for (const written of ["", '{"a": 1', '{"a": "b'])
      expect(half(written).flaws.map(({ what }) => what)).toEqual(["cut_call"]);
    expect(half('{"a": 1}').parts.at(-1)).toMatchObject({ kind: "tool_call", args: { a: 1 } });
  });
});

function unfinished<Piece extends { readonly candidates: readonly object[] }>(piece: Piece) {
  return { ...piece, candidates: piece.candidates.map((one) => ({ ...one, finishReason: undefined })) };
}

describe("arguments", () => {
  const called = (written: string) =>
    fromOpenAI(
      {
        choices: [
          {
            index: 0,
            finish_reason: "tool_calls",
            message: {
              content: null,
              tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: written } }],
            },
          },
        ],
      },
      named,
    );

  it.each(["[1]", '{"a":', '{"a":1e999}', "{".repeat(300)])(
    "that are no object a journal keeps make no call: %s",
    (written) => {
      const { parts, flaws } = called(written);
      expect(parts).toEqual([]);
      expect(flaws).toMatchObject([{ what: "malformed_call", text: written }]);
    },
  );

  it("may be nested deeper than can be written: that is no call, and nothing is thrown", () => {
    const levels = 20_000;
    const json = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    const deep: unknown = JSON.parse(json);
    const item = { type: "function_call", call_id: "c", name: "f", arguments: json };
    const answers = [
      called(json),
      fromOpenAIResponses({ output: [item] }, named),
      fromAnthropic(
        { content: [{ type: "tool_use", id: "c", name: "f", input: deep } as { type: string }] },
        named,
      ),
      fromGemini(gemini.response([{ functionCall: { name: "f", args: deep } }]), named),
    ];
    for (const { parts, flaws } of answers) {
      expect(parts).toEqual([]);
      expect(flaws.length).toBe(1);
    }
  });

  it("may be nothing, and lose no more than the sign of a zero", () => {
    expect(called("").parts).toMatchObject([{ args: {} }]);
    expect(called('{"a":-0}').parts).toMatchObject([{ args: { a: 0 } }]);
  });
});

describe("calls without ids, or with one id twice", () => {
  it("get one that is the answer's own", () => {
    const calls = ["read_file", "list_files"].map((name) => ({ functionCall: { name, args: {} } }));
    const answer = fromGemini(gemini.response(calls), named);
    expect(answer.parts.map((part) => part.kind === "tool_call" && part.callId)).toEqual(["s1-1", "s1-2"]);
    const twice = fromGemini(
      gemini.response(calls.map(({ functionCall }) => ({ functionCall: { ...functionCall, id: "x" } }))),
      named,
    );
    expect(twice.parts.map((part) => part.kind === "tool_call" && part.callId)).toEqual(["x", "s1-2"]);
  });
});

describe("an empty signature", () => {
  it("signs nothing: a call that has to be signed is sent with the documented sentinel", () => {
    const unsigned = gemini.parts.map((part) =>
      "thoughtSignature" in part ? { ...part, thoughtSignature: "" } : part,
    );
    const manager = exchanged(fromGemini(gemini.response(unsigned), named));
    const [, said] = toGemini(contentsFor(manager, "google")).body.contents;
    expect(said?.parts[2]).toMatchObject({ thoughtSignature: "skip_thought_signature_validator" });
  });
});

describe("what belongs together", () => {
  it("is a message of OpenAI's and the reasoning that it followed: without that it has no id", () => {
    const manager = exchanged(fromOpenAIResponses(responses.response, named));
    const nodes = [...manager.context.nodes.values()];
    const thought = nodes.find(
      ({ payload }) =>
        payload.kind === "model_message" && payload.thought !== "" && payload.thought !== undefined,
    );
    must(manager.overlay(thought?.id ?? "", { form: "hidden" }));
    const { input } = toOpenAIResponses(contentsFor(manager, "openai")).body;
    expect(input[1]).toEqual({ type: "message", role: "assistant", content: "I look ", phase: "commentary" });
    expect(input.filter((item) => item.type === "function_call").map((item) => "id" in item)).toEqual([
      false,
      true,
    ]);
  });

  it("is a signature of Gemini's behind the words, in a part of its own", async () => {
    const last = await fromGemini(streamOf(gemini.stream(gemini.lastParts)), named);
    expect(last).toEqual(fromGemini(gemini.response(gemini.lastParts), named));
    const manager = exchanged(last);
    must(manager.commitStagedItems("and now?"));
    const [, said] = toGemini(contentsFor(manager, "google")).body.contents;
    expect(said).toEqual({ role: "model", parts: gemini.lastParts });
    // Other providers are not sent a blank text.
    const { contents } = renderContext(manager.context);
    expect(toAnthropic(contents).body.messages[1]?.content).toEqual([
      { type: "text", text: "Both are empty." },
    ]);
    expect(toOpenAI(contents).body.messages[1]).toEqual({ role: "assistant", content: "Both are empty." });
  });
});

describe("a refusal of OpenAI's", () => {
  it("is words of the model, and goes back as a refusal", () => {
    const message = {
      type: "message" as const,
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "refusal", refusal: "I will not." }],
    };
    const answer = fromOpenAIResponses({ output: [message] }, named);
    const manager = exchanged(answer);
    must(manager.commitStagedItems("why?"));
    expect(toOpenAIResponses(contentsFor(manager, "openai")).body.input[1]).toEqual(message);
  });
});
