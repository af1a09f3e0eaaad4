import { describe, expect, it } from "vitest";
import { executeToolUse, executeToolUses, memory, runnable, textEditor } from "../src/anthropic.js";
import { openRoom } from "./room.js";

const edit = (input: object, name: string = textEditor.name) => ({ id: "toolu_1", name, input });
const replace = (old_str: string, new_str: string) => ({
  command: "str_replace",
  path: "a.txt",
  old_str,
  new_str,
});

describe("Anthropic's text editor", () => {
  it("answers each call by its id, in the names of all its versions", async () => {
    const room = await openRoom({ "a.txt": "one\n" });
    for (const name of ["str_replace_editor", "str_replace_based_edit_tool"]) {
      const result = await executeToolUse(room.workspace, edit({ command: "view", path: "a.txt" }, name));
      expect(result).toMatchObject({ type: "tool_result", tool_use_id: "toolu_1" });
      expect(result?.content).toBe("Here's the content of a.txt with line numbers:\n     1\tone\n");
      expect(result).not.toHaveProperty("is_error");
    }
    await executeToolUse(room.workspace, edit(replace("one", "two")));
    expect(room.text("a.txt")).toBe("two\n");
    await executeToolUse(room.workspace, edit({ command: "undo_edit", path: "a.txt" }, "str_replace_editor"));
    expect(room.text("a.txt")).toBe("one\n");
  });

  it("makes an error of a refusal, with the number of matches or the fresh state", async () => {
    const room = await openRoom({ "a.txt": "one\none\n" });
    await executeToolUse(room.workspace, edit({ command: "view", path: "a.txt" }));
    const twice = await executeToolUse(room.workspace, edit(replace("one", "two")));
    expect(twice).toMatchObject({ is_error: true });
    expect(twice?.content).toMatch(/^Error: Found 2 matches for replacement text\. [\s\S]*at lines 1, 2\.$/);
    room.write("a.txt", "one, and more\n");
    const stale = await executeToolUse(room.workspace, edit(replace("one", "two")));
    expect(stale).toMatchObject({ is_error: true });
    expect(stale?.content).toMatch(/state_mismatch[\s\S]*\n\+one, and more\n/);
    expect(room.text("a.txt")).toBe("one, and more\n");
  });

  it("does not overwrite a file that was not viewed", async () => {
    const room = await openRoom({ "a.txt": "one\n" });
    const blind = await executeToolUse(
      room.workspace,
      edit({ command: "create", path: "a.txt", file_text: "blind" }),
    );
    expect(blind).toMatchObject({ is_error: true, content: expect.stringContaining("(not_read)") });
    expect(room.text("a.txt")).toBe("one\n");
  });
});

it("views no more characters than the definition allows, and says where it goes on", async () => {
  const room = await openRoom({ "a.txt": "one line\n".repeat(1_000) });
  const view = edit({ command: "view", path: "a.txt" });
  const result = await executeToolUse(room.workspace, view, { maxCharacters: 1_000 });
  expect(result?.content.length).toBeLessThanOrEqual(1_000);
  expect(result?.content).toMatch(/\n {5}9\tone line\n/);
  expect(result?.content).toMatch(/view_range/);
});

describe("Anthropic's memory", () => {
  it("keeps notes in the folder memories, and nowhere else", async () => {
    const room = await openRoom({});
    const note = (input: object) =>
      executeToolUse(room.workspace, { id: "toolu_2", name: memory.name, input });
    await note({ command: "create", path: "/memories/a.md", file_text: "one\n" });
    await note({ command: "str_replace", path: "/memories/a.md", old_str: "one", new_str: "two" });
    expect(room.text("memories/a.md")).toBe("two\n");
    for (const path of ["/etc/passwd", "/memories/../b.md"])
      expect(await note({ command: "create", path, file_text: "x" })).toMatchObject({ is_error: true });
  });
});

describe("the calls of one message", () => {
  it("are executed in their order; blocks of other tools are the host's", async () => {
    const room = await openRoom({});
    const content = [
      { type: "text", text: "First a file." },
      { type: "tool_use", ...edit({ command: "create", path: "a.txt", file_text: "one\n" }) },
      { type: "tool_use", ...edit(replace("one", "two")), id: "toolu_3" },
      { type: "tool_use", id: "toolu_4", name: "weather", input: {} },
    ];
    const results = await executeToolUses(room.workspace, content);
    expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual(["toolu_1", "toolu_3"]);
    expect(room.text("a.txt")).toBe("two\n");
  });
});

describe("a tool for the SDK's runner", () => {
  it("returns the text, and throws a refusal, of which the runner makes an error", async () => {
    const { workspace } = await openRoom({ "a.txt": "one\n" });
    const tool = runnable(textEditor, workspace);
    expect(tool).toMatchObject(textEditor);
    expect(await tool.run(tool.parse({ command: "view", path: "a.txt" }))).toContain("     1\tone\n");
    await expect(tool.run(replace("none", "two"))).rejects.toThrow(/^No match found for replacement\./);
  });
});
