import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openWorkspace } from "@holdfast/core/node";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { chooseRoots } from "../../src/answers/choose-roots.js";
import { showDiff } from "../../src/answers/report.js";
import { readCommand } from "../../src/commands/read.js";
import { amongOthers } from "../../src/sessions/transfer.js";
import { makePaint } from "../../src/shell/terminal.js";
import { Project } from "../process.js";

const project = new Project({ "sub/a.txt": "below\n" });
const [top, sub] = [project.folder, join(project.folder, "sub")];
const other = new Project().folder;
const stateDir = join(other, "state");

/** The roots that a server gets, and the sentences about those that are left out. */
function chosen(given: readonly string[] | undefined, uris: readonly string[] | undefined) {
  const told: string[] = [];
  const choice = chooseRoots(given, uris, (sentence) => told.push(sentence));
  return { choice, told };
}

const uriOf = (folder: string) => pathToFileURL(folder).href;

describe("the roots of a server", () => {
  const cases = [
    ["the client's where there is no --root", undefined, [uriOf(sub), uriOf(other)], [sub, other], ""],
    [
      "those of the client that are folders",
      undefined,
      [uriOf(sub), "http://x/"],
      [sub],
      "root http://x/ is no folder of",
    ],
    ["the folder of the server where the client names none", undefined, undefined, [process.cwd()], ""],
    ["those of --root where the client names none", [top], undefined, [top], ""],
    ["narrowed by the client", [top], [uriOf(sub), uriOf(other)], [sub], ""],
    ["not widened by the client", [sub], [uriOf(top)], [sub], ""],
    ["not widened to the disk", [top], [uriOf("/")], [top], ""],
    [
      "those of --root where the client's lie elsewhere",
      [top],
      [uriOf(other)],
      [top],
      "those of --root count",
    ],
    [
      "without a missing one",
      [join(top, "gone"), top],
      undefined,
      [top],
      "gone does not exist and is left out",
    ],
  ] as const;
  test.each(cases)("are %s", (_, given, uris, roots, sentence) => {
    const { choice, told } = chosen(given, uris);
    expect(choice).toEqual({ kind: "roots", roots });
    expect(told.join()).toContain(sentence);
  });

  const strange = [
    "file://host/x",
    "file:///%zz",
    "file:///a%2Fb",
    "file:///a%00b",
    "file:",
    "file:///",
    "FILE:///no/such/folder",
    "file:///no such/folder",
    "/not/a/uri",
    "\\\\host\\share",
    "javascript:1",
    "",
    `file:///${"x".repeat(70_000)}`,
  ];
  test.each(strange)("are none where the client names %j, and those of --root stay", async (uri) => {
    const { choice } = chosen(undefined, [uri]);
    const refused = choice.kind === "roots" ? await openWorkspace({ roots: choice.roots, stateDir }) : choice;
    expect(refused).toMatchObject({ kind: "refusal", message: expect.stringMatching(/^[A-Z].*\./) });
    expect(chosen([top], [uri]).choice).toEqual({ kind: "roots", roots: [top] });
  });

  test.each([
    ["", "invalid_arguments"],
    ["/", "invalid_arguments"],
    ["a\0b", "file_missing"],
  ])("%j is refused by the library, too, unless it is told", async (root, code) => {
    expect(await openWorkspace({ roots: [root], stateDir })).toMatchObject({ kind: "refusal", code });
    if (root !== "/") return;
    const opened = await openWorkspace({ roots: [root], stateDir, allowWideRoot: true });
    if (opened.kind === "refusal") throw new Error(opened.message);
    await opened.close();
  });
});

const plain = makePaint(false);
const numbers = "1\n2\n3\n4\n5\n6\n7\n";

