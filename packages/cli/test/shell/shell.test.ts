import { readFileSync } from "node:fs";
import { conversationCodes, refusalCodes, successCodes } from "@holdfast/core/files/values";
import { escapeForPeople, escapeText } from "@holdfast/core/text";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import { exitCodeOf } from "../../src/shell/exit-code-of.js";
import { filesRunOut } from "../../src/shell/files-run-out.js";
import { linesOf } from "../../src/shell/input-lines.js";
import { finishOnceBegun, watchInterrupts } from "../../src/shell/interrupt.js";
import { makePaint } from "../../src/shell/terminal.js";

test("every success is 0 and no refusal is", () => {
  for (const code of successCodes) expect(exitCodeOf[code]).toBe(0);
  for (const code of [...refusalCodes, ...conversationCodes]) expect(exitCodeOf[code]).toBeGreaterThan(0);
});

test("every outcome has a row and every row is an outcome", () => {
  expect(Object.keys(exitCodeOf).sort()).toEqual(
    [...new Set([...successCodes, ...refusalCodes, ...conversationCodes])].sort(),
  );
});

test("docs/outcomes.md says the same", () => {
  const page = readFileSync(new URL("../../../../docs/outcomes.md", import.meta.url), "utf8");
  const documented = new Map<string, number>();
  for (const [, codes = "", exit] of page.matchAll(/^\| (`[^|]*`) \| (\d+) \|/gm)) {
    for (const [, code = ""] of codes.matchAll(/`(\w+)`/g)) documented.set(code, Number(exit));
  }
  const ofFiles = [...successCodes, ...refusalCodes].map((code) => [code, exitCodeOf[code]] as const);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(ofFiles));
});

const failed = (code: string) => Object.assign(new Error(code), { code });
const sentence = (code: string, limit?: string) => filesRunOut(failed(code), () => limit);

test("a limit is called too low only where it is", () => {
  expect(sentence("EMFILE", "64")).toContain('(64) is too low: raise it, as with "ulimit -n 1024"');
  expect(sentence("EMFILE", "1048576")).toContain("as this process may have (1048576):");
  for (const limit of ["1024", "1048576", "unlimited", undefined]) {
    expect(sentence("EMFILE", limit)).not.toContain("too low");
    expect(sentence("EMFILE", limit)).not.toMatch(/unlimited|undefined|NaN/);
  }
});

test("the system's own limit and other errors are told apart", () => {
  expect(sentence("ENFILE", "64")).toContain("fs.file-max");
  expect(sentence("EACCES", "64")).toBeUndefined();
});

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function allLines(text: string, size: number, limit = 1000): Promise<string[]> {
  const found: string[] = [];
  for await (const lines of linesOf(inChunks(Buffer.from(text), size), limit)) {
    for (const line of lines) found.push(line.kind === "line" ? line.bytes.toString() : "TOO LONG");
  }
  return found;
}

test("the lines are the same however the stream is cut", async () => {
  const text = fc.array(fc.constantFrom("a", "é", "\n", "猫", '{"x":1}'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (parts, size) => {
      const joined = parts.join("");
      const expected = joined.split("\n");
      if (expected.at(-1) === "") expected.pop();
      expect(await allLines(joined, size)).toEqual(expected);
    }),
  );
});

test("a line above the limit is told and skipped; the next one is read", async () => {
  for (const size of [1, 3, 7, 100]) {
    expect(await allLines(`aa\n${"b".repeat(50)}\ncc\n`, size, 10)).toEqual(["aa", "TOO LONG", "cc"]);
    expect(await allLines(`aa\n${"b".repeat(50)}`, size, 10)).toEqual(["aa", "TOO LONG"]);
  }
});

describe("Ctrl-C", () => {
  const before = process.listeners("SIGINT");
  // The process that runs the tests must outlive them: what would end it is only noted.
  let exit: MockInstance<typeof process.exit>;

  beforeEach(() => {
    exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
    watchInterrupts();
  });

  afterEach(() => {
    exit.mockRestore();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) {
      for (const listener of process.listeners(signal)) {
        if (!before.includes(listener)) process.removeListener(signal, listener);
      }
    }
  });

  test("ends a command at once while nothing is being written", () => {
    process.emit("SIGINT");
    expect(exit.mock.calls).toEqual([[130]]);
  });

  test("a write that has begun is finished first; the second Ctrl-C is obeyed", async () => {
    await finishOnceBegun(async () => {
      process.emit("SIGINT");
      expect(exit).not.toHaveBeenCalled();
      process.emit("SIGINT");
      expect(exit.mock.calls).toEqual([[130]]);
    });
  });

  test("after a write that failed it ends the command again", async () => {
    await expect(finishOnceBegun(() => Promise.reject(new Error("broken disk")))).rejects.toThrow(
      "broken disk",
    );
    process.emit("SIGINT");
    expect(exit.mock.calls).toEqual([[130]]);
  });
});

function isControl(char: string): boolean {
  return /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u.test(char);
}

describe("what reaches a terminal", () => {
  const cases = [
    { shows: "plain text as it is", from: "naïve <b> “x” 猫", to: "naïve <b> “x” 猫" },
    { shows: "lines and tabs as they are", from: "a\n\tb\n", to: "a\n\tb\n" },
    { shows: "CRLF as a line's end", from: "a\r\nb\r\n", to: "a\nb\n" },
    {
      shows: "a lone return escaped: it would hide what stands before it",
      from: "rm -rf\rls",
      to: "rm -rf\\u000dls",
    },
    { shows: "escape sequences escaped", from: "\u001b[2J\u009b31m", to: "\\u001b[2J\\u009b31m" },
    { shows: "bidirectional overrides escaped", from: "a\u202eb\u2066c", to: "a\\u202eb\\u2066c" },
    { shows: "invisible marks escaped", from: "a\u200bb\ufeffc", to: "a\\u200bb\\ufeffc" },
    { shows: "half a surrogate pair escaped", from: "a\ud83d", to: "a\\ud83d" },
    { shows: "a whole surrogate pair as it is", from: "🌱", to: "🌱" },
  ];
  test.each(cases)("$shows", ({ from, to }) => expect(escapeText(from)).toBe(to));

  test("no control but line feed and tab comes through, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const char of escapeText(text))
          expect(isControl(char) && char !== "\n" && char !== "\t").toBe(false);
        for (const char of escapeForPeople(text)) expect(isControl(char)).toBe(false);
      }),
    );
  });
});

test("without colour nothing is added, and an empty text is never painted", () => {
  expect(makePaint(false).red("x")).toBe("x");
  expect(makePaint(true).red("x")).toBe("\u001b[31mx\u001b[39m");
  expect(makePaint(true).red("")).toBe("");
});
