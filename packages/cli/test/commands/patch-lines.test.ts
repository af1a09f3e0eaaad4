import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";
import { answerLine } from "../../src/commands/patch-lines.js";
import { program, replaceLine, runHoldfast } from "../process.js";

const base = "one\ntwo\nthree\n";
const creation = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+hello\n";

function ask(question: unknown) {
  const text = typeof question === "string" ? question : JSON.stringify(question);
  return answerLine({ kind: "line", bytes: Buffer.from(text) });
}

describe("one line of `patch --jsonl`", () => {
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
  test.each(cases)("$name", async ({ question, answer }) => {
    const given = await ask(question);
    expect(given).toMatchObject(answer);
    expect(given?.message).toMatch(/\S/);
    expect("result" in (given ?? {})).toBe(answer.ok);
  });

  test("a blank line is no question", async () => expect(await ask("  ")).toBeUndefined());

  test("bytes that are no UTF-8 are a refusal", async () => {
    expect(await answerLine({ kind: "line", bytes: Buffer.from([0x22, 0xff, 0x22]) })).toMatchObject({
      ok: false,
      code: "invalid_arguments",
    });
  });

  test("repairs are told", async () => {
    const answer = await ask({ id: 1, base, diff: replaceLine("two", "TWO") });
    expect(answer?.repairs).toContainEqual(expect.objectContaining({ kind: "line_number" }));
  });
});

describe("the stream", () => {
  test("each line is answered in order, bad ones too, and the last needs no line feed", async () => {
    const good = { base, diff: replaceLine("two", "TWO") };
    const input = [
      JSON.stringify({ id: 1, ...good }),
      "nonsense",
      "",
      JSON.stringify({ id: 3, ...good }),
    ].join("\n");
    const done = await runHoldfast(["patch", "--jsonl"], { input });
    const answers = done.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id, ok }) => [id, ok])).toEqual([
      [1, true],
      [null, false],
      [3, true],
    ]);
    expect(done).toMatchObject({ code: 0, stderr: "" });
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
    const written = 1_000;
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

  test("thousands of cases a second", async () => {
    const text = Array.from({ length: 60 }, (_, at) => `line ${at} of the text`);
    const diff = `@@ -1,3 +1,3 @@\n ${text[29]}\n-${text[30]}\n+changed\n ${text[31]}\n`;
    const count = 5_000;
    const line = JSON.stringify({ id: 0, path: "a.txt", base: `${text.join("\n")}\n`, diff });
    const start = performance.now();
    const done = await runHoldfast(["patch", "--jsonl"], { input: `${line}\n`.repeat(count) });
    const seconds = (performance.now() - start) / 1000;
    const answers = done.stdout.trimEnd().split("\n");
    expect(answers).toHaveLength(count);
    expect(JSON.parse(answers[count - 1] ?? "")).toMatchObject({ ok: true, code: "applied" });
    console.info(`patch --jsonl: ${Math.round(count / seconds)} cases a second, start-up included`);
  });
});
