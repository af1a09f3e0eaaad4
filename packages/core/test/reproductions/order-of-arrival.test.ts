import { describe, expect, it } from "vitest";
import { type Call, codesOf, openSession } from "./scene.js";

/** Writes of one path are made in the order in which they arrived. */
const files = { "f.txt": "a = 1\nb = 2\n" };
const edit = (old_string: string, new_string: string): Call => [
  "edit_file",
  { file_path: "f.txt", edits: [{ old_string, new_string }] },
];
const append = (content: string): Call => ["append_to_file", { file_path: "f.txt", content }];

describe("calls about one file that are sent together", () => {
  it("are made in the order of arrival: an edit, its undo, another edit", async () => {
    const session = openSession({ files });
    await session.call("read_file", { file_path: "f.txt" });
    const answers = await session.together([
      edit("a = 1", "a = 2"),
      ["undo_edit", { file_path: "f.txt" }],
      edit("b = 2", "b = 3"),
    ]);
    expect(codesOf(answers)).toEqual(["applied", "applied", "applied"]);
    expect(session.text("f.txt")).toBe("a = 1\nb = 3\n");
  });

  it("are finished in the order of arrival: a change set between two additions", async () => {
    const session = openSession({ files });
    await session.call("read_file", { file_path: "f.txt" });
    const changes = [{ file_path: "f.txt", edits: [{ old_string: "b = 2", new_string: "b = 3" }] }];
    const calls = [append("1\n"), ["apply_changes", { changes }] as const, append("3\n")];
    expect(await session.finished(calls)).toEqual([0, 1, 2]);
  });

  it("are made in the order of arrival: three additions", async () => {
    const session = openSession({ files });
    expect(await session.finished([append("1\n"), append("2\n"), append("3\n")])).toEqual([0, 1, 2]);
    expect(session.text("f.txt")).toBe("a = 1\nb = 2\n1\n2\n3\n");
  });
});

describe("a read of several files", () => {
  it("finds a file for which an earlier call has still to make the folder", async () => {
    const session = openSession({ files });
    const [, , read] = await session.together([
      ["undo_edit", { file_path: "new/deep/g.txt" }],
      ["append_to_file", { file_path: "new/deep/g.txt", content: "g\n" }],
      ["read_many_files", { paths: ["f.txt", "new/deep/g.txt"] }],
    ]);
    expect(read?.text).toContain("g\n");
    expect(read?.text).not.toContain("file_missing");
  });
});
