import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { memoryPorts, Workspace } from "../../src/files/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { runTool } from "../../src/tools/index.js";
import { sha } from "../support.js";

/** The texts that Anthropic documents and its SDK answers with; ours follow where ours say more. */
function openTools() {
  const ports = memoryPorts({ digest: sha, newId: randomUUID, codec: openCharsets(), clock: Date });
  const workspace = new Workspace(ports, {});
  const call = (name: string) => async (command: string, input: object) =>
    runTool(name, { command, ...input }, { workspace, offered: [] });
  return {
    memory: call("memory"),
    editor: call("str_replace_based_edit_tool"),
    workspace,
    poke: (path: string, bytes: Uint8Array) => ports.disk.poke(path, bytes),
  };
}

const a = { path: "/memories/a.md" };
const none = { path: "/memories/none.md" };

describe("Anthropic's memory", () => {
  it("is there and empty at first, and lists sizes before names", async () => {
    const { memory } = openTools();
    const head =
      "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:";
    expect(await memory("view", { path: "/memories" })).toMatchObject({
      success: true,
      text: `${head}\n0B\t/memories`,
    });
    await memory("create", { ...a, file_text: "one\n" });
    await memory("create", { path: "/memories/sub/.hidden", file_text: "x" });
    await memory("create", { path: "/memories/sub/b.md", file_text: "x".repeat(1536) });
    expect((await memory("view", { path: "/memories/" })).text.split("\n").slice(1)).toEqual([
      "1.5K\t/memories",
      "4B\t/memories/a.md",
      "1.5K\t/memories/sub/",
      "1.5K\t/memories/sub/b.md",
    ]);
  });

  it("answers each command in the documented words", async () => {
    const { memory } = openTools();
    const first = async (command: string, input: object) => {
      const { success, text } = await memory(command, input);
      return `${success ? "" : "refused: "}${text.split("\n")[0]}`;
    };
    expect(await first("create", { ...a, file_text: "one\ntwo\nthree\n" })).toBe(
      "File created successfully at: /memories/a.md",
    );
    expect(await first("create", { ...a, file_text: "other" })).toBe(
      "refused: File /memories/a.md already exists",
    );
    expect((await memory("view", { ...a, view_range: [2, 3] })).text).toBe(
      "Here's the content of /memories/a.md with line numbers:\n     2\ttwo\n     3\tthree\n",
    );
    expect(await first("view", none)).toBe(
      "refused: The path /memories/none.md does not exist. Please provide a valid path.",
    );
    expect(await first("str_replace", { ...a, old_str: "zero", new_str: "x" })).toBe(
      "refused: No replacement was performed, old_str `zero` did not appear verbatim in /memories/a.md.",
    );
    expect(await first("str_replace", { ...a, old_str: "t", new_str: "x" })).toBe(
      "refused: No replacement was performed. Multiple occurrences of old_str `t` in lines: 2, 3. Please ensure it is unique",
    );
    expect((await memory("str_replace", { ...a, old_str: "two", new_str: "2" })).text).toMatch(
      /^The memory file has been edited\. .*\n.*\n {5}1\tone\n {5}2\t2\n {5}3\tthree\n$/,
    );
    expect(await first("insert", { ...a, insert_line: 9, insert_text: "x" })).toBe(
      "refused: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 3]",
    );
    expect(await first("insert", { ...a, insert_line: 0, insert_text: "x" })).toBe(
      "The file /memories/a.md has been edited.",
    );
    const to = (old_path: string, new_path: string) => first("rename", { old_path, new_path });
    await memory("create", { path: "/memories/b.md", file_text: "b" });
    expect(await to("/memories/a.md", "/memories/b.md")).toBe(
      "refused: The destination /memories/b.md already exists",
    );
    expect(await to("/memories/none.md", "/memories/c.md")).toBe(
      "refused: The path /memories/none.md does not exist",
    );
    expect(await to("/memories/a.md", "/memories/d/c.md")).toBe(
      "Successfully renamed /memories/a.md to /memories/d/c.md",
    );
    expect(await first("delete", none)).toBe("refused: The path /memories/none.md does not exist");
    expect(await first("delete", { path: "/memories/b.md" })).toBe("Successfully deleted /memories/b.md");
  });
});

