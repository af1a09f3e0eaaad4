import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  checkContents,
  fromGemini,
  providers,
  resolveMedia,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import type { Media, TurnPayload } from "../../src/conversation/values/index.js";
import { payloadsOfAnswer } from "../../src/conversation/values/model-answer.js";
import { call, overlay, rendered, result, Tree, user } from "./support.js";
import { checkAnthropic, checkGemini, checkOpenAI, checkOpenAIResponses } from "./wire-checks/index.js";

const bytes = Buffer.from("an image");
const data = bytes.toString("base64");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const inline: Media = { mimeType: "image/png", data };
const stored: Media = { mimeType: "image/png", sha256, sizeBytes: bytes.length };

const named = `8 bytes, sha256 ${sha256.slice(0, 16)}`;

function shot(media: Media, rest: object = {}): Tree {
  return new Tree()
    .add("u", user("look"))
    .add("c", call("A"))
    .add("d", call("B"))
    .add("r", result("A", "a screenshot", { media: [media], ...rest }))
    .add("s", result("B", "text"));
}

const contentsOf = (tree: Tree) => rendered(tree).contents;
const shelf = async (name: string) => (name === sha256 ? bytes : undefined);

describe("media of a result", () => {
  it("stand in it, and go where its text is replaced", () => {
    expect(contentsOf(shot(inline))[2]?.parts[0]).toMatchObject({
      functionResponse: { id: "A", parts: [{ inlineData: { mimeType: "image/png", data } }] },
    });
    const cleared = shot(inline).add(
      "o",
      overlay("r", { form: "replaced", by: "cleared", text: "[cleared]" }),
    );
    expect(JSON.stringify(contentsOf(cleared))).not.toContain(data);
    const empty = rendered(shot({ mimeType: "image/png", data: "" }));
    expect(empty.report.dropped).toEqual([{ nodeId: "r", what: "empty_media" }]);
    for (const provider of providers) expect(checkContents(contentsOf(shot(inline)), provider)).toEqual([]);
  });

  it("are the same prompt stored as they were inline, once they are read", async () => {
    const said = (media: Media) =>
      shot(media).add("m", { kind: "user_message", text: "and this?", media: [media] });
    const before = contentsOf(said(stored));
    const answer = await resolveMedia(before, shelf);
    if (answer.kind === "refusal") throw new Error(answer.message);
    const { contents, missing } = answer;
    expect(contents).toEqual(contentsOf(said(inline)));
    expect(missing).toEqual([]);
    expect(contents[0]).toBe(before[0]);
    expect(rendered(said(stored)).report.chars).toBe(rendered(said(inline)).report.chars);
  });

  it("that are lost are named, and said to be in every form", async () => {
    const answer = await resolveMedia(contentsOf(shot(stored)), async () => undefined);
    if (answer.kind === "refusal") throw new Error(answer.message);
    expect(answer.missing).toEqual([sha256]);
    const { contents } = answer;
    const forms = [
      toAnthropic(contents),
      toOpenAI(contents),
      toOpenAIResponses(contents),
      toGemini(contents, { model: "gemini-2.5-pro" }),
      toGemini(contents, { model: "gemini-3-pro" }),
    ];
    for (const form of forms)
      expect(JSON.stringify(form)).toContain(
        `image/png are not available here: 8 bytes, sha256 ${sha256.slice(0, 16)}.`,
      );
  });
});

describe("on the wire", () => {
  const source = { type: "base64", media_type: "image/png", data };

  it("Anthropic's results hold them, also those of errors", () => {
    const { messages } = toAnthropic(contentsOf(shot(inline))).body;
    expect(messages[2]?.content[0]).toMatchObject({
      type: "tool_result",
      content: [
        { type: "text", text: "a screenshot" },
        { type: "image", source },
      ],
    });
    expect(checkAnthropic({ messages }, { request: true })).toEqual([]);
    const failed = toAnthropic(
      contentsOf(shot({ ...inline, mimeType: "application/pdf" }, { isError: true })),
    ).body;
    expect(failed.messages[2]?.content[0]).toMatchObject({
      is_error: true,
      content: [{}, { type: "document" }],
    });
    expect(checkAnthropic(failed)).toEqual([]);
  });

  it("OpenAI's follow all results of the step, as the user's", () => {
    const { messages } = toOpenAI(contentsOf(shot(inline).add("m", user("well?")))).body;
    expect(messages.slice(2)).toMatchObject([
      {
        role: "tool",
        content: `a screenshot\n[Media of type image/png follow in the next message of the user: ${named}.]`,
      },
      { role: "tool", content: "text" },
      {
        role: "user",
        content: [
          { type: "text", text: "[Shown by read_file:]" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } },
          { type: "text", text: "well?" },
        ],
      },
    ]);
    expect(checkOpenAI({ messages }, { request: true })).toEqual([]);
  });

  it("Gemini's stand in the result from 3 on, and behind all results before", () => {
    const contents = contentsOf(shot(inline));
    const part = { inlineData: { mimeType: "image/png", data } };
    const [old, now] = ["gemini-2.5-pro", "gemini-3-pro"].map(
      (model) => toGemini(contents, { model }).body.contents,
    );
    expect(now?.[2]?.parts).toMatchObject([
      { functionResponse: { parts: [part] } },
      { functionResponse: {} },
    ]);
    expect(old?.[2]?.parts.map((one) => Object.keys(one)[0])).toEqual([
      "functionResponse",
      "functionResponse",
      "inlineData",
    ]);
    for (const [form, model] of [
      [old, "gemini-2.5-pro"],
      [now, "gemini-3-pro"],
    ] as const)
      expect(checkGemini({ contents: form ?? [] }, { request: true, model })).toEqual([]);
  });
});

