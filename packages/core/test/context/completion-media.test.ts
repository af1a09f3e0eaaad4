import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { fromOpenAI, type ReceivedAnswer, toGemini, toOpenAI } from "../../src/context/index.js";
import { payloadsOfAnswer } from "../../src/conversation/values/model-answer.js";
import { rendered, Tree, user } from "./support.js";
import { checkOpenAI } from "./wire-checks/index.js";

const named = { step: "s", model: "gpt-audio" };
const target = { provider: "openai", model: "gpt-audio" };
const wav = Buffer.from("RIFF....WAVEfmt sound").toString("base64");
const png = Buffer.from("a picture").toString("base64");
const at = Date.UTC(2026, 10, 24);

/** Typed as the SDK has it, so that what it sends is what is read. */
const spoken = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-audio",
  choices: [
    {
      index: 0,
      finish_reason: "stop",
      logprobs: null,
      message: {
        role: "assistant",
        content: null,
        refusal: null,
        audio: { id: "audio_1", data: wav, expires_at: at / 1000 + 60, transcript: "Good day." },
      },
    },
  ],
} satisfies OpenAI.ChatCompletion;

const pictures = (urls: readonly string[]) =>
  urls.map((url, index) => ({ type: "image_url", image_url: { url }, index }));
const answered = (message: object) => fromOpenAI({ choices: [{ finish_reason: "stop", message }] }, named);
async function streamed(deltas: readonly object[], ended = true): Promise<ReceivedAnswer> {
  async function* chunks() {
    for (const delta of deltas) yield { choices: [{ index: 0, delta }] };
    if (ended) yield { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  }
  return fromOpenAI(chunks(), named);
}
const contentsOf = (answer: ReceivedAnswer, aimed: typeof target | undefined = target) => {
  const all = payloadsOfAnswer(answer);
  const tree = all.reduce((sum, payload, n) => sum.add(`m${n}`, payload), new Tree().add("u", user("speak")));
  return rendered(tree.add("v", user("again")), aimed === undefined ? {} : { target: aimed }).contents;
};

describe("an answer in sound of Chat Completions", () => {
  const answer = fromOpenAI(spoken, named);

  it("is its transcript and its bytes", () => {
    expect(answer).toMatchObject({
      ended: "complete",
      flaws: [],
      parts: [
        { kind: "text", text: "Good day." },
        { kind: "media", mimeType: "audio/wav", data: wav },
      ],
    });
  });

  it("is the same out of a stream, whose pieces are each Base64 of their own", async () => {
    const bytes = Buffer.from(wav, "base64");
    const pieces = [0, 1, 5].map((from, n, all) => bytes.subarray(from, all[n + 1]).toString("base64"));
    const { expires_at } = spoken.choices[0]?.message.audio ?? {};
    const deltas = [
      { role: "assistant", audio: { id: "audio_1", transcript: "Good" } },
      ...pieces.map((data) => ({ audio: { data } })),
      { audio: { transcript: " day." } },
      { audio: { expires_at } },
    ];
    expect((await streamed(deltas)).parts).toEqual(answer.parts);
  });

  it("of which not all came is what was said until then, and told", async () => {
    const cut = await streamed([{ audio: { id: "a", transcript: "Good", data: wav } }], false);
    expect(cut.parts).toMatchObject([{ kind: "text", text: "Good" }]);
    expect(cut.flaws.map(({ what, text }) => [what, text])).toEqual([
      ["cut_text", "Good"],
      ["unknown_part", "audio/wav that is not whole"],
    ]);
  });

  it.each([
    ["ID3", "audio/mpeg"],
    ["\u00ff\u00fb", "audio/mpeg"],
    ["\u00ff\u00f1", "audio/aac"],
    ["\u0000\u0001", "audio/pcm"],
  ])("that begins with %j is %s", (head, mimeType) => {
    const data = Buffer.from(`${head}....`, "latin1").toString("base64");
    expect(answered({ audio: { id: "a", data, transcript: "" } }).parts).toMatchObject([{ mimeType, data }]);
  });

  it("goes back by its id while the API knows it", () => {
    const { messages } = toOpenAI(contentsOf(answer), { nowMs: at }).body;
    const params: OpenAI.Chat.ChatCompletionMessageParam[] = messages;
    expect(params[1]).toEqual({ role: "assistant", content: null, audio: { id: "audio_1" } });
    expect(checkOpenAI({ messages })).toEqual([]);
  });

  it.each([
    ["that has gone by", { nowMs: at + 60_000 }, target],
    ["that nobody tells", {}, target],
    ["for another model", { nowMs: at }, { ...target, model: "gpt-5.6" }],
  ])("goes back as what was said, at a time %s", (_what, options, aimed) => {
    const { messages } = toOpenAI(contentsOf(answer, aimed), options).body;
    expect(messages[1]).toEqual({
      role: "assistant",
      content: expect.stringMatching(
        /^Good day\.\n\[Media of type audio\/wav cannot be shown here: 21 bytes/,
      ),
    });
  });
});

describe("images in an answer of Chat Completions", () => {
  const url = `data:image/png;base64,${png}`;
  const parts = [
    { kind: "text", text: "Here." },
    { kind: "media", mimeType: "image/png", data: png },
  ];

  it.each([
    ["beside the text", { content: "Here.", images: pictures([url]) }],
    ["among the parts of the content", { content: [{ type: "text", text: "Here." }, ...pictures([url])] }],
  ])("are media of it: %s", (_what, message) => {
    expect(answered(message)).toMatchObject({ parts, flaws: [] });
  });

  it("are the same out of a stream", async () => {
    const deltas = [
      { content: "He" },
      { content: "re." },
      { images: pictures([url]) },
      { images: pictures([url]) },
    ];
    expect(await streamed(deltas)).toMatchObject({ parts, flaws: [] });
  });

  it("go back as a sentence to the same API, and as an image to Gemini", () => {
    const contents = contentsOf(answered({ content: "Here.", images: pictures([url]) }));
    expect(JSON.stringify(toOpenAI(contents).body)).toContain(
      "[Media of type image/png cannot be shown here: 9 bytes",
    );
    expect(toGemini(contents).body.contents[1]?.parts).toContainEqual({
      inlineData: { mimeType: "image/png", data: png },
    });
  });
});

describe("a content in parts of Chat Completions", () => {
  it("whose kind nobody knows is told once, however many pieces it came in", async () => {
    const thought = (text: string) => ({
      content: [{ type: "thinking", thinking: [{ type: "text", text }] }],
    });
    const deltas = [...["So", " it", " is"].map(thought), { content: [{ type: "text", text: "Yes." }] }];
    const { parts, flaws } = await streamed([...deltas, { content: [{ type: "odd" }] }]);
    expect(parts).toMatchObject([{ kind: "text", text: "Yes." }]);
    expect(flaws.map(({ what, text }) => [what, text])).toEqual([
      ["unknown_part", "thinking"],
      ["unknown_part", "odd"],
    ]);
  });
});
