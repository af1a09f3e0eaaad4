import { describe, expect, it } from "vitest";
import { importedLines, importedText, nodesOf, outlineOf } from "./programs-support.js";

/** Many times what it takes, and far below what it took where each one looked at all others. */
const mostMs = 20_000;

function inTime<Result>(work: () => Result): Result {
  const begun = performance.now();
  const result = work();
  expect(performance.now() - begun).toBeLessThan(mostMs);
  return result;
}

const session = { id: "ses_a", projectID: "p", title: "A", directory: "/srv", time: { created: 1 } };
const message = { id: "msg_1", role: "user", sessionID: "ses_a", time: { created: 1 } };
const part = (id: string, text: string) => ({
  id,
  messageID: "msg_1",
  sessionID: "ses_a",
  type: "text",
  text,
});

describe("many records of one id of opencode", () => {
  it("are compared with a large one without writing it each time", () => {
    const large = part("prt_1", "x".repeat(2_000_000));
    const others = Array.from({ length: 10_000 }, (_, at) => part("prt_1", `${at}`));
    const { problems } = inTime(() => importedLines([session, message, large, ...others]));
    expect(problems).toHaveLength(10_000);
  });

  it("each get an id of their own, and stay in the order of the file", () => {
    const parts = Array.from({ length: 20_000 }, (_, at) => part("prt_1", `${at}`));
    const info = { ...session, id: "ses_a" };
    const text = JSON.stringify({ info, messages: [{ info: message, parts }] });
    const read = inTime(() => importedText(text));
    expect(new Set(read.problems.map(({ message: said }) => said)).size).toBe(read.problems.length);
    const texts = nodesOf(read).flatMap(({ payload }) =>
      payload.kind === "user_message" ? [payload.text] : [],
    );
    expect(texts).toEqual([parts.map(({ text: said }) => said).join("\n")]);
  });

  it("are in the order of the file on lines of 9 and of 10, too", () => {
    const lines = [session, message, ...Array.from({ length: 12 }, (_, at) => part("prt_1", `${at}`))];
    const texts = nodesOf(importedLines(lines)).flatMap(({ payload }) =>
      payload.kind === "user_message" ? [payload.text] : [],
    );
    expect(texts).toEqual([Array.from({ length: 12 }, (_, at) => `${at}`).join("\n")]);
  });
});

describe("many records of gemini-cli", () => {
  const head = { sessionId: "g", projectHash: "h", startTime: "2026-01-02T03:04:05.000Z" };
  const user = (id: string, text: string) => ({ id, type: "user", content: [{ text }] });

  it("stand in one list that is put in the place of all", () => {
    const messages = Array.from({ length: 30_000 }, (_, at) => user(`m${at}`, `${at}`));
    const read = inTime(() => importedLines([head, { $set: { messages } }]));
    expect(nodesOf(read).filter(({ payload }) => payload.kind === "user_message")).toHaveLength(30_000);
  });

  it("have one call's id", () => {
    const call = { id: "c", name: "t", args: {}, result: [{ functionResponse: { id: "c", response: {} } }] };
    const answers = Array.from({ length: 6_000 }, (_, at) => ({
      id: `a${at}`,
      type: "gemini",
      content: "",
      toolCalls: [call],
    }));
    const calls = {
      id: "b",
      type: "gemini",
      content: "",
      toolCalls: Array.from({ length: 6_000 }, () => call),
    };
    const read = inTime(() => importedLines([head, user("u", "hello"), ...answers, calls]));
    expect(nodesOf(read).filter(({ payload }) => payload.kind === "tool_result")).toHaveLength(12_000);
  });

  it.each([
    ["an empty list", []],
    ["a list of what the program told a person", [{ id: "i", type: "info", content: "cleared" }]],
  ])("are no longer in the prompt after %s", (_, messages) => {
    const read = importedLines([head, user("1", "OLD"), { $set: { messages } }, user("2", "NEW")]);
    expect(outlineOf(read)).toEqual(["  user OLD", "  user NEW <"]);
  });
});

describe("many items of a document on one line", () => {
  it("are found in time that grows with their count", () => {
    const filler = "x".repeat(400);
    const messages = Array.from({ length: 60_000 }, (_, at) => ({
      id: `${at}`,
      type: "info",
      content: filler,
    }));
    const text = JSON.stringify({
      sessionId: "g",
      messages: [{ id: "u", type: "user", content: "hello" }, ...messages],
    });
    const read = inTime(() => importedText(text));
    expect(outlineOf(read)).toEqual(["user hello <"]);
  });
});
