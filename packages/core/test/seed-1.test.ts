import { readdirSync } from "node:fs";
import { SessionStateService } from "@holdfast/core/files";
import { runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { emptySha, type Ground, ground, type SeedState, sha } from "./support.js";

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
  const patch = (on: Ground, unified_diff: string, base: string, file_path = "f.txt") =>
    on.call("safe_patch", { file_path, unified_diff, base_content_sha256: base });

  it.each([
    ["a correct patch", diff],
    [
      "a patch with wrong line numbers and the right context",
      diff.replace("@@ -2,3 +2,3 @@", "@@ -200,9 +150,7 @@"),
    ],
  ])("applies %s to the state that the hash names", async (_, unified_diff) => {
    const on = await ground({ "f.txt": source });
    const reply = await patch(on, unified_diff, sha(source));
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(reply.message).toMatch(/^Patch applied successfully\./);
    const state = { file_path: "f.txt", version: 1, sha256: sha(patched), content: patched };
    expect(reply.latest_file_state).toEqual(state);
    expect(on.text("f.txt")).toBe(patched);
  });

  it("refuses a hash that is not the disk's, with the state that is, from which it goes on", async () => {
    const on = await ground({ "f.txt": source });
    await on.call("read_file", { file_path: "f.txt" });
    on.put("f.txt", `${source}eight\n`);
    const reply = await patch(on, diff, sha(source));
    expect(reply).toMatchObject({ success: false, code: "state_mismatch" });
    expect(reply.message.startsWith(mismatch)).toBe(true);
    const state = { sha256: sha(`${source}eight\n`), content: `${source}eight\n` };
    expect(reply.latest_file_state).toMatchObject(state);
    expect(on.text("f.txt")).toBe(state.content);
    expect(await patch(on, diff, reply.latest_file_state.sha256 ?? "")).toMatchObject({ success: true });
    expect(on.text("f.txt")).toBe(`${patched}eight\n`);
  });

  it("refuses a diff whose lines are not in the file", async () => {
    const on = await ground({ "f.txt": source });
    const reply = await patch(on, "@@ -1,2 +1,2 @@\n alpha\n-beta\n+gamma\n", sha(source));
    expect(reply).toMatchObject({ success: false, code: "invalid_diff" });
    expect(reply.message.startsWith(invalidDiff)).toBe(true);
    expect(reply.latest_file_state).toMatchObject({ sha256: sha(source), content: source });
    expect(on.text("f.txt")).toBe(source);
  });

  it("reports the failure of the strict last stage as an internal error", async () => {
    const { workspace, text } = await ground({ "f.txt": source });
    const applier = () => false as const;
    const outcome = await workspace.patch({ path: "f.txt", diff, base: sha(source) }, { applier });
    expect(outcome).toMatchObject({ success: false, code: "internal_error", message: internalError });
    expect(outcome.state).toMatchObject({ sha256: sha(source), content: source });
    expect(text("f.txt")).toBe(source);
  });

  it("creates a file from a creation diff on the hash of no content", async () => {
    const on = await ground();
    const creation = "--- /dev/null\n+++ b/new/f.txt\n@@ -0,0 +1,2 @@\n+hello\n+world\n";
    const reply = await patch(on, creation, emptySha, "new/f.txt");
    expect(reply).toMatchObject({ success: true, code: "applied" });
    expect(reply.latest_file_state.content).toBe("hello\nworld\n");
    expect(on.text("new/f.txt")).toBe("hello\nworld\n");
  });
});

describe("phase 4, task 1: write_file", () => {
  it.each([
    ["creates a file without a hash", "deep/er/f.txt", undefined, "applied"],
    ["overwrites the state that the hash names", "f.txt", sha(source), "applied"],
    ["refuses an existing file without a hash, and says what it holds", "f.txt", undefined, "missing_base"],
    ["refuses a hash that is not the disk's, with the fresh state", "f.txt", sha("else"), "unknown_base"],
  ])("%s", async (_, file_path, base, code) => {
    const { call, text } = await ground({ "f.txt": source });
    const hash = base === undefined ? {} : { base_content_sha256: base };
    const reply = await call("write_file", { file_path, content: patched, ...hash });
    const content = code === "applied" ? patched : source;
    expect(reply).toMatchObject({ success: code === "applied", code });
    expect(reply.latest_file_state).toEqual({ file_path, version: 1, sha256: sha(content), content });
    expect(text(file_path)).toBe(content);
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
      expect([typeof reply.success, reply.message === ""]).toEqual(["boolean", false]);
    }
  });
});

describe("milestone 1: versioned reads", () => {
  it("number the states of one session in sequence across the tools, and leave nothing in the project", async () => {
    const { call, root } = await ground({ "a.txt": "a\n", "b.txt": "b\n" });
    const versionOf = (reply: unknown) => (reply as SeedState).version;
    const first = versionOf(await call("read_file", { file_path: "a.txt" }));
    const paths = ["a.txt", "b.txt"];
    const many = (await call("read_many_files", { paths })) as unknown as readonly SeedState[];
    const written = await call("write_file", { file_path: "c.txt", content: "c\n" });
    const last = versionOf(await call("read_file", { file_path: "b.txt" }));
    expect([first, ...many.map(versionOf), written.latest_file_state.version, last]).toEqual([1, 2, 3, 4, 5]);
    expect(readdirSync(root).sort()).toEqual([...paths, "c.txt"]);
  });
});
