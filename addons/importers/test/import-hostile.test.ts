import { describe, expect, it } from "vitest";
import { ContextRenderer } from "../../../packages/core/src/context/index.js";
import { checkEveryProvider } from "../../../packages/core/test/conversation/provider-checks.js";
import { readSessionInSteps } from "../src/index.js";
import {
  countingIds,
  folded,
  importedLines,
  importedText,
  outlineOf,
  piHeader,
  piUser,
  said,
} from "./import-support.js";

const started = "2026-01-02T03:04:05.000Z";
const codexHead = {
  type: "session_meta",
  timestamp: started,
  payload: { id: "c-1", timestamp: started, cwd: "/srv" },
};
const codex = (payload: object) => ({ type: "response_item", timestamp: started, payload });
const codexUser = (text: string, id?: string) =>
  codex({
    type: "message",
    role: "user",
    content: [{ type: "input_text", text }],
    ...(id === undefined ? {} : { id }),
  });
const codexCall = (id: string, args = "{}") =>
  codex({ type: "function_call", id: `fc_${id}`, call_id: id, name: "shell", arguments: args });
const codexResult = (id: string, output: unknown = "ok") =>
  codex({ type: "function_call_output", call_id: id, output });
const counted = { type: "event_msg", payload: { type: "token_count", info: null } };

const geminiHead = { sessionId: "g-1", projectHash: "h", startTime: started };
const gemini = (id: string, type: string, content: unknown, more: object = {}) => ({
  id,
  type,
  content,
  timestamp: started,
  ...more,
});

const openHead = {
  id: "ses_a",
  projectID: "p",
  title: "A",
  directory: "/srv",
  time: { created: 1, updated: 2 },
};
const openMessage = (id: string, role: string, at: number, session = "ses_a") => ({
  ...{ id, role, sessionID: session, time: { created: at } },
  ...(role === "assistant" ? { providerID: "openai", modelID: "m" } : {}),
});
const openPart = (id: string, message: string, more: object, session = "ses_a") => ({
  ...{ id, messageID: message, sessionID: session, type: "text" },
  ...more,
});

/** One turn with a text that must arrive, in each format. */
const sessions: Readonly<Record<string, (text: string) => readonly object[]>> = {
  codex: (text) => [codexHead, codexUser(text)],
  gemini: (text) => [geminiHead, gemini("1", "user", [{ text }])],
  pi: (text) => [piHeader, piUser("a", null, text)],
  claude: (text) => [{ type: "summary", summary: "A", leafUuid: "a" }, said("a", null, text)],
  opencode: (text) => [openHead, openMessage("msg_1", "user", 1), openPart("prt_1", "msg_1", { text })],
};
const formats = Object.keys(sessions);

function linesOf(format: string, text: string): readonly object[] {
  return sessions[format]?.(text) ?? [];
}

function told(lines: readonly (object | string)[]): readonly string[] {
  return importedLines(lines).problems.map(({ line, what }) => `${line} ${what}`);
}

