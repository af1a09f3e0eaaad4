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
    const words = wordsOfAsked(call("server__run", { command: "ls", target: "prod\nx: 1", force: true }));
    expect(words).toBe('server__run\n  command: "ls"\n  target: "prod\\nx: 1"\n  force: true');
  });

  it("is the command as it runs, where it runs, and whether it goes on", () => {
    const args = { command: "make\n  directory: safe", directory: "../other", background: true };
    expect(wordsOfAsked(call("run_shell_command", args))).toBe(
      'run_shell_command: make\n  |   directory: safe\n  directory: "../other"\n  background: true',
    );
  });

  it("is a long argument up to a bound, with what is left out counted", () => {
    expect(wordsOfAsked(call("fetch_url", { url: `https://a/${"x".repeat(5_000)}END` }))).toContain("END");
    const words = wordsOfAsked(call("server__send", { text: "x".repeat(10_000) }));
    expect(words.length).toBeLessThan(8_100);
    expect(words).toContain("[2,003 characters are not shown]");
  });

  it("holds nothing that acts on a terminal, in names neither", () => {
    const words = wordsOfAsked(call("server__a", { "x\u001b[2J\ny": "\u202ez", b: "\u200b" }));
    for (const sign of ["\u001b", "\u202e", "\u200b"]) expect(words).not.toContain(sign);
    expect(words.split("\n")).toHaveLength(3);
  });
});
