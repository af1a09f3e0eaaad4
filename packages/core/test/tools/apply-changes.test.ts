import { describe, expect, test } from "vitest";
import { parseEnvelope } from "../../src/tools/index.js";
import { type Ground, makeGround, sha256 } from "./ground.js";

const old = "a\nb\nc\n";
const diff = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
const base = sha256(old);

async function apply(ground: Ground, args: unknown) {
  return JSON.parse((await ground.call("apply_changes", args)).text);
}

const good = [
  { file_path: "a", base_content_sha256: base, unified_diff: diff },
  { file_path: "b", base_content_sha256: base, edits: [{ old_string: "b", new_string: "$&" }] },
  { file_path: "c", content: "", base_content_sha256: null, delete: false, rename_to: "" },
  { file_path: "d", base_content_sha256: base, delete: true, unified_diff: null },
  { file_path: "e", base_content_sha256: base, rename_to: "f", content: "new\n" },
];
const before = { a: old, b: old, d: old, e: old };

describe("apply_changes", () => {
  test("changes files in every way together, and answers for each", async () => {
    const ground = await makeGround(before);
    const answer = await apply(ground, { changes: good });
    expect(answer).toMatchObject({ success: true, code: "applied" });
    expect(answer.changes.map((each: Record<string, unknown>) => [each.file_path, each.code])).toEqual(
      ["a", "b", "c", "d", "e", "f"].map((path) => [path, "applied"]),
    );
    expect([
      await ground.get("a"),
      await ground.get("b"),
      await ground.get("c"),
      await ground.get("f"),
    ]).toEqual(["a\nB\nc\n", "a\n$&\nc\n", "", "new\n"]);
    expect(answer.changes[0].latest_file_state).toMatchObject({
      file_path: "a",
      sha256: sha256("a\nB\nc\n"),
    });
    expect((await apply(ground, { changes: good })).code).toBe("already_applied");
  });

  test("takes its arguments as JSON strings, too", async () => {
    const ground = await makeGround(before);
    expect((await apply(ground, { changes: JSON.stringify(good) })).code).toBe("applied");
    const other = await makeGround(before);
    const unified_diff = `--- a/a\n+++ b/a\n${diff}--- a/b\n+++ b/b\n${diff}`;
    const bases = JSON.stringify({ a: base, b: base });
    expect((await apply(other, { unified_diff, bases })).code).toBe("applied");
    expect(await other.get("b")).toBe("a\nB\nc\n");
  });

  test("shows a model the changed lines on success, and on refusal only what it cannot know", async () => {
    const ground = await makeGround(before);
    const shown = { wire: "text", resultContent: "auto" } as const;
    const applied = parseEnvelope(
      (await ground.call("apply_changes", { changes: good.slice(0, 2) }, shown)).text,
    );
    expect(applied?.status).toMatchObject({ success: true, code: "applied" });
    expect(applied?.files.map(({ path, content, windows }) => [path, content, windows.length])).toEqual([
      ["a", null, 1],
      ["b", null, 1],
    ]);
    await ground.put("d", "moved\n");
    const refused = parseEnvelope(
      (await ground.call("apply_changes", { changes: good.slice(2) }, shown)).text,
    );
    expect(refused?.status).toMatchObject({ success: false, code: "unknown_base" });
    expect(refused?.files.map(({ path, content }) => [path, content])).toEqual([
      ["c", null],
      ["d", "moved\n"],
      ["e", null],
      ["f", null],
    ]);
    expect(refused?.details).toContain('"c" (not_applied)');
  });

  const wrong: readonly (readonly [string, unknown, string])[] = [
    ["nothing", {}, "either changes or unified_diff"],
    ["an empty list", { changes: [] }, "no change"],
    ["a change without content", { changes: [{ file_path: "a" }] }, "changes[0]: a change has exactly one"],
    ["a deletion under a new name", { changes: [{ ...good[3], rename_to: "x" }] }, "deleted and renamed"],
    [
      "a number for a text",
      { changes: [{ file_path: "a", content: 1 }] },
      "changes[0].content of apply_changes must be a text",
    ],
  ];
  test.each(wrong)("refuses %s", async (_, args, says) => {
    const ground = await makeGround(before);
    const answer = await apply(ground, args);
    expect(answer).toMatchObject({ success: false, code: "invalid_arguments", changes: [] });
    expect(answer.message).toContain(says);
  });

  test("a server for reading refuses it in its own shape", async () => {
    const ground = await makeGround(before);
    const reply = await ground.call("apply_changes", { changes: good }, { readOnly: true });
    expect(reply.json).toMatchObject({ success: false, code: "read_only", changes: [] });
  });
});
