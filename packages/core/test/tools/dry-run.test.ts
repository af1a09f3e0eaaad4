import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allTools, type ToolName, tools } from "../../src/tools/index.js";
import { makeGround, sha256 } from "./ground.js";

const files = { "a.md": "# A\n\none\ntwo\n", "b.txt": "x\n", "memories/n.md": "n\n", "in.txt": "i\n" };
const auto = { wire: "text", resultContent: "auto" } as const;
const a = { file_path: "a.md", base_content_sha256: sha256(files["a.md"]) };
const edit = { old_string: "two", new_string: "2" };

/** A call of each tool that writes, and a line of its difference; "" where none is shown. */
const calls: Partial<Record<ToolName, readonly [args: object, line: string]>> = {
  edit_file: [{ ...a, edits: [edit] }, "+2"],
  safe_patch: [{ ...a, unified_diff: "@@ -9,2 +9,2 @@\n one\n-two\n+2\n" }, "@@ -1,4 +1,4 @@"],
  write_file: [{ file_path: "new.txt", content: "new\n" }, "+new"],
  append_to_file: [{ file_path: "a.md", content: "three\n" }, "+three"],
  update_section: [{ file_path: "a.md", section_header: "# A", new_content: "2" }, "-two"],
  move_file: [{ ...a, to: "c.md" }, ""],
  delete_file: [a, ""],
  undo_edit: [{ file_path: "in.txt" }, "-j"],
  apply_changes: [
    {
      changes: [
        { ...a, edits: [edit] },
        { file_path: "new.txt", content: "new\n" },
      ],
    },
    "+new",
  ],
  prepend_to_file: [{ file_path: "a.md", content: "zero\n" }, "+zero"],
  insert_lines: [{ ...a, after_line: 1, content: "1" }, "+1"],
  move_lines: [{ ...a, lines: "3", to: "b.txt", to_base_content_sha256: sha256("x\n"), after: "1" }, "+one"],
  copy_file: [{ ...a, to: "c.md" }, ""],
  str_replace_based_edit_tool: [{ command: "create", path: "new.txt", file_text: "new\n" }, "+new"],
  memory: [{ command: "str_replace", path: "/memories/n.md", old_str: "n", new_str: "m" }, "+m"],
  replace: [{ file_path: "a.md", old_string: "two", new_string: "2", instruction: "so" }, "+2"],
  fs_write: [{ command: "append", path: "a.md", new_str: "three\n" }, "+three"],
};

/** Real files that were read; `in.txt` was written by a tool. */
async function begun() {
  const { "in.txt": made, ...others } = files;
  const on = await makeGround(others);
  await on.call("write_file", { file_path: "in.txt", content: made });
  await on.call("append_to_file", { file_path: "in.txt", content: "j\n" });
  await on.call("read_many_files", { paths: Object.keys(files) });
  const look = async () =>
    Promise.all(
      readdirSync(on.root, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.\w+$/.test(name))
        .map(async (name) => [name, await on.get(name), await on.workspace.log({ path: name })]),
    );
  return { ...on, look };
}

describe("dry_run", () => {
  test.each(Object.entries(calls))(
    "of %s shows what it would do, and does nothing",
    async (name, [args, line]) => {
      const on = await begun();
      const before = await on.look();
      const { code, text } = await on.call(name, { ...args, dry_run: true }, auto);
      expect([code, text.split("\n")[0]]).toEqual([
        "ok",
        "OK (ok): Dry run: nothing was written. The call would be answered:",
      ]);
      expect(
        text
          .split("\n")
          .filter((one) => /^(---|[-+@])/.test(one))
          .includes(line),
      ).toBe(line !== "");
      expect(await on.look()).toEqual(before);
      const done = await on.call(name, args, auto);
      expect(done.success).toBe(true);
      expect(await on.look()).not.toEqual(before);
    },
  );

  test("is taken by every tool that writes, and stands in no schema", () => {
    const writing = allTools.filter(({ annotations }) => !annotations.readOnly).map(({ name }) => name);
    expect(writing.filter((name) => name !== "apply_edit").sort()).toEqual(Object.keys(calls).sort());
    expect(
      tools.every(({ parameters, annotations }) => "dry_run" in parameters.shape !== annotations.readOnly),
    ).toBe(true);
  });

  test("is refused as the call would be, and asks nobody", async () => {
    const on = await begun();
    const approve = () => expect.unreachable("nothing is written, so nobody is asked");
    const stale = { ...a, base_content_sha256: sha256("else"), edits: [edit], dry_run: true };
    expect((await on.call("edit_file", stale, { ...auto, approve })).code).toBe("unknown_base");
    const args = { ...a, edits: [edit], dry_run: true };
    expect((await on.call("edit_file", args, { ...auto, approve })).code).toBe("ok");
    expect(
      (await on.call("edit_file", { ...args, edits: [{ old_string: "no", new_string: "" }] }, auto)).code,
    ).toBe("not_found");
    expect(JSON.parse((await on.call("edit_file", args)).text)).toMatchObject({
      success: true,
      code: "ok",
      latest_file_state: null,
    });
  });

  test("shows nothing of what may hold secrets", async () => {
    const on = await makeGround({ ".env": "KEY=abcdef\n" });
    const base_content_sha256 = sha256("KEY=abcdef\n");
    const changes = [
      {
        file_path: ".env",
        base_content_sha256,
        rename_to: "x.txt",
        edits: [{ old_string: "KEY", new_string: "K" }],
      },
    ];
    const { code, text } = await on.call("apply_changes", { changes, dry_run: true }, auto);
    expect([code, text.includes("abcdef")]).toEqual(["ok", false]);
  });
});
