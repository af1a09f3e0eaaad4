import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import type { CorrectedEdit, EditSketch, FailedEdit } from "../src/files/values/index.js";
import type { OpenWorkspaceOptions } from "../src/node/index.js";
import { ground, sha } from "./support.js";

/** Other vendors' tools on our core: their schemas, our checks. */
async function editor(
  files: Readonly<Record<string, string>>,
  name: "str_replace_based_edit_tool" | "fs_write" | "memory" = "str_replace_based_edit_tool",
) {
  const there = await ground(files);
  const run = async (command: string, args: Record<string, unknown> = {}) =>
    (await there.call(name, { command, ...args })) as unknown as Record<string, unknown> & {
      message: string;
    };
  return { ...there, run };
}

describe("str_replace_based_edit_tool", () => {
  it("views files, ranges and folders", async () => {
    const there = await editor({ "a/f": "1\n2\n3\n", "a/b/g": "" });
    expect(await there.run("view", { path: "a/f" })).toMatchObject({ content: "1\n2\n3\n" });
    expect(await there.run("view", { path: "a/f", view_range: [2, 3] })).toMatchObject({ content: "2\n3\n" });
    expect(await there.run("view", { path: "a/f", view_range: [2, -1] })).toMatchObject({
      content: "2\n3\n",
    });
    expect(await there.run("view", { path: "a/f", view_range: [3, 2] })).toMatchObject({
      code: "invalid_arguments",
    });
    const { entries } = (await there.run("view", { path: "." })) as unknown as {
      entries: { path: string }[];
    };
    expect(entries.map(({ path }) => path)).toEqual(["a", "a/b", "a/f"]);
  });

  it("creates, replaces, inserts and takes back", async () => {
    const there = await editor({});
    const created = await there.run("create", { path: "f", file_text: "a\nb\n" });
    expect(created.message).toBe("Written: f (4 bytes). File created.");
    expect(await there.run("str_replace", { path: "f", old_str: "b", new_str: "B" })).toMatchObject({
      code: "applied",
    });
    expect(await there.run("insert", { path: "f", insert_line: 1, insert_text: "x" })).toMatchObject({
      code: "applied",
    });
    expect(await there.run("insert", { path: "f", insert_line: 0, new_str: "top\n" })).toMatchObject({
      code: "applied",
    });
    expect(there.text("f")).toBe("top\na\nx\nB\n");
    expect(await there.run("str_replace", { path: "f", old_str: "x\n" })).toMatchObject({ code: "applied" });
    expect(await there.run("undo_edit", { path: "f" })).toMatchObject({ code: "applied" });
    expect(there.text("f")).toBe("top\na\nx\nB\n");
  });

  it("refuses what was not viewed, what changed, and what stands twice, with the count", async () => {
    const there = await editor({ f: "a\na\n", g: "a\na\n", h: "a\na\n" });
    // One file each: in full, the answer to the refusal shows the file.
    for (const [command, path, args] of [
      ["str_replace", "f", { old_str: "a", new_str: "b" }],
      ["insert", "g", { insert_line: 1, insert_text: "b" }],
      ["create", "h", { file_text: "b" }],
    ] as const)
      expect(await there.run(command, { path, ...args })).toMatchObject({
        success: false,
        code: "not_read",
      });
    await there.run("view", { path: "f" });
    const twice = await there.run("str_replace", { path: "f", old_str: "a", new_str: "b" });
    expect(twice.message).toMatch(/^old_str appears 2 times in f\./);
    there.put("f", "a\nb\n");
    expect(await there.run("insert", { path: "f", insert_line: 1, insert_text: "b" })).toMatchObject({
      code: "state_mismatch",
    });
    // That answer held the fresh state, which counts as seen; what came after it does not.
    there.put("f", "a\nb\nc\n");
    expect(await there.run("create", { path: "f", file_text: "x" })).toMatchObject({
      code: "state_mismatch",
    });
    expect(await there.run("str_replace", { path: "f" })).toMatchObject({ code: "invalid_arguments" });
    expect(there.text("f")).toBe("a\nb\nc\n");
  });
});

