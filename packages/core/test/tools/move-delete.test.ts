import { existsSync, linkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tools } from "../../src/tools/index.js";
import { makeGround, sha256, write } from "./ground.js";

const text = "one\ntwo\n";
const base = sha256(text);
const from = { file_path: "a.txt", base_content_sha256: base };

describe("move_file", () => {
  test("moves the state that the hash names, makes folders, and is undone with undo_edit", async () => {
    const on = await makeGround({ "a.txt": text });
    const moved = await write(on, "move_file", { ...from, to: "n/e/w.txt" });
    expect(moved).toMatchObject({
      success: true,
      code: "applied",
      message: "Renamed from a.txt.",
      latest_file_state: { file_path: "n/e/w.txt", sha256: base },
    });
    expect(existsSync(join(on.root, "a.txt"))).toBe(false);
    expect(await on.get("n/e/w.txt")).toBe(text);
    expect(await write(on, "undo_edit", { file_path: "n/e/w.txt" })).toMatchObject({ code: "applied" });
    expect(await on.get("a.txt")).toBe(text);
    expect(existsSync(join(on.root, "n/e/w.txt"))).toBe(false);
  });

  test("the same call again is already applied, and moves nothing new", async () => {
    const on = await makeGround({ "a.txt": text });
    await write(on, "move_file", { ...from, to: "b.txt" });
    expect(await write(on, "move_file", { ...from, to: "b.txt" })).toMatchObject({
      success: true,
      code: "already_applied",
    });
    expect(await on.get("b.txt")).toBe(text);
  });

  const refused: readonly (readonly [string, string, string, RegExp])[] = [
    ["another file", "b.txt", "exists", /^b\.txt exists already; a file is never renamed onto another/],
    ["its own name", "./a.txt", "invalid_arguments", /^a\.txt is the name that it has already/],
    ["a folder", "d", "is_directory", /^d is a folder: name the whole new path of the file/],
    ["a path outside", "../x.txt", "outside_workspace", /climbs out of the workspace/],
    ["a protected path", ".git/hooks/x", "protected_path", /explicit approval/],
    ["a second name of the file", "hard.txt", "exists", /^hard\.txt is a\.txt itself: .* both names already/],
    ["its name in capitals", "A.TXT", "exists", /^A\.TXT is a\.txt itself: .* differ only in letter case/],
  ];
  test.each(refused)("to %s is refused, and nothing is changed", async (_, to, code, message) => {
    const on = await makeGround({ "a.txt": text, "b.txt": "b\n", "d/x.txt": "x\n", ".git/hooks/y": "" });
    // A file system that folds case shows one file under two names; so does a hard link.
    if (/hard|TXT/.test(to)) linkSync(join(on.root, "a.txt"), join(on.root, to));
    const answer = await write(on, "move_file", { ...from, to });
    expect(answer).toMatchObject({ success: false, code });
    expect(answer.message).toMatch(message);
    expect([await on.get("a.txt"), await on.get("b.txt")]).toEqual([text, "b\n"]);
  });

  test("in letter case or Unicode form alone is said to be that", async () => {
    const on = await makeGround({ "a.txt": text });
    const [composed, decomposed] = ["\u00e9.txt", "e\u0301.txt"];
    const step = (file_path: string, to: string) => write(on, "move_file", { ...from, file_path, to });
    expect((await step("a.txt", "A.txt")).message).toMatch(/differ only in letter case/);
    expect((await step("A.txt", composed)).message).toBe("Renamed from A.txt.");
    expect((await step(composed, decomposed)).message).toMatch(/differ only in their Unicode form/);
  });
});

describe("delete_file", () => {
  test("deletes the state that the hash names; the same call again is already applied", async () => {
    const on = await makeGround({ "a.txt": text });
    const gone = { file_path: "a.txt", sha256: null, content: null };
    expect(await write(on, "delete_file", from)).toMatchObject({ code: "applied", latest_file_state: gone });
    expect(existsSync(join(on.root, "a.txt"))).toBe(false);
    expect(await write(on, "delete_file", from)).toMatchObject({ success: true, code: "already_applied" });
    expect(await write(on, "undo_edit", { file_path: "a.txt" })).toMatchObject({ code: "applied" });
    expect(await on.get("a.txt")).toBe(text);
  });
});

describe.each(["move_file", "delete_file"])("%s", (name) => {
  const call = (on: Awaited<ReturnType<typeof makeGround>>, file_path: string, hash?: string) =>
    write(on, name, {
      file_path,
      ...(name === "move_file" ? { to: "new.txt" } : {}),
      ...(hash === undefined ? {} : { base_content_sha256: hash }),
    });

  test("of a state that is gone is refused with what changed and the hash that is there", async () => {
    const on = await makeGround({ "a.txt": text });
    await on.call("read_file", { file_path: "a.txt" });
    await on.put("a.txt", "one\nTWO\n");
    const answer = await call(on, "a.txt", base);
    expect(answer).toMatchObject({
      success: false,
      code: "state_mismatch",
      latest_file_state: { sha256: sha256("one\nTWO\n") },
    });
    expect(answer.message).toContain("-two\n+TWO");
    expect(await on.get("a.txt")).toBe("one\nTWO\n");
    expect(await call(on, "a.txt")).toMatchObject({ success: false, code: "missing_base" });
    expect(await call(on, "a.txt", sha256("one\nTWO\n"))).toMatchObject({ code: "applied" });
  });

  test("of a folder or of nothing is refused", async () => {
    const on = await makeGround({ "d/x.txt": "x\n" });
    const folder = await call(on, "d", base);
    expect(folder).toMatchObject({ success: false, code: "is_directory" });
    expect(folder.message).toMatch(/^d is a folder, and only files are/);
    expect(await call(on, "nope.txt", base)).toMatchObject({ success: false, code: "file_missing" });
    expect(await call(on, "/etc/passwd", base)).toMatchObject({ success: false, code: "outside_workspace" });
  });
});

describe("a diff that deletes or renames, given to safe_patch", () => {
  const asked = { file_path: "a.txt", base_content_sha256: base };
  const deletion = "--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n";
  const rename = "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n";
  const cases: readonly (readonly [string, string, string])[] = [
    ["delete_file", deletion, "To delete it, use delete_file."],
    ["move_file", rename, "To rename it, use move_file; the lines are another call."],
  ];
  test.each(cases)(
    "names %s where it is offered, and nothing of the kind elsewhere",
    async (_, diff, said) => {
      const on = await makeGround({ "a.txt": text });
      const args = { ...asked, unified_diff: diff };
      expect((await write(on, "safe_patch", args)).message).toContain(said);
      const offered = tools.filter(({ name }) => name === "safe_patch");
      const { text: bare } = await on.call("safe_patch", args, { offered });
      expect(bare).not.toMatch(/delete_file|move_file|apply_changes/);
      expect(await on.get("a.txt")).toBe(text);
    },
  );
});
