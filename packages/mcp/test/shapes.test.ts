import { describe, expect, test } from "vitest";
import { connect, makeGround, revisions, sha256 } from "./server-process.js";

/** The table of shapes is held by core's tests; here, that no validation of the wire stands before it. */
const before = "one\ntwo\nthree\n";
const whole = sha256(before);
const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
const after = "one\nTWO\nthree\n";

const changes: readonly (readonly [string, string, Record<string, unknown>])[] = [
  [
    "a flat edit by other names",
    "edit_file",
    { path: "a.txt", sha256: whole, oldText: "two", newText: "TWO" },
  ],
  [
    "edits as JSON text and a hash in quotes",
    "edit_file",
    {
      file_path: "a.txt",
      edits: '[{"old_str": "two", "new_str": "TWO"}]',
      base_content_sha256: `"sha256:${whole}"`,
    },
  ],
  [
    "a diff by another name and a hash that is cut",
    "safe_patch",
    { filePath: "a.txt", patch: diff, base_content_sha256: `${whole.slice(0, 16)}…` },
  ],
];

describe.each(revisions)("in revision %s", (revision) => {
  test.each(changes)("%s is understood", async (_, name, args) => {
    const ground = await makeGround();
    await ground.put("a.txt", before);
    const { call } = await connect(revision, ground);
    expect(await call(name, args)).toMatchObject({ success: true, code: "applied" });
    expect(await ground.get("a.txt")).toBe(after);
  });

  test("a window as text is read", async () => {
    const ground = await makeGround();
    await ground.put("a.txt", before);
    const { call } = await connect(revision, ground);
    const { file } = await call("read_file", { absolute_path: "a.txt", offset: "2", limit: "1" });
    expect(file).toMatchObject({ content: "two\n", lines: { from: 2, to: 2 } });
  });

  test("two files for one call are refused, and nothing is changed", async () => {
    const ground = await makeGround();
    await ground.put("a.txt", before);
    const { call } = await connect(revision, ground);
    const args = { file_path: "a.txt", path: "b.txt", content: "x", base_content_sha256: whole };
    const { code, text } = await call("write_file", args);
    expect(code).toBe("invalid_arguments");
    expect(text).toContain('file_path ("a.txt") and path ("b.txt") mean the same argument and differ');
    expect(await ground.get("a.txt")).toBe(before);
  });
});

test("what is listed takes no more than it says, and the plain shape only", async () => {
  const { client } = await connect("2025-11-25", await makeGround());
  const { tools } = await client.listTools();
  const sent = tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
  const bytes = sent.map((one) => Buffer.byteLength(JSON.stringify(one))).reduce((sum, one) => sum + one, 0);
  expect(bytes).toBeLessThanOrEqual(7_000);
  expect(JSON.stringify(sent)).not.toMatch(/oldText|old_str"|filename|additionalProperties/);
});