describe("fs_write", () => {
  it("creates, replaces one match, inserts and appends", async () => {
    const there = await editor({}, "fs_write");
    await there.run("create", { path: "f", file_text: "a\n", summary: "begin" });
    await there.run("str_replace", { path: "f", old_str: "a", new_str: "b" });
    await there.run("insert", { path: "f", insert_line: 0, new_str: "top" });
    expect(await there.run("append", { path: "f", new_str: "end\n" })).toMatchObject({ code: "applied" });
    expect(there.text("f")).toBe("top\nb\nend\n");
    expect(await there.run("append", { path: "f" })).toMatchObject({ code: "invalid_arguments" });
  });
});

describe("memory", () => {
  it("keeps notes under one folder, edited without a view", async () => {
    const there = await editor({ "memories/old.md": "status: one\n" }, "memory");
    await there.run("create", { path: "/memories/a.md", file_text: "note\n" });
    expect(there.text("memories/a.md")).toBe("note\n");
    const replaced = { path: "/memories/old.md", old_str: "one", new_str: "two" };
    expect(await there.run("str_replace", replaced)).toMatchObject({ code: "applied" });
    expect(await there.run("view", { path: "/memories" })).toMatchObject({ entries: expect.any(Array) });
    expect(
      await there.run("rename", { old_path: "/memories/a.md", new_path: "/memories/b.md" }),
    ).toMatchObject({
      success: true,
      latest_file_state: { file_path: "memories/b.md", sha256: sha("note\n") },
    });
    expect(await there.run("delete", { path: "/memories/b.md" })).toMatchObject({ success: true });
    expect(existsSync(join(there.root, "memories/b.md"))).toBe(false);
    expect(await there.workspace.undo({ path: "memories/b.md" })).toMatchObject({ success: true });
    expect(there.text("memories/b.md")).toBe("note\n");
  });

  it.each([
    ["delete", { path: "/memories/a.md" }],
    ["rename", { old_path: "/memories/a.md", new_path: "/memories/b.md" }],
  ])("%s takes no note whose present state was not viewed", async (command, args) => {
    const there = await editor({ "memories/a.md": "a\n" }, "memory");
    expect(await there.run(command, args)).toMatchObject({ success: false, code: "not_read" });
    await there.run("view", { path: "/memories/a.md" });
    writeFileSync(join(there.root, "memories/a.md"), "theirs\n");
    expect(await there.run(command, args)).toMatchObject({ success: false, code: "state_mismatch" });
    expect(there.text("memories/a.md")).toBe("theirs\n");
  });

  it("overwrites no note blindly and renames over none", async () => {
    const there = await editor({ "memories/a.md": "a\n", "memories/b.md": "b\n" }, "memory");
    const create = { command: "create", path: "/memories/a.md", file_text: "x" };
    expect(await there.run("create", create)).toMatchObject({ success: false, code: "state_mismatch" });
    const { text } = await runTool("memory", create, { workspace: there.workspace });
    expect(text).toMatch(/^File \/memories\/a\.md already exists/);
    const onto = { old_path: "/memories/a.md", new_path: "/memories/b.md" };
    expect(await there.run("rename", onto)).toMatchObject({ success: false, code: "exists" });
    expect([there.text("memories/a.md"), there.text("memories/b.md")]).toEqual(["a\n", "b\n"]);
  });

  it.each([
    "/etc/passwd",
    "/memories/../f",
    "/memoriesx/f",
    "../memories/f",
    "/memories/./../../f",
    "f",
    "/",
    "//memories/f",
  ])("refuses the path %s, in every command", async (path) => {
    const there = await editor({ f: "a\n" }, "memory");
    for (const command of ["view", "create", "str_replace", "insert", "delete"])
      expect(await there.run(command, { path, file_text: "x", old_str: "a" })).toMatchObject({
        success: false,
        code: "outside_workspace",
      });
    expect(await there.run("rename", { old_path: "/memories/a", new_path: path })).toMatchObject({
      code: "outside_workspace",
    });
    expect(there.text("f")).toBe("a\n");
  });

  it("renames nothing through a link that leads out, in neither direction", async () => {
    const there = await editor({ "memories/a.md": "a\n", "src/secret.ts": "s\n" }, "memory");
    symlinkSync("../src", join(there.root, "memories/link"));
    await there.run("view", { path: "/memories/a.md" });
    for (const [old_path, new_path] of [
      ["/memories/link/secret.ts", "/memories/stolen.ts"],
      ["/memories/a.md", "/memories/link/planted.ts"],
    ])
      expect(await there.run("rename", { old_path, new_path })).toMatchObject({ code: "outside_workspace" });
    expect([there.text("memories/a.md"), there.text("src/secret.ts")]).toEqual(["a\n", "s\n"]);
    expect(existsSync(join(there.root, "src/planted.ts"))).toBe(false);
  });

  it("refuses a link inside the folder that leads out of it", async () => {
    const there = await editor({ "memories/a.md": "a\n", "private/f": "a\n" }, "memory");
    const { symlinkSync } = await import("node:fs");
    symlinkSync("../private", join(there.root, "memories/out"));
    const path = "/memories/out/f";
    expect(await there.run("view", { path })).toMatchObject({ code: "outside_workspace" });
    expect(await there.run("str_replace", { path, old_str: "a", new_str: "b" })).toMatchObject({
      code: "outside_workspace",
    });
    expect(await there.run("create", { path: "/memories/out/new", file_text: "b" })).toMatchObject({
      code: "outside_workspace",
    });
    expect(await there.run("delete", { path })).toMatchObject({ code: "outside_workspace" });
    expect(there.text("private/f")).toBe("a\n");
  });
});

