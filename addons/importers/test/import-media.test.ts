import { describe, expect, it } from "vitest";
import type { TurnPayload } from "../../../packages/core/src/conversation/values/index.js";
import { isRefusal } from "../../../packages/core/src/files/values/index.js";
import { countedIds } from "../../../packages/core/test/conversation/support.js";
import { readSessionFile } from "../src/index.js";
import { answered, folded, imported, said } from "./import-support.js";

const data = Buffer.from("some bytes").toString("base64");
const png = { mimeType: "image/png", data };
const pdf = { mimeType: "application/pdf", data };
const url = (mimeType: string) => `data:${mimeType};base64,${data}`;

/** What other agents keep of an image, a document or a sound, and what it is. */
const forms: readonly (readonly [string, object, { readonly mimeType: string; readonly data: string }])[] = [
  ["Anthropic's image", { type: "image", source: { type: "base64", media_type: "image/png", data } }, png],
  ["Anthropic's PDF", { type: "document", source: { type: "base64", media_type: pdf.mimeType, data } }, pdf],
  ["pi's and MCP's image", { type: "image", ...png }, png],
  [
    "MCP's embedded resource",
    { type: "resource", resource: { uri: "file:///a.pdf", mimeType: pdf.mimeType, blob: data } },
    pdf,
  ],
  ["the image of the Responses API", { type: "input_image", image_url: url("image/png") }, png],
  ["the image of Chat Completions", { type: "image_url", image_url: { url: url("image/png") } }, png],
  ["a file of the Responses API", { type: "input_file", filename: "a", file_data: url(pdf.mimeType) }, pdf],
  [
    "a sound of Chat Completions",
    { type: "input_audio", input_audio: { data, format: "mp3" } },
    { mimeType: "audio/mp3", data },
  ],
];

/** What has no bytes that could be kept: it stays as it was, and no model is shown it. */
const others: readonly (readonly [string, object])[] = [
  ["an address", { type: "image", source: { type: "url", url: "https://example.org/a.png" } }],
  ["an uploaded file", { type: "document", source: { type: "file", file_id: "file_1" } }],
  ["what is no Base64", { type: "image", mimeType: "image/png", data: "<script>" }],
  ["nothing at all", { type: "image", mimeType: "image/png", data: "" }],
  ["no type", { type: "image", data }],
  ["a data URL that is no Base64", { type: "input_image", image_url: "data:image/png,abc" }],
];

describe("media of another agent's session", () => {
  for (const [name, block, media] of forms)
    it(`keeps ${name}, of the user and of a result`, () => {
      const { user, result, unknown } = shownOf(block);
      expect(user?.media).toEqual([media]);
      expect(result).toMatchObject({ output: "done", media: [media] });
      expect(unknown).toEqual([]);
    });

  for (const [name, block] of others)
    it(`keeps ${name} as it was, and makes nothing of it`, () => {
      const { user, result, unknown } = shownOf(block);
      expect(user?.media).toBeUndefined();
      expect(result?.media).toBeUndefined();
      expect(unknown.map((one) => one.data)).toEqual([block, block]);
    });

  it("keeps the words of documents and resources as words", () => {
    const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } };
    expect(shownOf(document).result).toMatchObject({ output: "done\nwords" });
    const resource = { type: "resource", resource: { uri: "a", mimeType: "text/plain", text: "words" } };
    expect(shownOf(resource).result).toMatchObject({ output: "done\nwords" });
  });
});

/** A session of Claude Code in which the user and a tool show the block. */
function shownOf(block: object) {
  const at = (uuid: string, parentUuid: string | null) => ({
    uuid,
    parentUuid,
    timestamp: "2026-01-01T00:00:00.000Z",
    sessionId: "x",
  });
  const words = (text: string) => ({ type: "text", text });
  const use = { type: "tool_use", id: "t1", name: "shot", input: {} };
  const result = { type: "tool_result", tool_use_id: "t1", content: [words("done"), block] };
  const lines = [
    { type: "user", ...at("a", null), message: { role: "user", content: [words("look"), block] } },
    { type: "assistant", ...at("b", "a"), message: { role: "assistant", content: [use] } },
    { type: "user", ...at("c", "b"), message: { role: "user", content: [result] } },
  ];
  const read = readSessionFile(lines.map((line) => JSON.stringify(line)).join("\n"), {
    from: "x",
    newId: countedIds(),
    now: 1,
  });
  if (isRefusal(read)) throw new Error(read.message);
  const payloads = read.events.flatMap(({ event }) =>
    event.type === "nodes_added" ? event.nodes.map(({ payload }) => payload) : [],
  );
  const of = <Kind extends TurnPayload["kind"]>(kind: Kind) =>
    payloads.filter((payload): payload is Extract<TurnPayload, { kind: Kind }> => payload.kind === kind);
  return { user: of("user_message")[0], result: of("tool_result")[0], unknown: of("unknown") };
}

it("keeps what the model made as the model's, in the formats in which it can stand", () => {
  const inlineData = png;
  const gemini = [
    { role: "user", parts: [{ text: "draw" }] },
    { role: "model", parts: [{ text: "Here." }, { inlineData, thoughtSignature: "c2ln" }] },
  ];
  const claude = [
    said("u", null, "draw"),
    answered("a", "u", "m", { type: "image", source: { type: "base64", media_type: "image/png", data } }),
  ];
  for (const lines of [gemini, claude]) {
    const made = [...folded(imported(lines)).context.nodes.values()].flatMap(({ payload }) =>
      payload.kind === "model_message" ? (payload.media ?? []) : [],
    );
    expect(made).toEqual([inlineData]);
  }
});
