import { describe, expect, it } from "vitest";
import {
  type AnthropicMessage,
  type Content,
  checkContents,
  type GeminiContent,
  type OpenAIMessage,
  renderContext,
  safeCuts,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import { call, model, rendered, result, Tree, user } from "./support.js";
import { checkAnthropic, checkGemini, checkOpenAI } from "./wire-checks/index.js";

/** A conversation that has something of everything. */
function exchange(): readonly Content[] {
  const tree = new Tree()
    .add("u", {
      kind: "user_message",
      text: "look",
      media: [
        { mimeType: "image/png", data: "AA" },
        { mimeType: "application/pdf", data: "BB" },
        { mimeType: "audio/wav", data: "CC" },
      ],
    })
    .add("m", model("yes", { thought: "hm", signature: "s", redactedThought: "r", step: "1" }))
    .add("a", call("A b", { step: "1" }))
    .add("b", call("B", { step: "1", signature: "g" }))
    .add("ra", result("A b", ""))
    .add("rb", result("B", " ", { isError: true }));
  return renderContext(tree.context).contents;
}

describe("the form for Anthropic", () => {
  it("has blocks of its own for everything, and ids of allowed letters", () => {
    expect(toAnthropic(exchange()).body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } },
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "BB" } },
          { type: "text", text: "[Media of type audio/wav cannot be shown here.]" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "redacted_thinking", data: "r" },
          { type: "text", text: "yes" },
          { type: "tool_use", id: "A_b", name: "read_file", input: { path: "a" } },
          { type: "tool_use", id: "B", name: "read_file", input: { path: "a" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "A_b" },
          { type: "tool_result", tool_use_id: "B", content: "(no message)", is_error: true },
        ],
      },
    ]);
  });

  it("keeps ids apart that become the same, and cuts long ones", () => {
    const ids = ["a b", "a_b", "x".repeat(80), "x".repeat(81), ""];
    const contents = ids.flatMap((id): readonly Content[] => [
      { role: "model", parts: [{ functionCall: { id, name: "1 f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "1 f", response: { output: "o" } } }] },
    ]);
    const { messages } = toAnthropic(contents).body;
    expect(
      messages.map(({ content: [block] }) => (block?.type === "tool_use" ? block.id : undefined)),
    ).toEqual([
      "a_b",
      undefined,
      "a_b-2",
      undefined,
      "x".repeat(64),
      undefined,
      `${"x".repeat(62)}-2`,
      undefined,
      "call",
      undefined,
    ]);
    expect(
      checkAnthropic({ messages: [{ role: "user", content: [{ type: "text", text: "t" }] }, ...messages] }),
    ).toEqual([]);
  });
});

describe("the form for OpenAI", () => {
  it("has ids of at most 40 letters, as the API takes them, and keeps them apart", () => {
    const ids = ["x".repeat(64), `${"x".repeat(41)}y`, "a"];
    const contents = ids.flatMap((id): readonly Content[] => [
      { role: "model", parts: [{ functionCall: { id, name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { id, name: "f", response: { output: "" } } }] },
    ]);
    const { messages } = toOpenAI([{ role: "user", parts: [{ text: "go" }] }, ...contents]).body;
    const sent = messages.flatMap((message) =>
      message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    );
    expect(sent).toEqual(["x".repeat(40), `${"x".repeat(38)}-2`, "a"]);
    const answered = messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
    expect(answered).toEqual(sent);
  });

  it("has a message for each result, and no thoughts", () => {
    expect(toOpenAI(exchange()).body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
          { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,BB" } },
          { type: "text", text: "[Media of type audio/wav cannot be shown here.]" },
        ],
      },
      {
        role: "assistant",
        content: "yes",
        tool_calls: [
          { id: "A_b", type: "function", function: { name: "read_file", arguments: '{"path":"a"}' } },
          { id: "B", type: "function", function: { name: "read_file", arguments: '{"path":"a"}' } },
        ],
      },
      { role: "tool", tool_call_id: "A_b", content: "" },
      { role: "tool", tool_call_id: "B", content: "Error:  " },
    ]);
  });
});

describe("the form for Gemini", () => {
  const callsOf = (contents: readonly GeminiContent[]) =>
    contents.flatMap(({ parts }) =>
      parts.flatMap((part) => ("functionCall" in part ? [part.thoughtSignature] : [])),
    );

  it("signs the first call of a step where the model asks for it", () => {
    expect(callsOf(toGemini(exchange(), { model: "gemini-3-pro" }).body.contents)).toEqual([
      "skip_thought_signature_validator",
      "g",
    ]);
    expect(callsOf(toGemini(exchange(), { model: "gemini-2.5-pro" }).body.contents)).toEqual([
      undefined,
      "g",
    ]);
  });
});

const says = (text: string) => ({ type: "text", text }) as const;
const uses = (id: string) => ({ type: "tool_use", id, name: "f", input: {} }) as const;
const answers = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "o" }) as const;
const thinks = { type: "thinking", thinking: "t", signature: "s" } as const;
type Blocks = AnthropicMessage["content"];
const human = (...content: Blocks): AnthropicMessage => ({ role: "user", content });
const bot = (...content: Blocks): AnthropicMessage => ({ role: "assistant", content });
const hi = human(says("hi"));
const tiff = { type: "image", source: { type: "base64", media_type: "image/tiff", data: "A" } };

