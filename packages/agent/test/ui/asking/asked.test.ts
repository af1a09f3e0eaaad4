import { describe, expect, it } from "vitest";
import type { Asked } from "../../../src/loop/gate.js";
import { answerByNumbers, answerOf, choicesOf, linesOfAsked } from "../../../src/ui/asking/asked.js";
import { fitted, painted, themes } from "../../../src/ui/lines/spans.js";

/** A question as it is written. */
function shown(asked: Asked, isWhole = false) {
  const { lines, hides } = linesOfAsked(asked, isWhole);
  return { words: lines.map((line) => painted(fitted(line), themes.plain)).join("\n"), hides };
}

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

  it("always offers the beginning of a command where that is safe, says all that it covers, and this very command as well", () => {
    const test = call("run_shell_command", { command: "cd web && just test 2>&1 | tail", directory: "web" });
    expect(choicesOf(test)).toBe(
      "Do it? [y]es, [n]o, [a]lways (just test …, in this session), always [e]xactly this: ",
    );
    expect(shown(test).words).toContain("\n  Always: just test, alone");
    expect(answerOf("a", test)).toEqual({
      kind: "always",
      allowance: { kind: "forms", forms: ["just test"] },
    });
    const { command: words, ...place } = test.kind === "run" ? test.request.args : {};
    const allowance = { kind: "command", tool: "run_shell_command", command: words, ...place };
    expect(answerOf("exact", test)).toEqual({ kind: "always", allowance });
    expect(answerOf("e", command)).toMatchObject({ kind: "no" });
  });

  it("lets a command out of the sandbox where that stood in its way, this once", () => {
    const request = {
      kind: "host_request",
      tool: "run_shell_command",
      summary: "",
      args: { command: "true" },
    } as const;
    const barred: Asked = {
      kind: "run",
      tool: request.tool,
      request: { ...request, sandboxed: true, isBarred: true },
    };
    expect(choicesOf(barred)).toContain("[y]es, [n]o, [o]utside the sandbox, this once, [a]lways");
    expect(answerOf("o", barred)).toEqual({ kind: "outside" });
    expect(answerOf("outside", command)).toMatchObject({ kind: "no" });
  });

  it("allows no command for longer that asks to run outside", () => {
    const leaves = call("run_shell_command", { command: "true", outside: true });
    expect(choicesOf(leaves)).toBe("Do it? [y]es, [n]o: ");
    expect(answerOf("a", leaves)).toMatchObject({ kind: "no" });
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
    const { words } = shown(call("server__run", { command: "ls", target: "prod\nx: 1", force: true }));
    expect(words).toBe('server__run\n  command: "ls"\n  target: "prod\\nx: 1"\n  force: true');
  });

  it("is the command as it runs, where it runs, and whether it goes on", () => {
    const args = { command: "make\n  directory: safe", directory: "../other", background: true };
    expect(shown(call("run_shell_command", args)).words).toBe(
      'run_shell_command: make\n  |   directory: safe\n  directory: "../other"\n  background: true',
    );
  });

  it("is a long argument up to a bound, with what is left out counted", () => {
    expect(shown(call("fetch_url", { url: `https://a/${"x".repeat(5_000)}END` })).words).toContain("END");
    const { words } = shown(call("server__send", { text: "x".repeat(10_000) }));
    expect(words.length).toBeLessThan(8_100);
    expect(words).toContain("[2,003 characters are not shown]");
  });

  it("holds nothing that acts on a terminal, in names neither", () => {
    const { words } = shown(call("server__a", { "x\u001b[2J\ny": "\u202ez", b: "\u200b" }));
    for (const sign of ["\u001b", "\u202e", "\u200b"]) expect(words).not.toContain(sign);
    expect(words.split("\n")).toHaveLength(3);
  });
});

