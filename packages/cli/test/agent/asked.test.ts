import type { Asked } from "@holdfast/agent";
import { describe, expect, it } from "vitest";
import { answerOf, choicesOf, wordsOfAsked } from "../../src/agent/asked.js";

function call(tool: string, args: Readonly<Record<string, unknown>>): Asked {
  return { kind: "run", tool, request: { kind: "host_request", tool, summary: "clipped", args } };
}

const command = call("run_shell_command", { command: "true" });
const restore: Asked = { kind: "restore", tool: "restore_files", files: [], consent: [] };

describe("what a person typed", () => {
  it.each(["y", "Y", "yes", " YES "])("%j is a yes", (said) => {
    expect(answerOf(said, command)).toEqual({ kind: "yes" });
  });

  it.each(["", " ", "n", "No"])("%j is a no", (said) => {
    expect(answerOf(said, command)).toEqual({ kind: "no" });
  });

  it.each(["abort", "actually no", "your path is wrong", "yep", "yes please", "all", "x"])(
    "%j is a no with these words for the model",
    (said) => {
      expect(answerOf(` ${said}\t`, command)).toEqual({ kind: "no", message: said });
    },
  );

  it.each(["a", "A", "always"])("%j allows this very command, and no more", (said) => {
    const allowance = { kind: "command", tool: "run_shell_command", command: "true" };
    expect(answerOf(said, command)).toEqual({ kind: "always", allowance });
    const inSrc = call("run_shell_command", { command: "true", directory: "src" });
    expect(answerOf(said, inSrc)).toEqual({ kind: "always", allowance: { ...allowance, directory: "src" } });
  });

  it("always offers the beginning of a command where that is safe, and this very command as well", () => {
    const test = call("run_shell_command", { command: "npm test -- a.test.ts", directory: "web" });
    expect(choicesOf(test)).toBe(
      "Do it? [y]es, [n]o, [a]lways (npm test *, in this session), always [e]xactly this: ",
    );
    const place = { directory: "web" };
    const prefix = { kind: "prefix", words: "npm test *", ...place };
    expect(answerOf("a", test)).toEqual({ kind: "always", allowance: prefix });
    const allowance = {
      kind: "command",
      tool: "run_shell_command",
      command: "npm test -- a.test.ts",
      ...place,
    };
    expect(answerOf("exact", test)).toEqual({ kind: "always", allowance });
    expect(answerOf("e", command)).toMatchObject({ kind: "no" });
  });

  it("always is no yes where it was not offered", () => {
    expect(answerOf("always", restore)).toMatchObject({ kind: "no" });
    expect(choicesOf(restore)).toBe("Do it? [y]es, [n]o: ");
  });

  it("always says how far it reaches", () => {
    expect(choicesOf(command)).toContain("[a]lways (this very command, in this session)");
    expect(choicesOf(call("server__run", { command: "true" }))).toContain("every call of server__run");
    expect(answerOf("a", call("server__run", { command: "true" }))).toMatchObject({
      allowance: { kind: "tool", tool: "server__run" },
    });
  });
});

describe("what a question shows of a call", () => {
  it("is every argument, one a line, whatever it is named", () => {
    const { words } = wordsOfAsked(call("server__run", { command: "ls", target: "prod\nx: 1", force: true }));
    expect(words).toBe('server__run\n  command: "ls"\n  target: "prod\\nx: 1"\n  force: true');
  });

  it("is the command as it runs, where it runs, and whether it goes on", () => {
    const args = { command: "make\n  directory: safe", directory: "../other", background: true };
    expect(wordsOfAsked(call("run_shell_command", args)).words).toBe(
      'run_shell_command: make\n  |   directory: safe\n  directory: "../other"\n  background: true',
    );
  });

  it("is a long argument up to a bound, with what is left out counted", () => {
    expect(wordsOfAsked(call("fetch_url", { url: `https://a/${"x".repeat(5_000)}END` })).words).toContain(
      "END",
    );
    const { words } = wordsOfAsked(call("server__send", { text: "x".repeat(10_000) }));
    expect(words.length).toBeLessThan(8_100);
    expect(words).toContain("[2,003 characters are not shown]");
  });

  it("holds nothing that acts on a terminal, in names neither", () => {
    const { words } = wordsOfAsked(call("server__a", { "x\u001b[2J\ny": "\u202ez", b: "\u200b" }));
    for (const sign of ["\u001b", "\u202e", "\u200b"]) expect(words).not.toContain(sign);
    expect(words.split("\n")).toHaveLength(3);
  });
});

describe("what is not shown", () => {
  const padded = call("run_shell_command", { command: `true${" ".repeat(9_000)}; rm -rf x` });

  it("is said and can be asked for, and nothing is allowed for longer on it", () => {
    const { words, hides } = wordsOfAsked(padded);
    expect([words, hides]).toEqual(["run_shell_command: true [9,000 blanks] ; rm -rf x", true]);
    expect(choicesOf(padded, hides)).toBe("Do it? [y]es, [n]o, [s]how all: ");
    expect(answerOf("always", padded, hides)).toMatchObject({ kind: "no" });
    expect(wordsOfAsked(padded, true).words).toContain(" ".repeat(9_000));
  });

  it.each([
    ["of a long line what differs is shown", `${"x".repeat(20_000)} SAFE(); ${"y".repeat(9_000)}`, "EVIL();"],
    ["of many lines some that go and some that come", lines("old"), "new 1"],
  ])("%s", (_, before, shown) => {
    const after = before.startsWith("x") ? before.replace("SAFE", "EVIL") : lines("new");
    const asked = change({ before, after, sizes: { before: 1, after: 1 } });
    const { words, hides } = wordsOfAsked(asked);
    expect(words).toContain(shown);
    expect(words).toContain(before.startsWith("x") ? "SAFE();" : "-old 1");
    expect([hides, words.length < 20_000]).toEqual([true, true]);
    expect(wordsOfAsked(asked, true)).toMatchObject({ hides: false });
  });

  it("is of what is no text the bytes, which have a size and a hash", () => {
    const asked = change({ before: null, after: null, sizes: { before: 1_234, after: null } });
    expect(wordsOfAsked(asked).words).toContain("no text: 1,234 bytes (aaaaaaaaaaaaaaaa) becomes no file");
  });
});

function lines(word: string): string {
  return Array.from({ length: 600 }, (_, at) => `${word} ${at}\n`).join("");
}

function change(file: { before: string | null; after: string | null; sizes: object }): Asked {
  const agreed = { realPath: "/a", before: "a".repeat(64), after: null, inPlace: false };
  const names = { named: ["a"], real: ["a"], within: [] };
  const preview = {
    kind: "preview",
    message: "m",
    files: [{ path: "a", names, change: { repairs: [] }, agreed, ...file }],
  };
  // A cast: of the question, what is shown.
  return { kind: "change", tool: "write_file", question: { preview } } as unknown as Asked;
}
