import { expect, it } from "vitest";
import { serverWords, statusLine } from "../../src/screen/status.js";

const facts = { model: "a/model", mode: "ask", help: "? for help" };
const textOf = (line: ReturnType<typeof statusLine>) => line.map(({ text }) => text).join("");

it("names the servers that are waited for or have failed, and nothing of the others", () => {
  const states = [
    { name: "docs", kind: "idle", tools: 0 },
    { name: "db\u001b[2J", kind: "failed", tools: 0 },
    { name: "web", kind: "ready", tools: 0 },
    { name: "old", kind: "closed", tools: 0 },
  ] as const;
  const { words, isWaiting } = serverWords(states);
  expect(words).toEqual(["docs: connecting…", "db\\u001b[2J: failed"]);
  expect(isWaiting).toBe(true);
  expect(serverWords(states.slice(1)).isWaiting).toBe(false);
  expect(textOf(statusLine({ ...facts, servers: words }))).toBe(
    "a/model · ask · docs: connecting… · db\\u001b[2J: failed · ? for help",
  );
  expect(textOf(statusLine(facts))).toBe("a/model · ask · ? for help");
});