describe("what is not shown", () => {
  const padded = call("run_shell_command", { command: `true${" ".repeat(9_000)}; rm -rf x` });

  it("is said and can be asked for, and nothing is allowed for longer on it", () => {
    const { words, hides } = shown(padded);
    expect([words, hides]).toEqual(["run_shell_command: true [9,000 blanks] ; rm -rf x", true]);
    expect(choicesOf(padded, hides)).toBe("Do it? [y]es, [n]o, [s]how all: ");
    expect(answerOf("always", padded, hides)).toMatchObject({ kind: "no" });
    expect(shown(padded, true).words).toContain(" ".repeat(9_000));
  });

  it.each([
    ["of a long line what differs is shown", `${"x".repeat(20_000)} SAFE(); ${"y".repeat(9_000)}`, "EVIL();"],
    ["of many lines some that go and some that come", lines("old"), "new 1"],
  ])("%s", (_, before, wanted) => {
    const after = before.startsWith("x") ? before.replace("SAFE", "EVIL") : lines("new");
    const asked = change({ before, after, sizes: { before: 1, after: 1 } });
    const { words, hides } = shown(asked);
    expect(words).toContain(wanted);
    expect(words).toContain(before.startsWith("x") ? "SAFE();" : "-old 1");
    expect([hides, words.length < 20_000]).toEqual([true, true]);
    expect(shown(asked, true)).toMatchObject({ hides: false });
  });

  it("is not drawn first: of a large change that would take long", () => {
    let drawn = 0;
    const highlight = (code: string) => {
      drawn += 1;
      return [[{ kind: "plain", text: code } as const]];
    };
    const asked = change({ before: "", after: lines("new"), sizes: { before: 1, after: 1 } });
    expect([linesOfAsked(asked, false, { highlight, besideIn: 119 }).hides, drawn]).toEqual([true, 0]);
    expect([linesOfAsked(asked, true, { highlight, besideIn: 119 }).hides, drawn]).toEqual([false, 600]);
  });

  it("is of what is no text the bytes, which have a size and a hash", () => {
    const asked = change({ before: null, after: null, sizes: { before: 1_234, after: null } });
    expect(shown(asked).words).toContain("no text: 1,234 bytes (aaaaaaaaaaaaaaaa) becomes no file");
  });
});

describe("some of the changes of a file", () => {
  const before = lines("old").split("\n").slice(0, 30).join("\n");
  const after = before
    .replace("old 2\n", "new 2\n")
    .replace("old 12\n", "")
    .replace("old 25\n", "old 25\nmore\n");
  const asked = change({ before, after, sizes: { before: 1, after: 1 } });

  it("are numbered, and taken by their numbers", () => {
    const { words } = shown(asked);
    for (const sign of ["@@ 1 of 3: lines 1-6 @@", "- old 2", "+ new 2", "- old 12", "+ more"])
      expect(words.replace(/^ *\d* +\d* +(?=[-+])/gmu, "").replace(/^([-+])(?=\S)/gmu, "$1 ")).toContain(
        sign,
      );
    expect(choicesOf(asked)).toContain("[e]dit, some by number (1-3): ");
    expect(answerByNumbers("1 3", asked)).toMatchObject({
      kind: "instead",
      request: {
        kind: "write",
        base: "a".repeat(64),
        content: before.replace("old 2\n", "new 2\n").replace("old 25\n", "old 25\nmore\n"),
      },
      said: "The user took 2 of 3 changes; left out: lines 10-15 of what was proposed.",
    });
    expect(answerByNumbers("1-3", asked)).toEqual({ kind: "yes" });
    for (const other of ["0", "4", "1 4", "1 9", "1, 7-8", "1 3-2", "9".repeat(30), "y", "", "1 and 2"])
      expect(answerByNumbers(other, asked)).toBeUndefined();
  });

  it("keep their numbers on both sides of a window in which their lines are broken", () => {
    const wide = lines(`old ${"x".repeat(300)}`)
      .split("\n")
      .slice(0, 90)
      .join("\n");
    const texts = { before: wide, after: wide.replace(/ 20\n/u, " new\n").replace(/ 60\n/u, " new\n") };
    for (const besideIn of [40, 119]) {
      const shownLines = linesOfAsked(change({ ...texts, sizes: { before: 1, after: 1 } }), false, {
        besideIn,
      });
      const heads = shownLines.lines.map((line) => line.map(({ text }) => text).join(""));
      expect([shownLines.hides, ...heads.filter((head) => head.startsWith("@@"))]).toEqual([
        false,
        "@@ 1 of 2: lines 18-24 @@",
        "@@ 2 of 2: lines 58-64 @@",
      ]);
    }
  });

  it("are not offered of a new file, nor of one that goes", () => {
    for (const texts of [
      { before: null, after },
      { before, after: null },
    ])
      expect(
        answerByNumbers("1", change({ ...texts, sizes: { before: null, after: null } })),
      ).toBeUndefined();
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
