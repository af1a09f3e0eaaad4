import { describe, expect, it } from "vitest";
import {
  type AnthropicMessage,
  type Content,
  checkAnthropic,
  checkContents,
  checkGemini,
  checkOpenAI,
  type GeminiContent,
  invariants,
  type OpenAIMessage,
  providers,
  renderContext,
  safeCuts,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import { call, model, rendered, result, Tree, user } from "./support.js";

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

interface Broken {
  readonly rule: string;
  readonly messages: readonly AnthropicMessage[];
}

const says = (text: string) => ({ type: "text", text }) as const;
const uses = (id: string) => ({ type: "tool_use", id, name: "f", input: {} }) as const;
const answers = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "o" }) as const;
const thinks = { type: "thinking", thinking: "t", signature: "s" } as const;
const hi: AnthropicMessage = { role: "user", content: [says("hi")] };

const brokenAnthropic: readonly Broken[] = [
  { rule: "not-empty", messages: [] },
  { rule: "starts-with-user", messages: [{ role: "assistant", content: [says("x")] }, hi] },
  { rule: "ends-with-user", messages: [hi, { role: "assistant", content: [says("x")] }] },
  { rule: "roles-alternate", messages: [hi, hi] },
  { rule: "no-empty-content", messages: [{ role: "user", content: [] }] },
  { rule: "no-empty-text", messages: [{ role: "user", content: [says(" \n")] }] },
  { rule: "calls-answered-next", messages: [hi, { role: "assistant", content: [uses("a")] }, hi] },
  { rule: "calls-answered-next", messages: [hi, { role: "assistant", content: [uses("a")] }] },
  { rule: "calls-answered-next", messages: [{ role: "user", content: [answers("a")] }] },
  {
    rule: "calls-answered-next",
    messages: [
      hi,
      { role: "assistant", content: [uses("a"), uses("b")] },
      { role: "user", content: [answers("a"), answers("a")] },
    ],
  },
  {
    rule: "results-first",
    messages: [
      hi,
      { role: "assistant", content: [uses("a")] },
      { role: "user", content: [says("x"), answers("a")] },
    ],
  },
  {
    rule: "ids-unique",
    messages: [
      hi,
      { role: "assistant", content: [uses("a")] },
      { role: "user", content: [answers("a")] },
      { role: "assistant", content: [uses("a")] },
      { role: "user", content: [answers("a")] },
    ],
  },
  {
    rule: "id-letters",
    messages: [
      hi,
      { role: "assistant", content: [uses("a b")] },
      { role: "user", content: [answers("a b")] },
    ],
  },
  { rule: "thinking-not-last", messages: [hi, { role: "assistant", content: [thinks] }, hi] },
  {
    rule: "thinking-not-adjacent",
    messages: [hi, { role: "assistant", content: [thinks, thinks, says("x")] }, hi],
  },
  {
    rule: "thinking-signed",
    messages: [hi, { role: "assistant", content: [{ ...thinks, signature: "" }, says("x")] }, hi],
  },
  { rule: "blocks-on-their-side", messages: [{ role: "user", content: [thinks, says("x")] }] },
  {
    rule: "error-says-something",
    messages: [
      hi,
      { role: "assistant", content: [uses("a")] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", is_error: true }] },
    ],
  },
  {
    rule: "image-type",
    messages: [
      {
        role: "user",
        // @ts-expect-error: it cannot be written, only forced.
        content: [{ type: "image", source: { type: "base64", media_type: "image/tiff", data: "A" } }],
      },
    ],
  },
  { rule: "well-formed", messages: [{ role: "user", content: [says("\ud800")] }] },
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

const brokenOpenAI: readonly { readonly rule: string; readonly messages: readonly OpenAIMessage[] }[] = [
  { rule: "not-empty", messages: [] },
  { rule: "some-user-message", messages: [calling("a"), answering("a")] },
  { rule: "ends-with-user", messages: [greets, { role: "assistant", content: "x" }] },
  { rule: "results-follow-calls", messages: [greets, answering("a")] },
  { rule: "calls-answered-next", messages: [greets, calling("a", "b"), answering("a"), greets] },
  { rule: "calls-answered-next", messages: [greets, calling("a"), greets, answering("a")] },
  { rule: "calls-answered-next", messages: [greets, calling("a"), answering("a"), answering("b")] },
  { rule: "no-empty-content", messages: [greets, { role: "assistant", content: null }, greets] },
  { rule: "no-empty-text", messages: [{ role: "user", content: "" }] },
  { rule: "ids-unique", messages: [greets, calling("a"), answering("a"), calling("a"), answering("a")] },
  {
    rule: "arguments-are-json",
    messages: [greets, { role: "assistant", content: null, tool_calls: [asks("a", "{")] }, answering("a")],
  },
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

const brokenGemini: readonly { readonly rule: string; readonly contents: readonly GeminiContent[] }[] = [
  { rule: "not-empty", contents: [] },
  { rule: "starts-with-user", contents: [modelCalls("a"), userTells("a")] },
  { rule: "ends-with-user", contents: [userSays, { role: "model", parts: [{ text: "x" }] }] },
  { rule: "roles-alternate", contents: [userSays, userSays] },
  { rule: "no-empty-content", contents: [{ role: "user", parts: [] }] },
  { rule: "no-empty-part", contents: [{ role: "user", parts: [{ text: "" }] }] },
  { rule: "calls-answered-next", contents: [userSays, modelCalls("a", "b"), userTells("a")] },
  { rule: "calls-answered-next", contents: [userSays, modelCalls("a"), userTells("b")] },
  { rule: "calls-answered-next", contents: [userSays, modelCalls("a")] },
  {
    rule: "first-call-signed",
    contents: [
      userSays,
      { role: "model", parts: [{ functionCall: { id: "a", name: "f", args: {} } }] },
      userTells("a"),
    ],
  },
  { rule: "thoughts-are-the-models", contents: [{ role: "user", parts: [{ text: "x", thought: true }] }] },
  {
    rule: "function-name",
    contents: [
      userSays,
      { role: "model", parts: [{ functionCall: { id: "a", name: "1 f", args: {} }, thoughtSignature: "s" }] },
      userTells("a"),
    ],
  },
];

describe("the checks of the wire forms", () => {
  for (const { rule, messages } of brokenAnthropic)
    it(`see what Anthropic refuses: ${rule}`, () => {
      const found = checkAnthropic({ messages }, { request: true });
      expect(found.map((one) => one.rule)).toContain(rule);
    });
  for (const { rule, messages } of brokenOpenAI)
    it(`see what OpenAI refuses: ${rule}`, () => {
      expect(checkOpenAI({ messages }, { request: true }).map((one) => one.rule)).toContain(rule);
    });
  for (const { rule, contents } of brokenGemini)
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

  it("say each what they are", () => {
    for (const provider of providers)
      for (const { says: sentence } of invariants[provider]) expect(sentence).toMatch(/^[A-Z].*[.]$/);
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