describe("replace", () => {
  const run = async (args: object, options: Partial<OpenWorkspaceOptions> = {}, text = "a\nb\nb\n") => {
    const there = await ground({ f: text }, options);
    await there.workspace.read({ path: "f" });
    const reply = await there.call("replace", { file_path: "f", ...args });
    return { there, reply };
  };

  it("creates with an empty old text, never over a file", async () => {
    const made = await run({ file_path: "new", old_string: "", new_string: "x\n" });
    expect(made.reply).toMatchObject({ code: "applied" });
    expect(made.there.text("new")).toBe("x\n");
    const { reply, there } = await run({ old_string: "", new_string: "x\n" });
    expect(reply).toMatchObject({ success: false, code: "exists" });
    expect(there.text("f")).toBe("a\nb\nb\n");
  });

  it("counts what it replaces", async () => {
    expect((await run({ old_string: "b", new_string: "c" })).reply).toMatchObject({
      code: "occurrence_mismatch",
    });
    const both = await run({ old_string: "b", new_string: "c", expected_replacements: 2 });
    expect(both.there.text("f")).toBe("a\nc\nc\n");
  });

  it("tells in the refusal where the text stands but for blanks", async () => {
    const { reply } = await run({ old_string: "if(x){go();}", new_string: "y" }, {}, "  if (x) { go(); }\n");
    expect(reply).toMatchObject({ code: "not_found" });
    expect(reply.message).toContain("it begins here:\n1:   if (x) { go(); }");
  });

  it("asks the corrector, and checks its answer as any edit", async () => {
    const asked: FailedEdit[] = [];
    const answering = (answer: CorrectedEdit | undefined) => ({
      corrector: async (failed: FailedEdit) => {
        asked.push(failed);
        return answer;
      },
    });
    const wrong = { old_string: "A", new_string: "X" };
    const good = await run(wrong, answering({ oldString: "a", newString: "X" }));
    expect(good.reply).toMatchObject({ code: "applied" });
    expect(good.reply.message).toContain(
      'The edit was corrected before it was made: the old text is "a", the new "X".',
    );
    expect(asked[0]).toMatchObject({ path: "f", content: "a\nb\nb\n", oldString: "A" });
    expect((await run(wrong, answering({ oldString: "b", newString: "X" }))).reply).toMatchObject({
      code: "occurrence_mismatch",
    });
    expect((await run(wrong, answering({ oldString: "", newString: "X" }))).reply).toMatchObject({
      code: "empty_old_string",
    });
    expect((await run(wrong, answering(undefined))).reply).toMatchObject({ code: "not_found" });
  });

  it("does not act on a file that changed while the corrector thought, nor asks about one nobody saw", async () => {
    const there = await ground(
      { f: "a\n" },
      {
        corrector: async () => {
          there.put("f", "a\nnew\n");
          return { oldString: "a", newString: "X" };
        },
      },
    );
    await there.workspace.read({ path: "f" });
    const reply = await there.call("replace", { file_path: "f", old_string: "A", new_string: "X" });
    expect(reply).toMatchObject({ success: false, code: "state_mismatch" });
    expect(there.text("f")).toBe("a\nnew\n");
    const asked: unknown[] = [];
    const unseen = await ground(
      { f: "const retries = 3;\n" },
      { guards: { editGuard: "atomic" }, corrector: async (failed) => void asked.push(failed) },
    );
    const args = { file_path: "f", old_string: "const retries = 5;", new_string: "const retries = 7;" };
    expect(await unseen.call("replace", args)).toMatchObject({ code: "not_found" });
    expect(asked).toEqual([]);
  });
});

