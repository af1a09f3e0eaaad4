import { existsSync } from "node:fs";
import { join } from "node:path";
import { SessionStateService } from "@holdfast/core/files";
import { runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { emptySha, ground, type SeedState, sha } from "./support.js";

/** The cases of seed 1's test plan (sections 7.1 to 7.5, phase 4 task 1, milestone 1) on real files. */

const mismatch = "State Mismatch: File has changed on disk since it was last read.";
const invalidDiff =
  "Invalid Diff: The provided diff content does not match the file's content. The context or lines to be removed may be incorrect.";
const internalError =
  "Internal Error: The corrected patch failed to apply. Please review the diff for subtle errors.";

const source = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const patched = "one\ntwo\nTHREE\nfour\nfive\nsix\nseven\n";
const diff = "--- a/f.txt\n+++ b/f.txt\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n";

describe("7.1 the session's version counter", () => {
  it("starts at 1, rises by one, and starts again in a new instance", () => {
    const service = new SessionStateService();
    expect([service.getNextVersion(), service.getNextVersion(), service.getNextVersion()]).toEqual([1, 2, 3]);
    expect(new SessionStateService().getNextVersion()).toBe(1);
  });
});

describe("7.2 a versioned file object", () => {
  it("holds path, version, the SHA-256 of the bytes and the content, and takes one version", async () => {
    const { workspace } = await ground({ "f.txt": source });
    const outcome = await workspace.read({ path: "f.txt" });
    expect(outcome).toMatchObject({
      kind: "read",
      state: { path: "f.txt", version: 1, sha256: sha(source), content: source },
    });
    expect(await workspace.read({ path: "f.txt" })).toMatchObject({ state: { version: 2 } });
  });

  it("answers a missing file with a code and takes no version", async () => {
    const { workspace } = await ground({ "f.txt": source });
    expect(await workspace.read({ path: "gone.txt" })).toMatchObject({
      kind: "refusal",
      code: "file_missing",
    });
    expect(await workspace.read({ path: "f.txt" })).toMatchObject({ state: { version: 1 } });
  });
});

describe("7.3 read_file and 7.4 read_many_files", () => {
  it("give the seed's object, and an array of them in the order asked for", async () => {
    const { workspace } = await ground({ "a.txt": "a\n", "b.txt": "b\n" });
    const wire = { workspace, wire: "json", resultContent: "full" } as const;
    const one = JSON.parse((await runTool("read_file", { file_path: "a.txt" }, wire)).text);
    expect(one).toEqual({ file_path: "a.txt", version: 1, sha256: sha("a\n"), content: "a\n" });
    const many = JSON.parse((await runTool("read_many_files", { paths: ["b.txt", "a.txt"] }, wire)).text);
    expect(many).toEqual([
      { file_path: "b.txt", version: 2, sha256: sha("b\n"), content: "b\n" },
      { file_path: "a.txt", version: 3, sha256: sha("a\n"), content: "a\n" },
    ]);
  });
});

describe("7.5 safe_patch", () => {
  it("applies a correct patch to the state that the hash names", async () => {
    const { call, text } = await ground({ "f.txt": source });
    const reply = await call("safe_patch", {
      file_path: "f.txt",
      unified_diff: diff,
      base_content_sha256: sha(source),
    });
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(reply.message).toMatch(/^Patch applied successfully\./);
    expect(reply.latest_file_state).toEqual({
      file_path: "f.txt",
      version: 1,
      sha256: sha(patched),
      content: patched,
    });
    expect(text("f.txt")).toBe(patched);
  });

  it("puts wrong line numbers right when the context is right", async () => {
    const { call, text } = await ground({ "f.txt": source });
    const wrong = diff.replace("@@ -2,3 +2,3 @@", "@@ -200,9 +150,7 @@");
    const reply = await call("safe_patch", {
      file_path: "f.txt",
      unified_diff: wrong,
      base_content_sha256: sha(source),
    });
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(text("f.txt")).toBe(patched);
  });

  it("refuses a hash that is not the disk's, with the state that is", async () => {
    const { call, put, text } = await ground({ "f.txt": source });
    await call("read_file", { file_path: "f.txt" });
    put("f.txt", `${source}eight\n`);
    const reply = await call("safe_patch", {
      file_path: "f.txt",
      unified_diff: diff,
      base_content_sha256: sha(source),
    });
    expect(reply).toMatchObject({ success: false, code: "state_mismatch" });
    expect(reply.message.startsWith(mismatch)).toBe(true);
    expect(reply.latest_file_state).toMatchObject({
      sha256: sha(`${source}eight\n`),
      content: `${source}eight\n`,
    });
    expect(text("f.txt")).toBe(`${source}eight\n`);
    const retry = await call("safe_patch", {
      file_path: "f.txt",
      unified_diff: diff,
      base_content_sha256: reply.latest_file_state.sha256,
    });
    expect(retry).toMatchObject({ success: true });
    expect(text("f.txt")).toBe(`${patched}eight\n`);
  });

  it("refuses a diff whose lines are not in the file", async () => {
    const { call, text } = await ground({ "f.txt": source });
    const alien = "@@ -1,2 +1,2 @@\n alpha\n-beta\n+gamma\n";
    const reply = await call("safe_patch", {
      file_path: "f.txt",
      unified_diff: alien,
      base_content_sha256: sha(source),
    });
    expect(reply).toMatchObject({ success: false, code: "invalid_diff" });
    expect(reply.message.startsWith(invalidDiff)).toBe(true);
    expect(reply.latest_file_state).toMatchObject({ sha256: sha(source), content: source });
    expect(text("f.txt")).toBe(source);
  });

  it("reports the failure of the strict last stage as an internal error", async () => {
    const { workspace, text } = await ground({ "f.txt": source });
    const failing = () => false as const;
    const outcome = await workspace.patch({ path: "f.txt", diff, base: sha(source) }, { applier: failing });
    expect(outcome).toMatchObject({ success: false, code: "internal_error", message: internalError });
    expect(outcome.state).toMatchObject({ sha256: sha(source), content: source });
    expect(text("f.txt")).toBe(source);
  });

  it("creates a file from a creation diff on the hash of no content", async () => {
    const { call, text } = await ground();
    const creation = "--- /dev/null\n+++ b/new/f.txt\n@@ -0,0 +1,2 @@\n+hello\n+world\n";
    const reply = await call("safe_patch", {
      file_path: "new/f.txt",
      unified_diff: creation,
      base_content_sha256: emptySha,
    });
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(reply.latest_file_state).toMatchObject({
      sha256: sha("hello\nworld\n"),
      content: "hello\nworld\n",
    });
    expect(text("new/f.txt")).toBe("hello\nworld\n");
  });
});

describe("phase 4, task 1: write_file", () => {
  it("creates a file without a hash", async () => {
    const { call, text } = await ground();
    const reply = await call("write_file", { file_path: "deep/er/f.txt", content: source });
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(reply.latest_file_state).toEqual({
      file_path: "deep/er/f.txt",
      version: 1,
      sha256: sha(source),
      content: source,
    });
    expect(text("deep/er/f.txt")).toBe(source);
  });

  it("overwrites the state that the hash names", async () => {
    const { call, text } = await ground({ "f.txt": source });
    const reply = await call("write_file", {
      file_path: "f.txt",
      content: patched,
      base_content_sha256: sha(source),
    });
    expect(reply).toMatchObject({
      success: true,
      code: "applied",
      latest_file_state: { sha256: sha(patched), content: patched },
    });
    expect(text("f.txt")).toBe(patched);
  });

  it("refuses an existing file without a hash, and says what it holds", async () => {
    const { call, text } = await ground({ "f.txt": source });
    const reply = await call("write_file", { file_path: "f.txt", content: patched });
    expect(reply).toMatchObject({
      success: false,
      code: "missing_base",
      latest_file_state: { sha256: sha(source), content: source },
    });
    expect(text("f.txt")).toBe(source);
  });

  it("refuses a hash that is not the disk's, with the fresh state", async () => {
    const { call, text } = await ground({ "f.txt": source });
    const reply = await call("write_file", {
      file_path: "f.txt",
      content: patched,
      base_content_sha256: sha("something else"),
    });
    expect(reply).toMatchObject({
      success: false,
      code: "unknown_base",
      latest_file_state: { sha256: sha(source), content: source },
    });
    expect(reply.message).toMatch(/^State Mismatch:/);
    expect(text("f.txt")).toBe(source);
  });

  it("answers success, message and the latest state in every exit", async () => {
    const { call } = await ground({ "f.txt": source, "folder/x": "x" });
    const exits = [
      { file_path: "f.txt", content: patched },
      { file_path: "f.txt", content: patched, base_content_sha256: "zz" },
      { file_path: "f.txt", content: source, base_content_sha256: sha(source) },
      { file_path: "f.txt", content: patched, base_content_sha256: sha(source) },
      { file_path: "folder", content: patched },
      { file_path: "../f.txt", content: patched },
    ];
    for (const args of exits) {
      const reply = await call("write_file", args);
      expect(Object.keys(reply)).toEqual(["success", "code", "message", "latest_file_state"]);
      expect(typeof reply.success).toBe("boolean");
      expect(reply.message).not.toBe("");
    }
  });
});

describe("milestone 1: versioned reads", () => {
  it("number the states of one session in sequence across the tools", async () => {
    const { call } = await ground({ "a.txt": "a\n", "b.txt": "b\n" });
    const versionOf = (reply: unknown) => (reply as SeedState).version;
    const first = versionOf(await call("read_file", { file_path: "a.txt" }));
    const many = (await call("read_many_files", {
      paths: ["a.txt", "b.txt"],
    })) as unknown as readonly SeedState[];
    const written = await call("write_file", { file_path: "c.txt", content: "c\n" });
    const last = versionOf(await call("read_file", { file_path: "b.txt" }));
    expect([first, ...many.map(versionOf), written.latest_file_state.version, last]).toEqual([1, 2, 3, 4, 5]);
  });

  it("leave nothing in the project", async () => {
    const { root, call } = await ground({ "f.txt": source });
    await call("safe_patch", { file_path: "f.txt", unified_diff: diff, base_content_sha256: sha(source) });
    expect(existsSync(join(root, ".holdfast"))).toBe(false);
    const { readdirSync } = await import("node:fs");
    expect(readdirSync(root)).toEqual(["f.txt"]);
  });
});