describe("a folder of Anthropic's memory", () => {
  const put = async (memory: ReturnType<typeof openTools>["memory"]) => {
    for (const name of ["old/a.md", "old/sub/b.md", "keep.md"])
      await memory("create", { path: `/memories/${name}`, file_text: `${name}\n` });
  };
  const names = async (memory: ReturnType<typeof openTools>["memory"]) =>
    (await memory("view", { path: "/memories" })).text.split("\n").slice(2).join(" ").replace(/\S+\t/g, "");

  it("is deleted with all that is in it, as one change set that is undone whole", async () => {
    const { memory, workspace } = openTools();
    await put(memory);
    expect(await memory("delete", { path: "/memories/old" })).toMatchObject({
      success: true,
      text: expect.stringMatching(/^Successfully deleted \/memories\/old\n/),
    });
    expect(await names(memory)).toBe("/memories/keep.md");
    await workspace.undo({ path: "memories/old/sub/b.md" });
    expect(await names(memory)).toBe(
      "/memories/keep.md /memories/old/ /memories/old/a.md /memories/old/sub/",
    );
  });

  it("is renamed, never onto what is there nor into itself", async () => {
    const { memory, workspace } = openTools();
    await put(memory);
    const to = async (new_path: string) =>
      (await memory("rename", { old_path: "/memories/old", new_path })).text.split("\n")[0];
    expect(await to("/memories/keep.md")).toBe("The destination /memories/keep.md already exists");
    expect(await to("/memories/old/sub/deep")).toContain("A folder cannot be moved into itself.");
    expect(await to("/elsewhere")).toContain("outside_workspace");
    expect(await to("/memories/new/er")).toBe("Successfully renamed /memories/old to /memories/new/er");
    expect(await names(memory)).toBe("/memories/keep.md /memories/new/ /memories/new/er/");
    await workspace.undo({ path: "memories/old/a.md" });
    expect(await names(memory)).toBe(
      "/memories/keep.md /memories/old/ /memories/old/a.md /memories/old/sub/",
    );
  });

  it("stays as it is where one of its notes is not as the model saw it", async () => {
    const { memory, workspace, poke } = openTools();
    await put(memory);
    poke("memories/old/sub/b.md", Buffer.from("by another\n"));
    const { success, text } = await memory("delete", { path: "/memories/old" });
    expect(success).toBe(false);
    expect(text).toContain("1 of 2 files is a reason to refuse the whole set");
    expect(await workspace.read({ path: "memories/old/a.md" })).toMatchObject({ kind: "read" });
  });

  it("of all memories is neither deleted nor renamed", async () => {
    const { memory } = openTools();
    await put(memory);
    expect((await memory("delete", { path: "/memories/" })).text).toContain(
      "Cannot delete the /memories directory itself",
    );
    expect((await memory("rename", { old_path: "/memories", new_path: "/memories/x" })).text).toContain(
      "Cannot rename the /memories directory itself",
    );
  });
});

describe("Anthropic's text editor", () => {
  it("numbers lines, and counts the places that fit", async () => {
    const { editor } = openTools();
    const text = async (command: string, input: object) =>
      (await editor(command, { path: "a.py", ...input })).text;
    expect(await text("create", { file_text: "one\none\ntwo" })).toMatch(
      /^File created successfully at: a\.py\n/,
    );
    expect(await text("view", {})).toBe(
      "Here's the content of a.py with line numbers:\n     1\tone\n     2\tone\n     3\ttwo",
    );
    expect(await text("str_replace", { old_str: "one", new_str: "x" })).toMatch(
      /^Found 2 matches for replacement text\. Please provide more context to make a unique match\.\n/,
    );
    expect(await text("str_replace", { old_str: "zero", new_str: "x" })).toMatch(
      /^No match found for replacement\. Please check your text and try again\./,
    );
    expect(await text("str_replace", { old_str: "two", new_str: "2" })).toMatch(
      /^Successfully replaced text at exactly one location\.\n[\s\S]* {5}3\t2$/,
    );
    expect(await text("view", { path: "none.py" })).toBe("File not found");
  });
});
