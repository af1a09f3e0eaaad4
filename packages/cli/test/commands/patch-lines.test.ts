import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { program, replaceLine, runHoldfast } from "../process.js";

const base = "one\ntwo\nthree\n";
const creation = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+hello\n";

const cases = [
  {
    name: "a diff that fits",
    question: { id: 1, path: "a.txt", base, diff: replaceLine("two", "TWO") },
    answer: { id: 1, ok: true, code: "applied", result: "one\nTWO\nthree\n" },
  },
  {
    name: "a diff that is applied already gives the base",
    question: { id: "x", base: "one\nTWO\nthree\n", diff: "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n" },
    answer: { id: "x", ok: true, code: "already_applied", result: "one\nTWO\nthree\n" },
  },
  {
    name: "a diff that changes nothing gives the base",
    question: { id: [1], base, diff: "@@ -1,3 +1,3 @@\n one\n two\n three\n" },
    answer: { id: null, ok: true, code: "no_change", result: base },
  },
  {
    name: "no file, and a diff that creates it",
    question: { id: 2, path: "a.txt", base: null, diff: creation },
    answer: { id: 2, ok: true, code: "applied", result: "hello\n" },
  },
  {
    name: "a diff that does not fit",
    question: { id: 3, base, diff: replaceLine("four", "FOUR") },
    answer: { id: 3, ok: false, code: "invalid_diff" },
  },
  {
    name: "two possible places",
    question: { id: 4, base: "x\ny\nx\n", diff: "@@\n-x\n+X\n" },
    answer: { id: 4, ok: false, code: "ambiguous" },
  },
  { name: "no JSON", question: "{", answer: { id: null, ok: false, code: "invalid_arguments" } },
  { name: "no object", question: "[1]", answer: { id: null, ok: false, code: "invalid_arguments" } },
  { name: "no diff", question: { id: 5, base }, answer: { id: 5, ok: false, code: "invalid_arguments" } },
  {
    name: "no base",
    question: { id: 6, diff: "" },
    answer: { id: 6, ok: false, code: "invalid_arguments" },
  },
  {
    name: "no text as a path",
    question: { id: 7, base, diff: "", path: 3 },
    answer: { id: 7, ok: false, code: "invalid_arguments" },
  },
];

describe("patch --jsonl", () => {
  test("answers each line in order, bad ones too; a blank one is no question, and the last needs no line feed", async () => {
    const questions = cases.map(({ question }) =>
      typeof question === "string" ? question : JSON.stringify(question),
    );
    const input = Buffer.concat([
      Buffer.from(`${questions.join("\n")}\n  \n\n`),
      Buffer.from([0x22, 0xff, 0x22]),
      Buffer.from(`\n${questions[0]}`),
    ]);
    const done = await runHoldfast(["patch", "--jsonl"], { input });
    expect(done).toMatchObject({ code: 0, stderr: "" });
    const answers = done.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const noText = { id: null, ok: false, code: "invalid_arguments" };
    expect(answers).toMatchObject([...cases.map(({ answer }) => answer), noText, cases[0]?.answer]);
    for (const answer of answers) {
      expect(answer.message).toMatch(/\S/);
      expect("result" in answer).toBe(answer.ok);
    }
    expect(answers[0].repairs).toContainEqual(expect.objectContaining({ kind: "line_number" }));
  });

  test("a question is answered before the next one is asked", async () => {
    const child = spawn(process.execPath, [program, "patch", "--jsonl"]);
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (let id = 0; id < 3; id++) {
      child.stdin.write(`${JSON.stringify({ id, base, diff: replaceLine("two", "TWO") })}\n`);
      const answer = await answers.next();
      expect(JSON.parse(answer.value)).toMatchObject({ id, ok: true });
    }
    child.stdin.end();
    await new Promise((resolve) => child.on("close", resolve));
  });

  test("a slow reader slows it down instead of filling memory", async () => {
    const question = JSON.stringify({
      id: 1,
      base: "x".repeat(50_000),
      diff: "@@\n-absent\n+y\n@@ -1 +1 @@\n",
    });
    const grown = JSON.stringify({
      id: 2,
      base: `two\n${"x".repeat(50_000)}\n`,
      diff: replaceLine("two", "TWO"),
    });
    const child = spawn(process.execPath, ["--max-old-space-size=64", program, "patch", "--jsonl"]);
    const written = 400;
    let asked = 0;
    const ask = (): void => {
      while (asked < written) {
        asked += 1;
        if (!child.stdin.write(`${asked % 2 === 0 ? question : grown}\n`)) {
          child.stdin.once("drain", ask);
          return;
        }
      }
      child.stdin.end();
    };
    ask();
    // Nobody reads for a while: what is answered has nowhere to go, so the asking must stall.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(asked).toBeLessThan(written);
    let lines = 0;
    child.stdout.on("data", (part: Buffer) => {
      for (const byte of part) if (byte === 10) lines += 1;
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, lines }).toEqual({ code: 0, lines: written });
  });
});
