import { describe, expect, test } from "vitest";
import { jsonSchema, resultSchemas, runTool } from "../../src/tools/index.js";
import { makeGround, sha256, write } from "./ground.js";

const before = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");
const changed = before.replace("line 15\n", "line fifteen\n");
const hunk = " line 13\n line 14\n-line 15\n+line fifteen\n line 16\n line 17\n";
const correct = `--- a/f.txt\n+++ b/f.txt\n@@ -13,5 +13,5 @@\n${hunk}`;
const misplaced = `--- a/f.txt\n+++ b/f.txt\n@@ -2,9 +4,1 @@\n${hunk}`;
const human = `by hand\n${before}`;

const start = () => makeGround({ "f.txt": before });
const state = (version: number, content: string, file_path = "f.txt") => ({
  file_path,
  version,
  sha256: sha256(content),
  content,
});

/** Section 7 of the seed's design, each tool case on real files, in its literal protocol. */
describe("reading (seed 1, 7.2 to 7.4, milestone 1)", () => {
  test("read_file returns exactly path, version, hash of the bytes, and content", async () => {
    const ground = await start();
    const { text } = await ground.call("read_file", { file_path: "f.txt" });
    expect(JSON.parse(text)).toStrictEqual(state(1, before));
  });

  test("the hash is that of the bytes on disk, whatever the text", async () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xc3, 0xa9]);
    const ground = await makeGround({ "b.txt": bytes });
    const { text } = await ground.call("read_file", { file_path: "b.txt" });
    expect(JSON.parse(text)).toStrictEqual({
      file_path: "b.txt",
      version: 1,
      sha256: sha256(bytes),
      content: "a\r\né",
      bom: true,
    });
  });

  test("a file that cannot be read is a refusal, and takes no version", async () => {
    const ground = await start();
    const { text, code } = await ground.call("read_file", { file_path: "none.txt" });
    expect(code).toBe("file_missing");
    expect(JSON.parse(text)).toMatchObject({ file_path: "none.txt", success: false, code: "file_missing" });
    const next = await ground.call("read_file", { file_path: "f.txt" });
    expect(JSON.parse(next.text).version).toBe(1);
  });

  test("read_many_files returns an array of the same objects, versions in order", async () => {
    const ground = await makeGround({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" });
    const { text } = await ground.call("read_many_files", { paths: ["c.txt", "a.txt", "b.txt"] });
    expect(JSON.parse(text)).toStrictEqual([
      state(1, "c\n", "c.txt"),
      state(2, "a\n", "a.txt"),
      state(3, "b\n", "b.txt"),
    ]);
  });

  test("one missing file does not fail the rest", async () => {
    const ground = await makeGround({ "a.txt": "a\n" });
    const { text, success } = await ground.call("read_many_files", { paths: ["none.txt", "a.txt"] });
    expect(success).toBe(true);
    expect(JSON.parse(text)).toMatchObject([{ code: "file_missing" }, state(1, "a\n", "a.txt")]);
  });

  test("versions rise by one over several calls of several tools, and begin again with a new session", async () => {
    const ground = await start();
    const versions = [];
    versions.push(JSON.parse((await ground.call("read_file", { file_path: "f.txt" })).text).version);
    versions.push(JSON.parse((await ground.call("read_many_files", { paths: ["f.txt"] })).text)[0].version);
    const args = { file_path: "f.txt", unified_diff: correct, base_content_sha256: sha256(before) };
    versions.push((await write(ground, "safe_patch", args)).latest_file_state?.version);
    versions.push(JSON.parse((await ground.call("read_file", { file_path: "f.txt" })).text).version);
    expect(versions).toEqual([1, 2, 3, 4]);
    const other = await start();
    expect(JSON.parse((await other.call("read_file", { file_path: "f.txt" })).text).version).toBe(1);
  });
});

