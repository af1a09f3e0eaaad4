import { describe, expect, it } from "vitest";
import { isRefusal } from "../../../packages/core/src/files/index.js";
import { readSessionFile } from "../src/index.js";
import { countingIds, folded } from "./import-support.js";
import { importedText, outlineOf } from "./programs-support.js";

/** Longer than what a regular expression can repeat over. */
const huge = 20_000_000;

function readText(text: string, beside: readonly { readonly name: string; readonly text: string }[] = []) {
  const session = readSessionFile(text, { from: "f", newId: countingIds(), now: 1, beside });
  if (isRefusal(session)) throw new Error(session.message);
  expect(folded(session).problems).toEqual([]);
  return session;
}

/** An export of opencode whose one message holds a list of these. */
function exportOf(parts: unknown): string {
  const message = { info: { id: "msg_1", role: "user", sessionID: "ses_1", time: { created: 1 } }, parts };
  const info = { id: "ses_1", projectID: "p", title: "A", directory: "/srv", time: { created: 1 } };
  return JSON.stringify({ info, messages: [message] }, undefined, 2);
}

const part = (id: string, more: object) => ({
  id,
  messageID: "msg_1",
  sessionID: "ses_1",
  type: "text",
  ...more,
});

describe("a damaged document", () => {
  it.each([1_000, 3_000])("of %i levels is read by rows, the deepest as text", (levels) => {
    const rows = Array.from({ length: levels }, (_, at) => `${"  ".repeat(at + 5)}"deep": {`);
    const text = exportOf([part("prt_1", { text: "hello", at: "HERE" })]).split("\n");
    const at = text.findIndex((row) => row.includes("HERE"));
    const session = readText([...text.slice(0, at), ...rows].join("\n"));
    expect(outlineOf(session).at(-1)).toBe("user hello <");
    expect(session.problems.map(({ what }) => what)).toContain("tamed_value");
  });

  it("is parsed at most some times over, however deep it is damaged", () => {
    const levels = 140;
    const filler = (at: number) => `${"  ".repeat(at)}"text": "${"x".repeat(20_000)}",`;
    const rows = Array.from({ length: levels }, (_, at) => [filler(at + 5), `${"  ".repeat(at + 5)}"in": {`]);
    const text = exportOf([part("prt_1", { text: "hello", at: "HERE" })]).split("\n");
    const at = text.findIndex((row) => row.includes("HERE"));
    const begun = performance.now();
    readText([...text.slice(0, at), ...rows.flat()].join("\n"));
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it("keeps a list of 150,000 messages", () => {
    const messages = Array.from({ length: 150_000 }, (_, at) => `    {"id": "${at}", "type": "note"},`);
    const head = '{\n  "sessionId": "g",\n  "startTime": "2026-01-02T03:04:05.000Z",\n  "messages": [';
    const user = '    {"id": "u", "type": "user", "content": [{"text": "hello"}]},';
    expect(outlineOf(readText([head, user, ...messages].join("\n"))).at(-1)).toBe("user hello <");
  });

  it("tells a row of 20 million characters", () => {
    const text = exportOf([part("prt_1", { text: "hello" })]).replace(
      '"title"',
      `"${"日".repeat(huge)}\n    "title"`,
    );
    expect(outlineOf(importedText(text)).at(-1)).toBe("user hello <");
  });

  it("keeps strings in a list that look like a wrong byte", () => {
    const list = [" ", " {x}", ' "quoted"', " []"];
    const text = exportOf([
      {
        ...part("prt_1", {}),
        type: "tool",
        tool: "t",
        callID: "c",
        state: { status: "completed", input: { list }, output: "" },
      },
    ]);
    const damaged = text.replace('"output"', 'output"').replace('"user"', '"assistant"');
    const calls = [...folded(readText(damaged)).context.nodes.values()].map(({ payload }) => payload);
    expect(calls.find(({ kind }) => kind === "tool_call")).toMatchObject({ args: { list } });
  });
});

describe("a line", () => {
  const head = '{"type":"session","version":3,"id":"p1","timestamp":"2026-03-02T09:12:00Z","cwd":"/"}';
  const user = '{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hello"}}';

  it.each([
    ["of text", `{"a":"${"日".repeat(huge)}`],
    ["of blanks", `{${" ".repeat(huge)}日`],
    ["of zeros", `${"\0".repeat(huge)}日`],
    ["of brackets", `${"}".repeat(huge)}日`],
    ["of a word", `{"a":${"1".repeat(huge)}日`],
  ])("of 20 million characters %s costs itself", (_, row) => {
    for (const text of [`${row}\n${head}\n${user}`, `${head}\n${row}\n${user}`]) {
      const session = readText(text);
      expect(session.problems.map(({ what }) => what)).toEqual(["unreadable_line"]);
      expect(outlineOf(session).at(-1)).toBe("user hello <");
    }
  });

  it.each([198, 6_000, 200_000])("of %i levels keeps its turn, the deepest as text", (levels) => {
    const deep = `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;
    const call = `{"type":"toolCall","id":"c","name":"t","arguments":{"deep":${deep}}}`;
    const answer = `{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[${call}]}}`;
    const session = readText(`${head}\n${user}\n${answer}`);
    expect(session.problems.map(({ what }) => what)).toContain("tamed_value");
    const payload = [...folded(session).context.nodes.values()].at(-1)?.payload;
    expect(JSON.stringify(payload)).toContain('"name":"t"');
  });
});

describe("the file of a subagent", () => {
  const unreadable = "x\n".repeat(200_000);
  const stamp = '"timestamp":"2026-01-02T03:04:05.000Z"';
  const claude = `{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s",${stamp},"message":{"role":"user","content":"hello"}}`;
  const side = `{"type":"user","uuid":"2","parentUuid":null,"isSidechain":true,"agentId":"7",${stamp},"message":{"role":"user","content":"do"}}`;
  const codex = (id: string, more: string) =>
    `{"type":"session_meta",${stamp},"payload":{"id":"${id}","cwd":"/","session_id":"${thread(1)}"${more}}}`;
  const thread = (at: number) => `00000000-0000-0000-0000-00000000000${at}`;
  const said = `{"type":"response_item",${stamp},"payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}}`;
  const gemini = (id: string, kind: string) =>
    `{"sessionId":"${id}","startTime":"2026-01-02T03:04:05.000Z","kind":"${kind}"}\n{"id":"1","type":"user","content":[{"text":"hello"}]}`;

  it.each([
    ["Claude Code", claude, "agent-7.jsonl", side],
    [
      "Codex",
      `${codex(thread(1), "")}\n${said}`,
      `rollout-${thread(2)}.jsonl`,
      `${codex(thread(2), `,"parent_thread_id":"${thread(1)}"`)}\n${said}`,
    ],
    ["gemini-cli", gemini("g", "main"), "h.jsonl", gemini("h", "subagent")],
  ])("of %s may have 200,000 unreadable lines", (_, main, name, agent) => {
    const session = readText(main, [{ name, text: `${agent}\n${unreadable}` }]);
    expect(session.problems.length).toBeGreaterThanOrEqual(200_000);
    expect(outlineOf(session).some((row) => row.includes("user hello"))).toBe(true);
  });
});