/** What each API takes of a result's media, and what it is told of all else. */
describe("a type of media", () => {
  const forms = {
    anthropic: (tree: Tree) => toAnthropic(contentsOf(tree)).body,
    chat: (tree: Tree) => toOpenAI(contentsOf(tree)).body,
    responses: (tree: Tree) => toOpenAIResponses(contentsOf(tree)).body,
    gemini: (tree: Tree) => toGemini(contentsOf(tree), { model: "gemini-3-pro" }).body,
    gemini2: (tree: Tree) => toGemini(contentsOf(tree), { model: "gemini-2.5-pro" }).body,
  } as const;
  const all = Object.keys(forms) as (keyof typeof forms)[];
  const takers: Readonly<Record<string, readonly (keyof typeof forms)[]>> = {
    "image/png": all,
    "image/jpeg": all,
    "image/webp": all,
    "image/gif": ["anthropic", "chat", "responses"],
    "image/heic": ["gemini", "gemini2"],
    "image/svg+xml": [],
    "application/pdf": all,
    "text/plain": ["gemini", "gemini2"],
    "audio/wav": ["gemini", "gemini2"],
    "video/mp4": ["gemini", "gemini2"],
    "application/zip": [],
    "image/png; x": [],
    "": [],
  };
  for (const [mimeType, taking] of Object.entries(takers))
    for (const name of all)
      it(`${mimeType} is ${taking.includes(name) ? "sent" : "named"}: ${name}`, () => {
        const text = JSON.stringify(forms[name](shot({ mimeType, data })));
        expect(text.split(data).length - 1).toBe(taking.includes(name) ? 1 : 0);
        const sentence = `[Media of type ${mimeType} cannot be shown here: ${named}.]`;
        expect(text.includes(sentence)).toBe(!taking.includes(name));
      });
});

describe("media that the model made", () => {
  const made = fromGemini(
    {
      candidates: [
        {
          finishReason: "STOP",
          content: {
            parts: [
              { text: "Here it is." },
              { inlineData: { mimeType: "image/png", data }, thoughtSignature: "c2ln" },
              { text: "As you asked." },
            ],
          },
        },
      ],
    },
    { step: "s", model: "gemini-3-pro" },
  );
  const treeOf = (payloads: readonly TurnPayload[]) =>
    payloads.reduce((tree, payload, at) => tree.add(`m${at}`, payload), new Tree().add("u", user("draw")));
  const tree = treeOf(payloadsOfAnswer(made)).add("v", user("thanks"));
  const target = { provider: "google", model: "gemini-3-pro" };
  const { contents } = rendered(tree, { target });

  it("come out of the answer whole, and go back to Gemini as they came", () => {
    expect(made.flaws).toEqual([]);
    expect(toGemini(contents, { model: "gemini-3-pro" }).body.contents[1]).toEqual({
      role: "model",
      parts: [
        { text: "Here it is." },
        { inlineData: { mimeType: "image/png", data }, thoughtSignature: "c2ln" },
        { text: "As you asked." },
      ],
    });
  });

  it("are a sentence for those that take none in an answer, and break no rule", () => {
    const plain = rendered(tree).contents;
    for (const provider of providers) expect(checkContents(plain, provider)).toEqual([]);
    const bodies = [toAnthropic(plain).body, toOpenAI(plain).body, toOpenAIResponses(plain).body] as const;
    const [anthropic, chat, responses] = bodies;
    expect(checkAnthropic(anthropic)).toEqual([]);
    expect(checkOpenAI(chat)).toEqual([]);
    expect(checkOpenAIResponses(responses)).toEqual([]);
    expect(checkGemini(toGemini(plain).body)).toEqual([]);
    for (const body of bodies) {
      expect(JSON.stringify(body)).toContain(`[Media of type image/png cannot be shown here: ${named}.]`);
      expect(JSON.stringify(body)).not.toContain(data);
    }
  });
});