describe("apply_edit", () => {
  const text = Array.from({ length: 12 }, (_, at) => `line ${at}\n`).join("");
  const sketched = (made: (sketch: EditSketch) => string | undefined) => async () => {
    const there = await ground({ f: text }, { applier: async (sketch) => made(sketch) });
    await there.workspace.read({ path: "f" });
    const args = {
      file_path: "f",
      instructions: "change line 3",
      code_edit: "// ... existing code ...\nLINE 3\n",
    };
    return { there, reply: await there.call("apply_edit", args) };
  };

  it("writes what the applier made, and shows it", async () => {
    const { there, reply } = await sketched(({ content }) => content.replace("line 3", "LINE 3"))();
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(there.text("f")).toBe(text.replace("line 3", "LINE 3"));
  });

  const bad: readonly (readonly [string, (sketch: EditSketch) => string | undefined, string])[] = [
    ["that drops half the file", ({ content }) => content.slice(0, content.length / 2), "placeholder"],
    ["that leaves the sketch's omission in", ({ codeEdit, content }) => content + codeEdit, "placeholder"],
    ["that gives nothing", () => "", "placeholder"],
    ["that fails", () => undefined, "internal_error"],
    ["that changes nothing", ({ content }) => content, "no_change"],
  ];
  it.each(bad)("writes nothing of an applier %s", async (_, made, code) => {
    const { there, reply } = await sketched(made)();
    expect(reply).toMatchObject({ code });
    expect(there.text("f")).toBe(text);
  });

  it("writes nothing where the file changed meanwhile, was not read, or no applier is there", async () => {
    const there = await ground(
      { f: text },
      {
        applier: async ({ content }) => {
          there.put("f", `${text}more\n`);
          return content.replace("line 3", "LINE 3");
        },
      },
    );
    const sketch = { path: "f", instructions: "", codeEdit: "" };
    expect(await there.workspace.applyEdit(sketch)).toMatchObject({ code: "not_read" });
    expect(await there.workspace.applyEdit({ ...sketch, base: sha(text) })).toMatchObject({
      code: "state_mismatch",
    });
    expect(there.text("f")).toBe(`${text}more\n`);
    const without = await ground({ f: text });
    expect(await without.workspace.applyEdit({ ...sketch, base: sha(text) })).toMatchObject({
      code: "invalid_arguments",
    });
  });
});
