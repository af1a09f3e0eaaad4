import { join } from "node:path";
import { expect, test } from "vitest";
import { readCommand } from "../../src/commands/read.js";
import { makePaint } from "../../src/shell/terminal.js";
import { Project } from "../process.js";

test("on a terminal the content of a file cannot act, and a byte order mark is not shown", async () => {
  const project = new Project({ "a.txt": "\ufeffred \u001b[31m\ttab\r\nover\rwritten\u202e\n" });
  const printed: (string | Uint8Array)[] = [];
  const code = await readCommand({
    args: ["a.txt"],
    flags: {},
    settings: {
      roots: [project.folder],
      stateDir: join(project.folder, "state"),
      json: false,
      allowProtected: [],
    },
    terminal: {
      out: async (text) => void printed.push(text),
      err: () => {},
      outIsTerminal: true,
      errIsTerminal: false,
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