describe("a difference is shown", () => {
  it.each([
    ["with two lines around", numbers, numbers.replace("4", "X"), "@@ line 2 @@\n 2\n 3\n-4\n+X\n 5\n 6"],
    [
      "together where the context touches",
      numbers,
      "X\n2\n3\n4\n5\nY\n7\n",
      "@@ line 1 @@\n-1\n+X\n 2\n 3\n 4\n 5\n-6\n+Y\n 7",
    ],
    [
      "else apart",
      numbers,
      "X\n2\n3\n4\n5\n6\nY\n",
      "@@ line 1 @@\n-1\n+X\n 2\n 3\n@@ line 5 @@\n 5\n 6\n-7\n+Y",
    ],
    ["by the number of the line that follows", "1\n2\n3\n", "2\n3\n", "@@ line 1 @@\n-1\n 2\n 3"],
    ["where a newline at the end went", "1\n", "1", "@@ line 1 @@\n-1\n+1  (no newline at the end)"],
    ["of a new file", null, "a\nb\n", "@@ line 1 @@\n+a\n+b"],
    ["of a file that went", "a\n", null, "@@ line 1 @@\n-a"],
    ["as nothing where there is none", "a\n", "a\n", ""],
  ])("%s", (_, before, after, shown) => {
    expect(showDiff(before, after, plain).join("\n")).toBe(shown);
  });

  it("up to 60 lines, and how many more there are", () => {
    const shown = showDiff(null, "x\n".repeat(100), plain);
    expect(shown).toHaveLength(61);
    expect(shown.at(-1)).toBe("… 41 more lines");
  });
});

const someLines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });

test("what is shown turns the one text into the other, at the lines that it names", () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
      const result: string[] = [...before];
      const taken: string[] = [];
      let at = 0;
      for (const line of showDiff(text(before), text(after), plain)) {
        const head = /^@@ line (\d+) @@$/.exec(line);
        if (head !== null) at = Number(head[1]) - 1;
        else if (line.startsWith("+")) result.splice(at++, 0, line.slice(1));
        else taken.push(line.slice(1) === result[at] ? "" : line);
        if (line.startsWith("-")) result.splice(at, 1);
        else if (line.startsWith(" ")) at++;
      }
      expect(result).toEqual(after);
      expect(taken.join("")).toBe("");
    }),
  );
});

test("on a terminal the content of a file cannot act, and a byte order mark is not shown", async () => {
  const project = new Project({ "a.txt": "\ufeffred \u001b[31m\ttab\r\nover\rwritten\u202e\n" });
  const printed: (string | Uint8Array)[] = [];
  const code = await readCommand({
    command: "read",
    args: ["a.txt"],
    flags: {},
    settings: {
      roots: [project.folder],
      stateDir: join(project.folder, "state"),
      json: false,
      allowProtected: [],
      inPlace: [],
    },
    terminal: {
      out: async (text) => void printed.push(text),
      err: () => {},
      status: () => {},
      columns: () => undefined,
      outIsTerminal: true,
      errIsTerminal: false,
      errHasColor: false,
      outPaint: makePaint(true),
      errPaint: makePaint(true),
    },
    misuse: (message) => {
      throw new Error(message);
    },
  });
  expect(code).toBe(0);
  expect(printed).toEqual(["red \\u001b[31m\ttab\nover\\u000dwritten\\u202e\n"]);
});

/** What an importer without a bound does. */
function deeper(levels: number): number {
  return levels === 0 ? 0 : 1 + deeper(levels - 1);
}

describe("one file of many", () => {
  test("that makes the program fail is told by its name, as a fault of ours", async () => {
    const taken = await amongOthers("a/b.json", async () => deeper(1e7));
    expect(taken).toMatchObject({ kind: "refusal", code: "internal_error" });
    expect(JSON.stringify(taken)).toContain(
      "a/b.json was not imported: an error of Holdfast (RangeError: Maximum",
    );
  });

  test("says nothing of itself where the machine gives no more descriptors", async () => {
    const full = Object.assign(new Error("too many open files"), { code: "EMFILE" });
    await expect(amongOthers("a", () => Promise.reject(full))).rejects.toBe(full);
  });
});