const brokenAnthropic: readonly (readonly [rule: string, ...messages: AnthropicMessage[]])[] = [
  ["not-empty"],
  ["starts-with-user", bot(says("x")), hi],
  ["ends-with-user", hi, bot(says("x"))],
  ["roles-alternate", hi, hi],
  ["no-empty-content", human()],
  ["no-empty-text", human(says(" \n"))],
  ["calls-answered-next", hi, bot(uses("a")), hi],
  ["calls-answered-next", hi, bot(uses("a"))],
  ["calls-answered-next", human(answers("a"))],
  ["calls-answered-next", hi, bot(uses("a"), uses("b")), human(answers("a"), answers("a"))],
  ["results-first", hi, bot(uses("a")), human(says("x"), answers("a"))],
  ["ids-unique", hi, bot(uses("a")), human(answers("a")), bot(uses("a")), human(answers("a"))],
  ["id-letters", hi, bot(uses("a b")), human(answers("a b"))],
  ["thinking-not-last", hi, bot(thinks), hi],
  ["thinking-not-adjacent", hi, bot(thinks, thinks, says("x")), hi],
  ["thinking-signed", hi, bot({ ...thinks, signature: "" }, says("x")), hi],
  ["blocks-on-their-side", human(thinks, says("x"))],
  [
    "error-says-something",
    hi,
    bot(uses("a")),
    human({ type: "tool_result", tool_use_id: "a", is_error: true }),
  ],
  // It cannot be written, only forced.
  ["image-type", human(tiff as never)],
  ["well-formed", human(says("\ud800"))],
];

const asks = (id: string, args = "{}") =>
  ({ id, type: "function", function: { name: "f", arguments: args } }) as const;
const greets: OpenAIMessage = { role: "user", content: "hi" };
const calling = (...ids: string[]): OpenAIMessage => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => asks(id)),
});
const answering = (id: string): OpenAIMessage => ({ role: "tool", tool_call_id: id, content: "o" });

const bad: OpenAIMessage = { role: "assistant", content: null, tool_calls: [asks("a", "{")] };

const brokenOpenAI: readonly (readonly [rule: string, ...messages: OpenAIMessage[]])[] = [
  ["not-empty"],
  ["some-user-message", calling("a"), answering("a")],
  ["ends-with-user", greets, { role: "assistant", content: "x" }],
  ["results-follow-calls", greets, answering("a")],
  ["calls-answered-next", greets, calling("a", "b"), answering("a"), greets],
  ["calls-answered-next", greets, calling("a"), greets, answering("a")],
  ["calls-answered-next", greets, calling("a"), answering("a"), answering("b")],
  ["no-empty-content", greets, { role: "assistant", content: null }, greets],
  ["no-empty-text", { role: "user", content: "" }],
  ["ids-unique", greets, calling("a"), answering("a"), calling("a"), answering("a")],
  ["arguments-are-json", greets, bad, answering("a")],
];

const userSays: GeminiContent = { role: "user", parts: [{ text: "hi" }] };
const modelCalls = (...ids: string[]): GeminiContent => ({
  role: "model",
  parts: ids.map((id) => ({ functionCall: { id, name: "f", args: {} }, thoughtSignature: "s" })),
});
const userTells = (...ids: string[]): GeminiContent => ({
  role: "user",
  parts: ids.map((id) => ({ functionResponse: { id, name: "f", response: { output: "" } } })),
});

const unsigned: GeminiContent = {
  role: "model",
  parts: [{ functionCall: { id: "a", name: "f", args: {} } }],
};
const misnamed: GeminiContent = {
  role: "model",
  parts: [{ functionCall: { id: "a", name: "1 f", args: {} }, thoughtSignature: "s" }],
};

