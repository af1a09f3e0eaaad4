import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SourceSession } from "../../../packages/core/src/conversation/import/index.js";
import { isRefusal } from "../../../packages/core/src/files/values/index.js";
import { describeSessionFile, readSessionFile } from "../src/index.js";
import { countingIds, importedLines, nodesOf } from "./import-support.js";

const gemini = { sessionId: "g-1", projectHash: "h", startTime: "2026-01-02T03:04:05.000Z" };
const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Ids of sessions as a caller makes them: from what the source says alone. */
function importedAt(now: number, text: string) {
  const idOf = ({ format, sourceId, startedMs }: SourceSession) => `${format} ${sourceId} ${startedMs}`;
  const session = readSessionFile(text, { from: "f", newId: countingIds(), now, digest, idOf });
  if (isRefusal(session)) throw new Error(session.message);
  return session;
}

const good = "2026-01-02T03:04:05.000Z";
const inPi = (time: object) => [
  { type: "session", version: 3, id: "p-1", timestamp: good },
  { type: "message", id: "a", parentId: null, message: { role: "user", content: "hello" }, ...time },
];
const inCodex = (time: object) => [
  { type: "session_meta", timestamp: good, payload: { id: "c-1", timestamp: good } },
  {
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] },
    ...time,
  },
];
const inGemini = (time: object) => [gemini, { id: "1", type: "user", content: "hello", ...time }];
const inOpencode = (time: object) => [
  { id: "s", projectID: "p", time: { created: 1_700_000_000_000 } },
  { id: "m", sessionID: "s", role: "user", ...time },
  { id: "t", messageID: "m", type: "text", text: "hello" },
];

describe("a time that cannot be read", () => {
  it.each([
    ["Codex", inCodex({ timestamp: "soon" })],
    ["gemini-cli", inGemini({ timestamp: 1e300 })],
    ["pi", inPi({ timestamp: "2026-13-45" })],
    ["opencode", inOpencode({ time: { created: 9e15 } })],
  ])("is told by line in a session of %s, and every time is one", (_, lines) => {
    const session = importedLines(lines);
    expect(session.problems).toMatchObject([{ line: 2, what: "invalid_time" }]);
    for (const { timestamp } of nodesOf(session)) expect(new Date(timestamp).getTime()).toBe(timestamp);
  });
});

describe("a file without an id", () => {
  const saved = JSON.stringify([
    { role: "user", parts: [{ text: "hello" }] },
    { role: "model", parts: [{ text: "hi" }] },
  ]);

  it("has one that is made of its content, whenever it is imported, and tells it", () => {
    const [early, late] = [importedAt(5_000, saved), importedAt(9_000, saved)];
    expect(early.sessionId).toBe(`gemini sha256:${digest(new TextEncoder().encode(saved))} 0`);
    expect(late.sessionId).toBe(early.sessionId);
    expect(early.problems).toMatchObject([{ line: 1, what: "missing_id" }]);
    expect(importedAt(5_000, saved.replace("hi", "ho")).sessionId).not.toBe(early.sessionId);
  });

  it("is described under the same id", () => {
    const described = describeSessionFile(saved, digest);
    expect(`gemini ${described?.sourceId} ${described?.startedMs}`).toBe(importedAt(5_000, saved).sessionId);
  });
});

describe("a chat of gemini-cli with two calls of one id", () => {
  const call = (id: string, output: string) => ({
    ...{ id, name: "read_file", args: {} },
    result: [{ functionResponse: { id, name: "read_file", response: { output } } }],
  });
  const answered = (lines: readonly object[]) => {
    const session = importedLines([gemini, { id: "1", type: "user", content: "go" }, ...lines]);
    const results = nodesOf(session).flatMap(({ payload }) =>
      payload.kind === "tool_result" ? [`${payload.callId} ${payload.output}`] : [],
    );
    return { results: results.toSorted(), told: session.problems.map(({ line, what }) => `${line} ${what}`) };
  };

  it("gives each its own result, in two answers", () => {
    const lines = [
      { id: "2", type: "gemini", content: "", toolCalls: [call("c", "first")] },
      { id: "3", type: "gemini", content: "", toolCalls: [call("c", "second")] },
    ];
    expect(answered(lines)).toEqual({ results: ["c first", "c second"], told: ["4 duplicate_id"] });
  });

  it("gives each its own result in the contents of a prompt", () => {
    const asked = { role: "model", parts: [{ functionCall: { id: "c", name: "read_file", args: {} } }] };
    const given = (output: string) => ({
      role: "user",
      parts: [{ functionResponse: { id: "c", name: "read_file", response: { output } } }],
    });
    const lines = [asked, given("first"), asked, given("second")];
    expect(answered(lines)).toEqual({ results: ["c first", "c second"], told: ["5 duplicate_id"] });
  });
});
