import { upwards } from "@holdfast/core/conversation";
import { describe, expect, test } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { openaiChatModel } from "../../src/models/open-model.js";
import { openStage } from "../loop/stage.js";
import { Loopback, type Served } from "./wires.js";

async function opened(): Promise<Loopback> {
  const server = new Loopback();
  await server.open();
  afterThisTest(() => server.close());
  return server;
}

const line = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;
const choice = (member: object, finish_reason: string | null = null) =>
  line({ choices: [{ index: 0, finish_reason, ...member }] });
const delta = (said: object) => choice({ delta: said });
const end = (reason: string | null) => [
  choice({ delta: {} }, reason),
  line({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } }),
  "data: [DONE]\n\n",
];
const call = (more: object, name: string | undefined, args: unknown) =>
  delta({ tool_calls: [{ index: 0, type: "function", ...more, function: { name, arguments: args } }] });

const file = { file_path: "a.ts" };
const json = JSON.stringify(file);
const plain = call({ id: "c" }, "read_file", json);
const read = "read_file";

/** How servers write one answer that reads a file. */
const forms: Readonly<Record<string, readonly string[]>> = {
  "id and name again with each piece": [
    ...["", ...(json.match(/.{1,5}/gu) ?? [])].map((piece) => call({ id: "c" }, read, piece)),
    ...end("tool_calls"),
  ],
  "a name that grows": [
    call({ id: "c" }, "read", ""),
    call({ id: "c" }, "read_file", json),
    ...end("tool_calls"),
  ],
  "a name in pieces": [call({ id: "c" }, "read_", ""), call({}, "file", json), ...end("tool_calls")],
  "arguments as an object": [call({ id: "c" }, read, file), ...end("tool_calls")],
  "no id": [call({}, read, json), ...end("tool_calls")],
  "the older form": [delta({ function_call: { name: read, arguments: json } }), ...end("function_call")],
  "a message in place of deltas": [
    choice(
      {
        message: {
          content: null,
          tool_calls: [{ id: "c", type: "function", function: { name: read, arguments: json } }],
        },
      },
      "tool_calls",
    ),
    "data: [DONE]\n\n",
  ],
  "the message again behind its deltas": [
    plain,
    choice(
      {
        message: {
          content: null,
          tool_calls: [{ id: "c", type: "function", function: { name: read, arguments: json } }],
        },
      },
      "tool_calls",
    ),
    "data: [DONE]\n\n",
  ],
  "no reason for the end": [plain, ...end(null)],
  "stop as the reason": [plain, ...end("stop")],
};

/** What an agent does with answers of a gateway. */
async function talk(...streams: readonly (readonly string[] | Served)[]) {
  const last = [delta({ content: "Done." }), ...end("stop")];
  const script = [...streams, last].map(
    (one): Served => ("status" in one ? one : "stream" in one ? one : { stream: one }),
  );
  const server = await opened();
  server.script = script;
  const retry = { sleep: async () => {} };
  const model = openaiChatModel({
    model: "m",
    key: "k",
    keyName: "K",
    baseUrl: `${server.url}/v1`,
    maxOutputTokens: 32_000,
    retry,
  });
  const stage = await openStage([], { model }, { "a.ts": "one\n", "b.ts": "two\n" });
  const ended = await stage.turn("Go.");
  const calls = stage.events.flatMap((event) =>
    event.kind === "call_ended" ? [[event.call.name, event.call.code]] : [],
  );
  const { context } = stage.manager;
  const nodes = [...upwards(context, context.currentNodeId)].reverse().map(({ payload }) => payload);
  const said = nodes.flatMap((one) =>
    one.kind === "model_message" ? [[(one.thought ?? "").trim(), one.text]] : [],
  );
  const notes = nodes.flatMap((one) => (one.kind === "note" ? [one.text] : []));
  const bodies = server.bodies as { messages: { role: string }[]; max_tokens?: number }[];
  const back = bodies.at(-1)?.messages.filter(({ role }) => role === "assistant") ?? [];
  return { ended, calls, said, notes, back, bodies };
}

describe("a gateway's form is read as the call that it is", () => {
  test.each(Object.entries(forms))("%s", async (_, stream) => {
    const { ended, calls } = await talk(stream);
    expect(ended).toMatchObject({ reason: "complete", text: "Done." });
    expect(calls).toEqual([["read_file", "ok"]]);
  });

  test("several calls under one index", async () => {
    const other = JSON.stringify({ file_path: "b.ts" });
    for (const ids of [
      ["c", "d"],
      [undefined, undefined],
    ]) {
      const stream = [
        call({ id: ids[0] }, read, json),
        call({ id: ids[1] }, read, other),
        ...end("tool_calls"),
      ];
      expect((await talk(stream)).calls).toEqual([
        ["read_file", "ok"],
        ["read_file", "ok"],
      ]);
    }
  });
});

