import { describe, expect, it } from "vitest";
import {
  type AnthropicMessage,
  type Content,
  type RequestOptions,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "../../src/context/index.js";
import { call, model, rendered, result, Tree, user } from "./support.js";
import { checkAnthropic, checkOpenAI, checkOpenAIResponses } from "./wire-checks/index.js";

const schema = { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] };
const options: RequestOptions = {
  system: "You change files.",
  tools: [
    { name: "list files", inputSchema: {} },
    { name: "read_file", description: "Reads a file.", inputSchema: schema },
  ],
};

/** Two turns and the beginning of a third; thoughts lead the answers. */
function talk(): Tree {
  return new Tree()
    .add("u1", user("one"))
    .add("m1", model("yes", { thought: "hm", signature: "s", step: "1" }))
    .add("c1", call("A", { step: "1" }))
    .add("r1", result("A", "shown"))
    .add("m2", model("done", { step: "2" }))
    .add("u2", user("two"));
}

const contentsOf = (tree: Tree): readonly Content[] => rendered(tree).contents;

describe("system text and tools", () => {
  it("stand where each provider has a place for them, under names that it takes", () => {
    const contents = contentsOf(talk());
    expect(toAnthropic(contents, options).body).toMatchObject({
      system: [{ type: "text", text: "You change files." }],
      tools: [
        { name: "list_files", input_schema: { type: "object" } },
        { name: "read_file", description: "Reads a file.", input_schema: schema },
      ],
    });
    expect(toOpenAI(contents, options).body).toMatchObject({
      messages: [{ role: "system", content: "You change files." }, { role: "user" }, {}, {}, {}, {}],
      tools: [{ function: { name: "list_files" } }, { type: "function", function: { parameters: schema } }],
    });
    expect(toOpenAIResponses(contents, options).body).toMatchObject({
      instructions: "You change files.",
      tools: [
        { name: "list_files" },
        { type: "function", name: "read_file", parameters: schema, strict: false },
      ],
    });
    expect(toGemini(contents, options).body.config).toMatchObject({
      systemInstruction: "You change files.",
      tools: [{ functionDeclarations: [{ name: "list_files" }, { parametersJsonSchema: schema }] }],
    });
    for (const form of [toAnthropic, toOpenAI, toOpenAIResponses, toGemini])
      expect(Object.keys(form(contents, { system: " ", tools: [] }).body)).toEqual(
        Object.keys(form(contents).body),
      );
    expect(checkOpenAI(toOpenAI(contents, options).body, { request: true })).toEqual([]);
  });

  it("are counted, and are part of what is stable", () => {
    const contents = contentsOf(talk());
    for (const form of [toAnthropic, toOpenAI, toOpenAIResponses, toGemini]) {
      const bare = form(contents).report;
      const { chars, stable } = form(contents, options).report;
      expect(chars.system).toBe("You change files.".length);
      expect(chars.tools).toBeGreaterThan(JSON.stringify(schema).length);
      expect(chars.contents).toBe(bare.chars.contents);
      expect(bare.stable).toEqual({ parts: 7, chars: bare.chars.contents });
      expect(stable).toEqual({ parts: 7, chars: chars.system + chars.tools + chars.contents });
      const half = form(contents, { ...options, stableParts: 1 }).report;
      expect(half.stable).toEqual({ parts: 1, chars: chars.system + chars.tools + "one".length });
    }
  });
});