describe.each(formats)("a hostile session of %s", (format) => {
  it("keeps names, HTML and escape sequences as text", () => {
    const text = "\u001b]0;gone\u0007<script>alert(1)</script> ../../etc/passwd";
    expect(outlineOf(importedLines(linesOf(format, text))).at(-1)).toBe(`user ${text} <`);
  });

  it("keeps what no line of ours can hold, and says so", () => {
    const [head, ...rest] = linesOf(format, "hello").map((line) => JSON.stringify(line));
    const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
    const strange = `{"__proto__":{"polluted":true},"type":"strange","deep":${deep}}`;
    const session = importedLines([head ?? "", strange, ...rest]);
    expect(session.problems.map(({ line, what }) => `${line} ${what}`)).toEqual(["2 tamed_value"]);
    expect(outlineOf(session).at(-1)).toBe("user hello <");
    expect(session.folded.map(({ kind }) => kind)).toContain("strange");
    expect("polluted" in {}).toBe(false);
  });

  it("loses only the line that is cut", () => {
    const lines = linesOf(format, "hello");
    expect(told([...lines, '{"half":'])).toEqual([`${lines.length + 1} unreadable_line`]);
    expect(outlineOf(importedLines([...lines, '{"half":'])).at(-1)).toBe("user hello <");
  });

  it("passes over a line that was too long to be read, and says so", () => {
    const [head, ...rest] = linesOf(format, "hello").map((line) => JSON.stringify(line));
    const text = [head, "", ...rest].join("\n");
    const session = importedText(text, { unread: [{ line: 2, bytes: 1_000_000_000 }] });
    expect(session.problems.map(({ message }) => message)).toEqual([
      "Line 2 is too long (1,000,000,000 bytes); it was left out.",
    ]);
    expect(outlineOf(session).at(-1)).toBe("user hello <");
  });

  it("counts lines that nobody knows by their kind", () => {
    const lines = [
      ...linesOf(format, "hello"),
      ...Array.from({ length: 50 }, () => ({ type: "weather", payload: {} })),
    ];
    const session = importedLines(lines);
    expect(session.folded).toContainEqual({ kind: "weather", count: 50 });
    expect(session.nodes).toBeLessThan(5);
  });

  it("holds nobody up, however long it is", () => {
    const [head, ...turn] = linesOf(format, "hello");
    const lines = Array.from({ length: 2_000 }, (_, at) =>
      turn.map((line) => JSON.stringify(line).replaceAll(/"(id|messageID)":"([^"]+)"/g, `"$1":"$2-${at}"`)),
    );
    const text = [JSON.stringify(head), ...lines.flat()].join("\n");
    const work = readSessionInSteps(text, { from: "f", newId: countingIds(), now: 1 });
    let steps = 0;
    while (work.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThan(10);
  });
});

const stray = {
  ...{ type: "user", uuid: "u", parentUuid: null, sessionId: "s" },
  message: { role: "user", content: "stray" },
};

describe.each([
  ["codex", "a rollout of Codex"],
  ["gemini", "a chat of gemini-cli"],
  ["opencode", "a session of opencode"],
])("a line of Claude Code in a file of %s", (format, name) => {
  const lines = linesOf(format, "hello");
  const many = [...lines, ...linesOf(format, "hello").slice(1)];

  it.each([
    ["behind", [...lines, stray], lines.length + 1],
    ["before", [stray, ...many], 1],
  ])("%s its own lines does not make a transcript of it, and is told", (_, all, line) => {
    const session = importedLines(all);
    expect(session.format).toBe(format);
    expect(outlineOf(session).join()).toContain("user hello");
    const own = all.length - 1;
    const told = `Line ${line} is of a transcript of Claude Code (1 such in all, ${own} of ${name}); the file is read as the latter.`;
    expect(session.problems).toContainEqual({ line, what: "foreign_line", message: told });
  });
});

describe.each(["codex", "gemini"])("a session of %s that lost its first line", (format) => {
  it("is one still, and loses nothing else", () => {
    const [, ...turns] = linesOf(format, "hello");
    for (const first of [[], ["{"], [stray]]) {
      const session = importedLines([...first, ...turns, ...turns]);
      expect(session.format).toBe(format);
      expect(outlineOf(session).join()).toContain("user hello");
    }
  });
});

describe("a call of Codex whose id is a number", () => {
  it("is a call with its result, under the number's text", () => {
    const call = { type: "function_call", call_id: 7, name: "shell", arguments: "{}" };
    const result = { type: "function_call_output", call_id: 7, output: "numbered" };
    const named = importedLines([codexHead, codexUser("go"), codexCall("7"), codexResult("7", "numbered")]);
    const session = importedLines([codexHead, codexUser("go"), codex(call), codex(result)]);
    expect(session.problems).toEqual([]);
    expect(outlineOf(session)).toEqual(outlineOf(named));
  });
});

describe("a rollout of Codex that is not as it should be", () => {
  it("has results behind all calls of their answer, where each was written with its call", () => {
    const lines = [
      codexUser("go"),
      codexCall("a"),
      codexResult("a", "1"),
      codexCall("b"),
      codexResult("b", "2"),
      counted,
    ];
    expect(
      outlineOf(importedLines([codexHead, ...lines, codexCall("c"), codexResult("c", "3"), counted])),
    ).toEqual([
      "user go",
      "call shell {}",
      "call shell {}",
      "result shell 1",
      "result shell 2",
      "call shell {}",
      "result shell 3 <",
    ]);
  });

  it("goes back where turns were taken back", () => {
    const rolledBack = (turns: number) => ({
      type: "event_msg",
      payload: { type: "thread_rolled_back", num_turns: turns },
    });
    const lines = [
      codexHead,
      codexUser("one"),
      codexUser("two"),
      codexUser("three"),
      rolledBack(2),
      codexUser("other"),
    ];
    expect(outlineOf(importedLines([...lines, rolledBack(0)]))).toEqual([
      "user one",
      "  user two",
      "  user three",
      "  user other <",
    ]);
  });

  it("has arguments that are no object, and results of no call", () => {
    const session = importedLines([
      codexHead,
      codexCall("a", '{"__proto__":1}'),
      codexCall("b", "[1"),
      codexResult("z"),
    ]);
    expect(outlineOf(session).slice(0, 2)).toEqual([
      'call shell {"value":"{\\"__proto__\\":1}"}',
      'call shell {"value":"[1"}',
    ]);
    expect(session.problems.map(({ line, what }) => `${line} ${what}`)).toEqual(["4 broken_pair"]);
    checkEveryProvider(folded(session).context, new ContextRenderer(), 1);
  });

  it("is of the first releases, whose items have no envelope", () => {
    const lines = [{ id: "old", timestamp: started, instructions: null }, { record_type: "state" }];
    const bare = [codexUser("hello"), codexCall("a"), codexResult("a", { content: "no", success: false })];
    expect(outlineOf(importedLines([...lines, ...bare.map(({ payload }) => payload)]))).toEqual([
      "user hello",
      "call shell {}",
      "result shell error no <",
    ]);
  });
});

describe("a chat of gemini-cli that is not as it should be", () => {
  const call = (id: string, more: object = {}) => ({
    id,
    name: "read",
    args: {},
    status: "success",
    ...more,
  });
  const responded = (id: string, output: string) => [
    { functionResponse: { id, name: "read", response: { output } } },
  ];

  it("is one document, as before April 2026, and may end anywhere", () => {
    const messages = [
      gemini("1", "user", "hello"),
      gemini("2", "gemini", "Hi."),
      gemini("3", "info", "ready"),
    ];
    const text = JSON.stringify({ ...geminiHead, messages, lastUpdated: started }, null, 2);
    expect(outlineOf(importedText(text))).toEqual(["user hello", "model Hi. <"]);
    expect(importedText(text).folded).toContainEqual({ kind: "info", count: 1 });
    const cut = importedText(text.slice(0, text.indexOf('"Hi."')));
    expect(outlineOf(cut)).toEqual(["user hello <"]);
    expect(cut.problems.map(({ line, what }) => `${line} ${what}`)).toEqual([
      "12 truncated",
      "12 incomplete_line",
      "15 unreadable_line",
    ]);
  });

  it("is one that a person saved: the contents of a prompt, with signatures", () => {
    const history = [
      { role: "user", parts: [{ text: "hello" }] },
      { role: "model", parts: [{ functionCall: { name: "read", args: {} }, thoughtSignature: "c2ln" }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "text" } } }] },
    ];
    for (const saved of [history, { authType: "gemini-api-key", history }]) {
      const session = importedText(JSON.stringify(saved, null, 2));
      expect(outlineOf(session)).toEqual(["user hello", "call read {}", "result read text <"]);
      const nodes = [...folded(session).context.nodes.values()];
      expect(nodes.find(({ payload }) => payload.kind === "tool_call")?.payload).toMatchObject({
        signature: "c2ln",
      });
    }
  });

  it.each([
    ["an empty list", []],
    ["a list of what the program told a person", [gemini("i", "info", "cleared")]],
  ])("has nothing in the prompt that stood before %s", (_, messages) => {
    const read = [geminiHead, gemini("1", "user", "OLD"), { $set: { messages } }, gemini("2", "user", "NEW")];
    expect(outlineOf(importedLines(read))).toEqual(["  user OLD", "  user NEW <"]);
  });

  it("has turns that were taken back, and places that are not there", () => {
    const lines = [
      geminiHead,
      gemini("1", "user", "one"),
      gemini("2", "user", "two"),
      { $rewindTo: "2" },
      gemini("3", "user", "three"),
    ];
    expect(outlineOf(importedLines([...lines, { $rewindTo: "9" }]))).toEqual([
      "user one",
      "  user two",
      "  user three <",
    ]);
    expect(told([...lines, { $rewindTo: "9" }])).toEqual(["6 lost_reference"]);
  });

  it("has calls without results, results twice, and results of no call", () => {
    const session = importedLines([
      geminiHead,
      gemini("1", "user", "go"),
      gemini("2", "gemini", "", {
        toolCalls: [call("a", { result: responded("a", "one") }), call("b", { status: "executing" })],
      }),
      gemini("3", "user", responded("a", "one")),
      gemini("4", "user", responded("z", "stray")),
    ]);
    expect(outlineOf(session)).toEqual(
      ["user go", "call read {}", "call read {}", "result read one <", "result unknown stray"]
        .slice(0, 3)
        .concat("result read one", "result unknown stray <"),
    );
    expect(session.problems.map(({ what }) => what)).toEqual(["broken_pair"]);
    checkEveryProvider(folded(session).context, new ContextRenderer(), 1);
  });
});

