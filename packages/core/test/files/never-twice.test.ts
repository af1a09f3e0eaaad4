import { describe, expect, it } from "vitest";
import { type Call, openSession, sha } from "../reproductions/scene.js";

/**
 * A call that was carried out from a base is not made again on a newer state: a client that sends it once more, after
 * whatever else this session wrote, finds it done or is told that what it did is gone.
 */
const before = "# A\none\ntwo\n# B\nthree\nfour\n# C\nfive\nsix\n";
const base = { base_content_sha256: sha(before) };
const edit = (oldString: string, newString: string): Call => [
  "edit_file",
  { file_path: "f", edits: [{ old_string: oldString, new_string: newString }] },
];

/** Takes text away again, and changes another line, so that the base does not come back. */
const without = (oldString: string, newString: string): Call => [
  "edit_file",
  {
    file_path: "f",
    edits: [
      { old_string: oldString, new_string: newString },
      { old_string: "three", new_string: "3" },
    ],
  },
];

interface Case {
  readonly call: Call;
  /** Takes back what the call wrote, in part or wholly. */
  readonly away: Call;
  /** What the repeated call is answered after another write elsewhere. */
  readonly later?: "state_mismatch";
}

const cases: readonly Case[] = [
  {
    call: ["safe_patch", { file_path: "f", unified_diff: "@@ -2,2 +2,2 @@\n one\n-two\n+TWO\n", ...base }],
    away: without("TWO", "2"),
  },
  {
    call: ["edit_file", { file_path: "f", edits: [{ old_string: "two", new_string: "two\nnew" }], ...base }],
    away: without("new\n", ""),
  },
  {
    call: ["edit_file", { file_path: "f", edits: [{ old_string: "two\n", new_string: "" }], ...base }],
    away: without("one\n", "one\ntwo\n"),
  },
  {
    call: ["insert_lines", { file_path: "f", after_line: 2, content: "new\n", ...base }],
    away: without("new\n", ""),
  },
  { call: ["append_to_file", { file_path: "f", content: "new\n", ...base }], away: without("new\n", "") },
  { call: ["prepend_to_file", { file_path: "f", content: "new\n", ...base }], away: without("new\n", "") },
  {
    call: ["update_section", { file_path: "f", section_header: "# A", new_content: "new\n", ...base }],
    away: without("new\n", "old\n"),
  },
  {
    call: [
      "apply_changes",
      { changes: [{ file_path: "f", edits: [{ old_string: "two", new_string: "TWO" }], ...base }] },
    ],
    away: without("TWO", "2"),
  },
  {
    call: ["write_file", { file_path: "f", content: before.replace("two", "TWO"), ...base }],
    away: without("TWO", "2"),
    // All that was asked for stands no more: other lines are others by now.
    later: "state_mismatch",
  },
];

describe.each(["rebase-own", "rebase", "refuse"] as const)("under %s", (onMismatch) => {
  describe.each(cases)("$call.0", ({ call, away, later }) => {
    const others: readonly (readonly [string, readonly Call[], string])[] = [
      ["at once", [], "already_applied"],
      ["after another own write", [edit("six", "SIX")], later ?? "already_applied"],
      ["after several", [edit("six", "SIX"), edit("four", "4\n4")], later ?? "already_applied"],
      ["after a write that took its lines away", [away], "state_mismatch"],
      ["after that and another", [away, edit("six", "SIX")], "state_mismatch"],
    ];
    it.each(others)("is not made twice: %s", async (_, between, code) => {
      const session = openSession({ files: { f: before }, guards: { onMismatch } });
      await session.call("read_file", { file_path: "f" });
      expect((await session.call(...call)).code).toBe("applied");
      for (const one of between) expect((await session.call(...one)).code).toBe("applied");
      const left = session.text("f");
      expect((await session.call(...call)).code).toBe(code);
      expect(session.text("f")).toBe(left);
    });
  });
});

it("undo_edit that names the state it takes back from is not made twice", async () => {
  const session = openSession({ files: { f: before } });
  await session.call("read_file", { file_path: "f" });
  await session.call(...edit("two", "TWO"));
  const undo: Call = [
    "undo_edit",
    { file_path: "f", base_content_sha256: sha(before.replace("two", "TWO")) },
  ];
  expect((await session.call(...undo)).code).toBe("applied");
  expect((await session.call(...undo)).code).toBe("already_applied");
  await session.call(...edit("six", "SIX"));
  expect((await session.call(...undo)).code).toBe("state_mismatch");
  expect(session.text("f")).toBe(before.replace("six", "SIX"));
});

it("a call whose base is there again is made: an undo has taken it back", async () => {
  const session = openSession({ files: { f: before } });
  await session.call("read_file", { file_path: "f" });
  const call: Call = [
    "edit_file",
    { file_path: "f", edits: [{ old_string: "two", new_string: "2" }], ...base },
  ];
  const codes: string[] = [];
  for (const one of [call, ["undo_edit", { file_path: "f" }] as const, call])
    codes.push((await session.call(...one)).code);
  expect(codes).toEqual(["applied", "applied", "applied"]);
  expect(session.text("f")).toBe(before.replace("two", "2"));
});

it("a call that was taken back is not made on what came after", async () => {
  const session = openSession({ files: { f: before } });
  await session.call("read_file", { file_path: "f" });
  const call: Call = [
    "edit_file",
    { file_path: "f", edits: [{ old_string: "two", new_string: "2" }], ...base },
  ];
  for (const one of [call, ["undo_edit", { file_path: "f" }] as const, edit("six", "SIX")])
    await session.call(...one);
  const again = await session.call(...call);
  expect(again.code).toBe("state_mismatch");
  expect(again.text).toContain("carried out before from this base");
  expect(session.text("f")).toBe(before.replace("six", "SIX"));
});