const brokenGemini: readonly (readonly [rule: string, ...contents: GeminiContent[]])[] = [
  ["not-empty"],
  ["starts-with-user", modelCalls("a"), userTells("a")],
  ["ends-with-user", userSays, { role: "model", parts: [{ text: "x" }] }],
  ["roles-alternate", userSays, userSays],
  ["no-empty-content", { role: "user", parts: [] }],
  ["no-empty-part", { role: "user", parts: [{ text: "" }] }],
  ["calls-answered-next", userSays, modelCalls("a", "b"), userTells("a")],
  ["calls-answered-next", userSays, modelCalls("a"), userTells("b")],
  ["calls-answered-next", userSays, modelCalls("a")],
  ["first-call-signed", userSays, unsigned, userTells("a")],
  ["thoughts-are-the-models", { role: "user", parts: [{ text: "x", thought: true }] }],
  ["function-name", userSays, misnamed, userTells("a")],
];

describe("the checks of the wire forms", () => {
  for (const [rule, ...messages] of brokenAnthropic)
    it(`see what Anthropic refuses: ${rule}`, () => {
      const found = checkAnthropic({ messages }, { request: true });
      expect(found.map((one) => one.rule)).toContain(rule);
    });
  for (const [rule, ...messages] of brokenOpenAI)
    it(`see what OpenAI refuses: ${rule}`, () => {
      expect(checkOpenAI({ messages }, { request: true }).map((one) => one.rule)).toContain(rule);
    });
  for (const [rule, ...contents] of brokenGemini)
    it(`see what Gemini refuses: ${rule}`, () => {
      const found = checkGemini({ contents }, { request: true, model: "gemini-3-pro" });
      expect(found.map((one) => one.rule)).toContain(rule);
    });
});

const said: Content = { role: "user", parts: [{ text: "hi" }] };
const called = (...ids: string[]): Content => ({
  role: "model",
  parts: ids.map((id) => ({ functionCall: { id, name: "f", args: {} } })),
});
const answered = (...ids: string[]): Content => ({
  role: "user",
  parts: ids.map((id) => ({ functionResponse: { id, name: "f", response: { output: "" } } })),
});

const brokenContents: readonly (readonly [string, readonly Content[]])[] = [
  ["starts_with_user", [called("a"), answered("a")]],
  ["roles_alternate", [said, said]],
  ["nothing_empty", [{ role: "user", parts: [{ text: " " }] }]],
  ["nothing_empty", [{ role: "user", parts: [] }]],
  ["calls_answered_next", [said, called("a", "b"), answered("a")]],
  ["calls_answered_next", [answered("a")]],
  ["results_first", [said, called("a"), { role: "user", parts: [...said.parts, ...answered("a").parts] }]],
  ["ids_unique", [said, called("a"), answered("a"), called("a"), answered("a")]],
  ["thoughts_lead", [said, { role: "model", parts: [{ text: "t", thought: true }] }]],
  ["parts_on_their_side", [{ role: "user", parts: [{ text: "t", thought: true }, { text: "x" }] }]],
];

describe("the demands on the neutral form", () => {
  for (const [id, contents] of brokenContents)
    it(`see what breaks them: ${id}`, () => {
      const found = checkContents(contents, "anthropic");
      expect(found.map(({ invariant }) => invariant)).toContain(id);
    });
});

describe("safe cuts", () => {
  it("stand before what the user says, never inside a batch or between call and result", () => {
    const tree = new Tree()
      .add("u1", user("one"))
      .add("a", call("A", { step: "1" }))
      .add("b", call("B", { step: "1" }))
      .add("n", { kind: "note", text: "meanwhile", audience: "model" })
      .add("ra", result("A"))
      .add("rb", result("B"))
      .add("n2", { kind: "note", text: "after", audience: "model" })
      .add("m", model("so", { step: "2" }))
      .add("u2", user("two"));
    expect(safeCuts(rendered(tree), "anthropic")).toEqual(["u1", "n2", "u2"]);
  });
});

describe("halves of letters", () => {
  it("are sent in no form, wherever they stand: no provider takes them", () => {
    const half = "a\ud83d";
    const args = { [half]: half, list: [half, { deep: half }] };
    const tree = new Tree()
      .add("u", user(half))
      .add("m", model(half, { thought: half, step: "1" }))
      .add("c", { kind: "tool_call", callId: half, name: half, args, step: "1" })
      .add("r", { kind: "tool_result", callId: half, name: half, output: half })
      .add("d", { kind: "tool_call", callId: "d", name: "d", args: {}, step: "2" })
      .add("e", { kind: "tool_result", callId: "d", name: "d", output: half, isError: true });
    const { contents } = renderContext(tree.context);
    const forms = [toAnthropic, toOpenAI, toOpenAIResponses, toGemini].map((form) => form(contents));
    for (const form of forms) expect(JSON.stringify(form)).not.toContain("\\ud83d");
  });
});