describe("a session of opencode that is not as it should be", () => {
  const task = (session: string) => ({
    type: "tool",
    tool: "task",
    callID: `call_${session}`,
    state: { status: "completed", input: {}, output: "done", metadata: { sessionId: session } },
  });
  const child = (id: string, parentID: string) => ({ ...openHead, id, parentID, title: id });

  it("has sessions in a circle: each stays, and it is told", () => {
    const lines = [
      openHead,
      ...[openMessage("msg_1", "user", 1), openPart("prt_1", "msg_1", { text: "go" })],
      ...[
        child("ses_b", "ses_c"),
        openMessage("msg_b", "assistant", 2, "ses_b"),
        openPart("prt_b", "msg_b", task("ses_c")),
      ],
      ...[
        child("ses_c", "ses_b"),
        openMessage("msg_c", "assistant", 3, "ses_c"),
        openPart("prt_c", "msg_c", task("ses_b")),
      ],
    ];
    expect(told(lines)).toEqual(["4 cycle"]);
    const outline = outlineOf(importedLines(lines)).map((line) => line.trim());
    expect(outline).toEqual(expect.arrayContaining(["user go <", "task ses_b", "task ses_c"]));
  });

  it("has many parts of one id: they stay in the order of the file", () => {
    const parts = Array.from({ length: 12 }, (_, at) => openPart("prt_1", "msg_1", { text: `${at}` }));
    const { context } = folded(importedLines([openHead, openMessage("msg_1", "user", 1), ...parts]));
    const said = [...context.nodes.values()].map(({ payload }) => "text" in payload && payload.text);
    expect(said).toContain(parts.map((_, at) => `${at}`).join("\n"));
  });

  it("names files that lie anywhere: nothing is read, the address stays text", () => {
    const file = { type: "file", mime: "text/plain", url: "file:///etc/passwd", filename: "x" };
    const lines = [
      openHead,
      openMessage("msg_1", "user", 1),
      openPart("prt_1", "msg_1", { text: "see" }),
      openPart("prt_2", "msg_1", file),
    ];
    expect(outlineOf(importedLines(lines))).toEqual(["person File: x file:///etc/passwd", "user see <"]);
  });
});

describe("a part that is much too large", () => {
  it("costs itself as a line, longer than what a regular expression can repeat over", () => {
    const lines = [piHeader, `{"a":"${"日".repeat(20_000_000)}`, piUser("a", null, "hello")];
    expect(told(lines)).toEqual(["2 unreadable_line"]);
    expect(outlineOf(importedLines(lines)).at(-1)).toBe("user hello <");
  });

  it("is a text where it is nested deep in a document that is damaged", () => {
    const part = openPart("prt_1", "msg_1", { text: "hello", at: "HERE" });
    const messages = [{ info: openMessage("msg_1", "user", 1), parts: [part] }];
    const rows = JSON.stringify({ info: openHead, messages }, undefined, 2).split("\n");
    const at = rows.findIndex((row) => row.includes("HERE"));
    const deep = Array.from({ length: 1_000 }, (_, n) => `${"  ".repeat(n + 5)}"deep": {`);
    const session = importedText([...rows.slice(0, at), ...deep].join("\n"));
    expect(outlineOf(session).at(-1)).toBe("user hello <");
    expect(session.problems.map(({ what }) => what)).toContain("tamed_value");
  });
});