describe("cache breakpoints", () => {
  const marked = (messages: readonly AnthropicMessage[]) =>
    messages.flatMap(({ content }, message) =>
      content.flatMap((block, at) =>
        "cache_control" in block && block.cache_control !== undefined ? [[message, at]] : [],
      ),
    );

  it("stand after tools and system text, where the last request ended, and where what is stable ends", () => {
    const rendering = rendered(talk());
    const given = { ...options, stableParts: rendering.report.stableParts, cache: "1h" } as const;
    const { body, report } = toAnthropic(rendering.contents, given);
    if (report.caching.kind !== "breakpoints") throw new Error("no breakpoints");
    const { tools, system } = report.chars;
    expect(report.caching.breakpoints).toEqual([
      { after: "tools", parts: 0, chars: tools },
      { after: "system", parts: 0, chars: tools + system },
      // The result was the last thing that the request before this one held.
      { after: "contents", message: 2, block: 0, parts: 5, chars: expect.any(Number) },
      { after: "contents", message: 4, block: 0, parts: 7, chars: report.stable.chars },
    ]);
    expect(body.tools?.map((tool) => tool.cache_control)).toEqual([
      undefined,
      { type: "ephemeral", ttl: "1h" },
    ]);
    expect(body.system?.[0]?.cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
    expect(marked(body.messages)).toEqual([
      [2, 0],
      [4, 0],
    ]);
    expect(checkAnthropic(body, { request: true })).toEqual([]);
  });

  it("are named only, unless a cache is asked for, and never stand on a thought", () => {
    const rendering = rendered(talk());
    const { body, report } = toAnthropic(rendering.contents, { stableParts: 2 });
    expect(JSON.stringify(body)).not.toContain("cache_control");
    expect(report.caching).toMatchObject({
      breakpoints: [{ after: "contents", message: 0, block: 0, parts: 1 }],
    });
  });

  it("are none where the provider caches by itself, and the report says that", () => {
    for (const form of [toOpenAI, toOpenAIResponses, toGemini]) {
      const { body, report } = form(contentsOf(talk()), { ...options, cache: "5m" });
      expect(report.caching.kind).toBe("automatic");
      expect(report.caching.says).toMatch(/by itself/);
      expect(JSON.stringify(body)).not.toContain("ephemeral");
    }
  });
});

describe("the input of the Responses API", () => {
  it("holds media of results, and documents", () => {
    const media = [
      { mimeType: "image/png", data: "AA" },
      { mimeType: "application/pdf", data: "BB" },
      { mimeType: "audio/wav", data: "CC" },
    ];
    const tree = new Tree()
      .add("u", { kind: "user_message", text: "look", media })
      .add("a", call("A", { step: "1" }))
      .add("b", call("B", { step: "1" }))
      .add("ra", result("A", "seen", { media }))
      .add("rb", result("B", "", { isError: true }));
    const shown = [
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AA" },
      { type: "input_file", filename: "document.pdf", file_data: "data:application/pdf;base64,BB" },
      { type: "input_text", text: "[Media of type audio/wav cannot be shown here.]" },
    ];
    const { body } = toOpenAIResponses(contentsOf(tree));
    expect(body.input).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "look" }, ...shown] },
      { type: "function_call", call_id: "A", name: "read_file", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "B", name: "read_file", arguments: '{"path":"a"}' },
      {
        type: "function_call_output",
        call_id: "A",
        output: [{ type: "input_text", text: "seen" }, ...shown],
      },
      { type: "function_call_output", call_id: "B", output: "Error: " },
    ]);
    expect(checkOpenAIResponses(body, { request: true })).toEqual([]);
  });

  const says = { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] } as const;
  const asks = (id: string, name = "f") =>
    ({ type: "function_call", call_id: id, name, arguments: "{}" }) as const;
  const tells = (id: string) => ({ type: "function_call_output", call_id: id, output: "o" }) as const;
  const thinks = { type: "reasoning", id: "rs", summary: [] } as const;
  const broken = [
    ["not-empty", []],
    ["starts-with-user", [asks("a"), tells("a")]],
    ["ends-with-user", [says, { type: "message", role: "assistant", content: "x" }]],
    ["no-empty-text", [{ ...says, content: [{ type: "input_text", text: " " }] }]],
    ["no-empty-text", [says, { type: "message", role: "assistant", content: "" }, says]],
    ["no-empty-content", [{ ...says, content: [] }]],
    ["function-name", [says, asks("a", "b c"), tells("a")]],
    ["id-letters", [says, asks(""), tells("")]],
    ["ids-unique", [says, asks("a"), tells("a"), asks("a"), tells("a")]],
    ["results-follow-calls", [says, tells("a")]],
    ["calls-answered-next", [says, asks("a"), says]],
    ["calls-answered-next", [says, asks("a"), asks("b"), tells("a")]],
    ["reasoning-leads", [says, thinks, says]],
    ["reasoning-leads", [says, asks("a"), thinks, tells("a")]],
  ] as const;
  it.each(broken)("is checked for what the API refuses: %s", (rule, input) => {
    // The lists of the table are readonly all the way down; those of a request are not.
    const given = structuredClone(input) as never;
    expect(checkOpenAIResponses({ input: given }, { request: true }).map((one) => one.rule)).toContain(rule);
  });
});