describe("safe_patch (seed 1, 7.5)", () => {
  const patch = (unified_diff: string, base_content_sha256 = sha256(before)) => ({
    file_path: "f.txt",
    unified_diff,
    base_content_sha256,
  });

  test("a correct patch is applied", async () => {
    const ground = await start();
    const answer = await write(ground, "safe_patch", patch(correct));
    expect(answer).toMatchObject({ success: true, code: "applied", latest_file_state: state(1, changed) });
    expect(answer.message).toMatch(/^Patch applied successfully\./);
    expect(await ground.get("f.txt")).toBe(changed);
  });

  test("a patch with wrong line numbers and right context is corrected and applied", async () => {
    const ground = await start();
    const answer = await write(ground, "safe_patch", patch(misplaced));
    expect(answer).toMatchObject({ success: true, code: "applied", latest_file_state: state(1, changed) });
    expect(answer.message).toContain("Repaired:");
    expect(await ground.get("f.txt")).toBe(changed);
  });

  test("on a hash mismatch nothing is written and the fresh state comes back", async () => {
    const ground = await start();
    await ground.call("read_file", { file_path: "f.txt" });
    await ground.put("f.txt", human);
    const answer = await write(ground, "safe_patch", patch(correct));
    expect(answer).toMatchObject({
      success: false,
      code: "state_mismatch",
      latest_file_state: state(2, human),
    });
    expect(answer.message).toMatch(/^State Mismatch: File has changed on disk since it was last read\./);
    expect(await ground.get("f.txt")).toBe(human);
  });

  test("context or removals that are not there are an invalid diff; nothing is written", async () => {
    const ground = await start();
    const wrong = correct.replace("-line 15\n", "-line 15 as it never was\n");
    const answer = await write(ground, "safe_patch", patch(wrong));
    expect(answer).toMatchObject({
      success: false,
      code: "invalid_diff",
      latest_file_state: state(1, before),
    });
    expect(answer.message).toMatch(
      /^Invalid Diff: The provided diff content does not match the file's content\. The context or lines to be removed may be incorrect\./,
    );
    expect(await ground.get("f.txt")).toBe(before);
  });

  test("an applier that fails on the corrected patch is an internal error; nothing is written", async () => {
    const ground = await start();
    const { workspace } = ground;
    const failing = {
      read: workspace.read.bind(workspace),
      readMany: workspace.readMany.bind(workspace),
      list: workspace.list.bind(workspace),
      write: workspace.write.bind(workspace),
      undo: workspace.undo.bind(workspace),
      patch: (request: Parameters<typeof workspace.patch>[0]) =>
        workspace.patch({ ...request, applier: () => false }),
    };
    const { text } = await runTool("safe_patch", patch(correct), {
      workspace: failing,
      wire: "json",
      resultContent: "full",
    });
    const answer = JSON.parse(text);
    expect(answer).toMatchObject({
      success: false,
      code: "internal_error",
      latest_file_state: state(1, before),
    });
    expect(answer.message).toMatch(
      /^Internal Error: The corrected patch failed to apply\. Please review the diff for subtle errors\./,
    );
    expect(await ground.get("f.txt")).toBe(before);
  });

  test("a new file is created from the hash of the empty string", async () => {
    const ground = await makeGround();
    const answer = await write(ground, "safe_patch", {
      file_path: "sub/new.txt",
      unified_diff: "--- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n",
      base_content_sha256: sha256(""),
    });
    expect(answer).toMatchObject({
      success: true,
      code: "applied",
      latest_file_state: state(1, "one\ntwo\n", "sub/new.txt"),
    });
    expect(await ground.get("sub/new.txt")).toBe("one\ntwo\n");
  });
});

describe("write_file (seed 1, section 8, phase 4, task 1)", () => {
  const content = "all new\n";

  test("creates a file where there is none", async () => {
    const ground = await makeGround();
    const answer = await write(ground, "write_file", { file_path: "new.txt", content });
    expect(answer).toMatchObject({ success: true, latest_file_state: state(1, content, "new.txt") });
    expect(await ground.get("new.txt")).toBe(content);
  });

  test("overwrites with the right hash", async () => {
    const ground = await start();
    const answer = await write(ground, "write_file", {
      file_path: "f.txt",
      content,
      base_content_sha256: sha256(before),
    });
    expect(answer).toMatchObject({ success: true, code: "applied", latest_file_state: state(1, content) });
    expect(await ground.get("f.txt")).toBe(content);
  });

  test("refuses to overwrite without a hash; the state is the unchanged file's", async () => {
    const ground = await start();
    const answer = await write(ground, "write_file", { file_path: "f.txt", content });
    expect(answer).toMatchObject({
      success: false,
      code: "missing_base",
      latest_file_state: state(1, before),
    });
    expect(await ground.get("f.txt")).toBe(before);
  });

  test("refuses a hash that is not the disk's; the state is the disk's", async () => {
    const ground = await start();
    await ground.call("read_file", { file_path: "f.txt" });
    await ground.put("f.txt", human);
    const answer = await write(ground, "write_file", {
      file_path: "f.txt",
      content,
      base_content_sha256: sha256(before),
    });
    expect(answer).toMatchObject({
      success: false,
      code: "state_mismatch",
      latest_file_state: state(2, human),
    });
    expect(answer.message).toMatch(/^State Mismatch: File has changed on disk since it was last read\./);
    expect(await ground.get("f.txt")).toBe(human);
  });

  test("every answer has success, code, message and latest_file_state, and fits the published schema", async () => {
    const ground = await start();
    const calls: readonly (readonly [string, Record<string, unknown>])[] = [
      ["write_file", { file_path: "f.txt", content }],
      ["write_file", { file_path: "f.txt", content, base_content_sha256: "zz" }],
      ["write_file", { file_path: "f.txt", content, base_content_sha256: "0".repeat(64) }],
      ["write_file", { file_path: "../f.txt", content }],
      ["write_file", { file_path: ".", content }],
      ["write_file", { file_path: "g.txt", content: 5 }],
      ["write_file", { file_path: "g.txt", content }],
      ["write_file", { file_path: "g.txt", content }],
      ["undo_edit", { file_path: "g.txt" }],
      ["undo_edit", { file_path: "g.txt" }],
      ["safe_patch", { file_path: "f.txt", unified_diff: "", base_content_sha256: sha256(before) }],
      ["safe_patch", { file_path: "none.txt", unified_diff: correct, base_content_sha256: sha256(before) }],
    ];
    const { required } = jsonSchema(resultSchemas.write);
    for (const [name, args] of calls) {
      const answer = await write(ground, name, args);
      expect(Object.keys(answer).slice(0, 4)).toEqual(required);
      expect(resultSchemas.write.safeParse(answer).error).toBeUndefined();
    }
    expect(await ground.get("f.txt")).toBe(before);
  });
});
