import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memoryPorts, Workspace } from "../../src/files/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { runTool } from "../../src/tools/index.js";
import { sha } from "../support.js";

function openTools() {
  const ports = memoryPorts({ digest: sha, newId: randomUUID, codec: openCharsets(), clock: Date });
  const workspace = new Workspace(ports, {});
  const call = (name: string, input: object) => runTool(name, input, { workspace, offered: [] });
  return {
    call,
    /** The first line of the answer, with what became of the call. */
    first: async (name: string, input: object) => {
      const { success, text } = await call(name, input);
      return `${success ? "" : "refused: "}${text.split("\n")[0]}`;
    },
    poke: (path: string, text: string) => ports.disk.poke(path, Buffer.from(text)),
  };
}

describe("Gemini CLI's replace", () => {
  it("answers in Gemini CLI's words", async () => {
    const { first } = openTools();
    const replace = (old_string: string, new_string: string, more: object = {}) =>
      first("replace", { file_path: "a.py", old_string, new_string, ...more });
    expect(await replace("x", "y")).toBe("refused: File not found: a.py");
    expect(await replace("", "one\none\ntwo\n")).toBe("Created new file: a.py with provided content.");
    expect(await replace("", "other")).toBe("refused: File already exists, cannot create: a.py");
    expect(await replace("two", "2")).toBe("Successfully modified file: a.py (1 replacements).");
    expect(await replace("one", "1", { expected_replacements: 2 })).toBe(
      "Successfully modified file: a.py (2 replacements).",
    );
    expect(await replace("1", "x")).toBe(
      "refused: Failed to edit, Expected 1 occurrence but found 2 for old_string in file: a.py. If you intended to replace multiple occurrences, set 'expected_replacements' to 2.",
    );
    expect(await replace("2", "2")).toBe(
      "refused: No changes to apply. The old_string and new_string are identical in file: a.py",
    );
  });

  it("still tells where the text nearly stands, and what another program did", async () => {
    const { call, poke } = openTools();
    const replace = (old_string: string, new_string: string) =>
      call("replace", { file_path: "a.py", old_string, new_string });
    await replace("", "def one():\n    return 1\n");
    const { success, text } = await replace("def one():\n  return 1", "x");
    expect(success).toBe(false);
    expect(text.split("\n")[0]).toBe("Could not find an exact match for 'old_string' in 'a.py'.");
    expect(text).toMatch(/lines? 1/);
    poke("a.py", "def two():\n");
    expect((await replace("def one", "x")).text).toContain("State Mismatch");
  });
});

describe("Amazon Q's fs_write", () => {
  it("refuses in Amazon Q's words", async () => {
    const { first } = openTools();
    const write = (command: string, input: object) => first("fs_write", { command, path: "a.rs", ...input });
    await write("create", { file_text: "one\none\ntwo\n" });
    expect(await write("str_replace", { old_str: "zero", new_str: "x" })).toBe(
      'refused: no occurrences of "zero" were found',
    );
    expect(await write("str_replace", { old_str: "one", new_str: "x" })).toBe(
      "refused: 2 occurrences of old_str were found when only 1 is expected",
    );
    expect(await write("str_replace", { old_str: "two", new_str: "2" })).toMatch(/^OK \(applied\)/);
  });
});
