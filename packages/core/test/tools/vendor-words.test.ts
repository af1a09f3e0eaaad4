import { describe, expect, it } from "vitest";
import { runTool } from "../../src/tools/index.js";
import { openMemory } from "./ground.js";

/** The texts that vendors document, and that their SDKs and programs answer with; ours follow where ours say more. */
function openTools(files: Readonly<Record<string, string>> = {}) {
  const { workspace, put } = openMemory(files);
  const call = (name: string, input: object) => runTool(name, input, { workspace, offered: [] });
  const commands = (name: string) => async (command: string, input: object) =>
    call(name, { command, ...input });
  return {
    ...{ call, workspace, put },
    ...{ memory: commands("memory"), editor: commands("str_replace_based_edit_tool") },
    /** The first line of the answer, with what became of the call. */
    first: async (name: string, input: object) => {
      const { success, text } = await call(name, input);
      return `${success ? "" : "refused: "}${text.split("\n")[0]}`;
    },
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
    const { call, put } = openTools();
    const replace = (old_string: string, new_string: string) =>
      call("replace", { file_path: "a.py", old_string, new_string });
    await replace("", "def one():\n    return 1\n");
    const { success, text } = await replace("def one():\n  return 1", "x");
    expect(success).toBe(false);
    expect(text.split("\n")[0]).toBe("Could not find an exact match for 'old_string' in 'a.py'.");
    expect(text).toMatch(/line 2: at character 3 the call has U\+0072/);
    put("a.py", "def two():\n");
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

it.each([
  ["list_files", { path: "one" }, '"one" holds 1 entry; sizes are in bytes.'],
  ["list_files", { path: "one", limit: 0 }, "at least 1"],
  ["find_files", { glob: "*.txt" }, '1 file found in "."'],
  ["find_files", { glob: "*.none" }, '0 files found in "."'],
  ["search_files", { pattern: "y" }, "1 match in 1 of 1 file."],
  ["search_files", { pattern: "[xy]" }, "2 matches in 1 of 1 file."],
  ["read_many_files", { paths: ["one/a.txt"] }, "1 file read."],
  ["read_many_files", { paths: ["one/a.txt", "none"] }, "1 file read, 1 not."],
  ["edit_file", { file_path: "one/a.txt", edits: [] }, "must be a list of at least 1, not an empty list"],
  [
    "edit_file",
    { file_path: "one/a.txt", edits: [{ old_string: "x", new_string: "z" }] },
    "appears 3 times in one/a.txt.",
  ],
])("%s %j says: %s", async (name, args, words) => {
  const { call, workspace } = openTools({ "one/a.txt": "x x x\ny\n" });
  await workspace.read({ path: "one/a.txt" });
  const { text } = await call(name, args);
  expect(text.split("\n").slice(0, 2).join("\n")).toContain(words);
});

it("names a line once, however often the text stands in it", async () => {
  const { workspace } = openTools({ a: "x\nx x x\n" });
  await workspace.read({ path: "a" });
  const outcome = await workspace.edit({ path: "a", edits: [{ oldString: "x", newString: "y" }] });
  expect(outcome.message).toContain("It stands at lines 1, 2.");
});