describe("a thought", () => {
  const thinking = (...pieces: readonly string[]) => [
    ...pieces.map((content) => delta({ content })),
    plain,
    ...end("tool_calls"),
  ];

  test.each([
    ["in tags", thinking("<think>\nLook", " first.\n</think>\n\nI read it.")],
    ["in tags that come in pieces", thinking("<th", "ink>Look first.", "</thi", "nk>\n", "\nI read it.")],
    ["of which the template has written the beginning", thinking("Look first.\n</think>\n\nI read it.")],
  ])("%s is one, and goes back there", async (_, stream) => {
    const { said, back } = await talk(stream);
    expect(said).toEqual([
      ["Look first.", "I read it."],
      ["", "Done."],
    ]);
    expect(back).toMatchObject([{ content: "<think>\nLook first.\n</think>\n\nI read it." }]);
  });

  test("that stands later in a text is words", async () => {
    for (const words of [
      "A tag is <think>x</think>.",
      "A thought ends with </think> in its words.",
      "It ends so:\n```\n</think>\n```\nand then answers.",
    ])
      expect((await talk(thinking(words))).said[0]).toEqual(["", words]);
  });

  test("of OpenRouter goes back with its signature, as it came", async () => {
    const detail = { type: "reasoning.text", index: 0, format: "anthropic-claude-v1" };
    const { said, back } = await talk([
      delta({ reasoning: "Look ", reasoning_details: [{ ...detail, text: "Look " }] }),
      delta({ reasoning: "first.", reasoning_details: [{ ...detail, text: "first." }] }),
      delta({ reasoning_details: [{ ...detail, signature: "sig==" }] }),
      plain,
      ...end("tool_calls"),
    ]);
    expect(said[0]).toEqual(["Look first.", ""]);
    expect(back).toMatchObject([
      { reasoning_details: [{ ...detail, text: "Look first.", signature: "sig==" }] },
    ]);
    expect(back[0]).not.toHaveProperty("reasoning_content");
  });
});

test("an account that pays for fewer tokens is asked for so many", async () => {
  const message =
    "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 1,200.";
  const { ended, calls, bodies } = await talk({ status: 402, body: { error: { message, code: 402 } } }, [
    plain,
    ...end("tool_calls"),
  ]);
  expect(ended.reason).toBe("complete");
  expect(calls).toEqual([["read_file", "ok"]]);
  expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([32_000, 1_200, 32_000]);
});

describe("a turn without a whole call", () => {
  const args = JSON.stringify({ name: "Read", arguments: file });
  test.each([
    `I read it.\n<tool_call>\n${args}\n</tool_call>`,
    `[TOOL_REQUEST]${args}[END_TOOL_REQUEST]`,
    `[TOOL_CALLS][${args}]`,
  ])("tells the model the call that stands in its words: %s", async (content) => {
    const { ended, notes } = await talk([delta({ content }), ...end("stop")]);
    expect(ended).toMatchObject({ reason: "complete", text: "Done.", steps: 2 });
    expect(notes).toEqual([expect.stringContaining('read_file with {"file_path":"a.ts"}. It is text')]);
  });

  const bad = [call({ id: "c" }, "write_file", '{"file_path":"n.txt","content":"half'), ...end("tool_calls")];

  test("ends with an error after four of them, and says why each time", async () => {
    const { ended, notes } = await talk(bad, bad, bad, bad);
    expect(ended).toMatchObject({ reason: "incomplete", steps: 4, undone: [{ name: "write_file" }] });
    expect(ended.message).toMatch(/no whole call in 4 answers/u);
    expect(notes.filter((text) => /character 32 has no end/u.test(text))).toHaveLength(3);
  });

  test("is not done where the model gives up before", async () => {
    const { ended } = await talk(bad);
    expect(ended).toMatchObject({ reason: "complete", undone: [{ name: "write_file" }] });
    const good = call({ id: "c" }, "write_file", '{"file_path":"n.txt","content":"whole"}');
    expect((await talk(bad, [good, ...end("tool_calls")])).ended.undone).toEqual([]);
  });
});

test("a write that is larger than a prompt is used, and goes back as one line", async () => {
  const content = "line of text\n".repeat(20_000);
  const { stage, requests } = await writing(content);
  expect(stage.read("big.txt")).toBe(content);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toContain("characters of arguments, which arrived whole, are left out");
  expect(requests[1]?.length).toBeLessThan(50_000);
});

/** The requests of a turn that writes a file, to a model of a small window. */
async function writing(content: string) {
  const server = await opened();
  server.script = [
    {
      stream: [
        call({ id: "c" }, "write_file", JSON.stringify({ file_path: "big.txt", content })),
        ...end("tool_calls"),
      ],
    },
    { stream: [delta({ content: "Done." }), ...end("stop")] },
  ];
  const port = openaiChatModel({ model: "m", key: "k", keyName: "K", baseUrl: `${server.url}/v1` });
  const stage = await openStage([], { model: { ...port, window: { tokens: 60_000, answerTokens: 8_000 } } });
  await stage.turn("Go.");
  return { stage, requests: server.bodies.map((body) => JSON.stringify(body)) };
}
