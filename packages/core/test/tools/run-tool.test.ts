import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PatchFileRequest, ReadRequest, WriteFileRequest } from "../../src/files/values/index.js";
import { findTool, runTool, type ToolContext, toolNames, tools } from "../../src/tools/index.js";
import { makeGround, sha256 } from "./ground.js";
import { readOf, scripted, someHash, writeOf } from "./wire/states.js";

const context = (workspace: ToolContext["workspace"], more: Partial<ToolContext> = {}): ToolContext => ({
  workspace,
  wire: "json",
  resultContent: "auto",
  ...more,
});

const nothing = context(scripted({}));

describe("what a tool asks of the workspace", () => {
  test("read_file hands on path, window and encoding, and drops what hosts add", async () => {
    const seen: ReadRequest[] = [];
    const workspace = scripted({
      read: async (request) => {
        seen.push(request);
        return readOf("a\n");
      },
    });
    await runTool("read_file", { file_path: "a", wait_for_previous: true }, context(workspace));
    await runTool("read_file", { file_path: "a", offset: 2, limit: 3, encoding: "gbk" }, context(workspace));
    await runTool("read_file", { file_path: "a", offset: null, encoding: "" }, context(workspace));
    expect(seen).toStrictEqual([
      { kind: "read", path: "a" },
      { kind: "read", path: "a", offset: 2, limit: 3, encoding: "gbk" },
      { kind: "read", path: "a" },
    ]);
  });

  test("safe_patch and write_file hand on the base hash and their name", async () => {
    const patches: PatchFileRequest[] = [];
    const writes: WriteFileRequest[] = [];
    const workspace = scripted({
      patch: async (request) => {
        patches.push(request);
        return writeOf({});
      },
      write: async (request) => {
        writes.push(request);
        return writeOf({});
      },
    });
    await runTool(
      "safe_patch",
      { file_path: "a", unified_diff: "@@", base_content_sha256: someHash },
      context(workspace),
    );
    await runTool("write_file", { file_path: "a", content: "" }, context(workspace));
    await runTool(
      "write_file",
      { file_path: "a", content: "x", base_content_sha256: "" },
      context(workspace),
    );
    await runTool(
      "write_file",
      { file_path: "a", content: "x", base_content_sha256: someHash },
      context(workspace),
    );
    expect(patches).toStrictEqual([
      { kind: "patch", path: "a", diff: "@@", base: someHash, tool: "safe_patch" },
    ]);
    expect(writes).toStrictEqual([
      { kind: "write", path: "a", content: "", tool: "write_file" },
      { kind: "write", path: "a", content: "x", tool: "write_file" },
      { kind: "write", path: "a", content: "x", tool: "write_file", base: someHash },
    ]);
  });
});

describe("wrong arguments are one plain sentence that names the argument", () => {
  const cases: readonly (readonly [string, unknown, RegExp])[] = [
    ["read_file", {}, /^read_file needs the argument file_path .*; it is missing\.$/],
    ["read_file", undefined, /^read_file needs the argument file_path/],
    ["read_file", { file_path: null }, /file_path .*; it is missing\.$/],
    ["read_file", { file_path: 5 }, /^The argument file_path of read_file must be a text, not 5/],
    ["read_file", { file_path: "" }, /must be a text that is not empty, not an empty text/],
    ["read_file", { file_path: ["a"] }, /must be a text, not a list/],
    [
      "read_file",
      { file_path: "a", offset: "ten" },
      /^The argument offset of read_file must be a whole number, not the text "ten"/,
    ],
    ["read_file", { file_path: "a", offset: 1.5 }, /offset of read_file must be a whole number, not 1\.5/],
    [
      "read_file",
      { file_path: "a", offset: 1e300 },
      /offset of read_file must be at most 9007199254740991, not 1e\+300/,
    ],
    ["read_file", { file_path: "a", limit: -1 }, /limit of read_file must be at least 1/],
    ["read_file", "a", /takes its arguments as one object, not as a string\.$/],
    ["read_file", ["a"], /takes its arguments as one object, not as a list\.$/],
    ["read_file", null, /takes its arguments as one object, not as null\.$/],
    ["list_files", { depth: "deep" }, /depth of list_files must be a whole number/],
    [
      "safe_patch",
      { file_path: "a", unified_diff: {}, base_content_sha256: someHash },
      /unified_diff of safe_patch must be a text, not an object/,
    ],
    ["write_file", { file_path: "a" }, /^write_file needs the argument content/],
    ["write_file", { file_path: "a", content: 12 }, /content of write_file must be a text, not 12/],
    ["undo_edit", { file_path: true }, /file_path of undo_edit must be a text, not true/],
    ["no_such_tool", {}, /no tool of this name/],
  ];
  test.each(cases)("%s %j", async (name, args, message) => {
    const reply = await runTool(name, args, nothing);
    expect(reply).toMatchObject({ success: false, code: "invalid_arguments", bearsContent: false });
    const wire = reply.json as { message: string };
    expect(wire.message).toMatch(message);
    expect(wire.message).not.toContain("\n");
    const text = await runTool(name, args, { ...nothing, wire: "text" });
    expect(text.text).toBe(`FAILED (invalid_arguments): ${wire.message}`);
  });

  test("a base that is left out is missing_base, with the state to name", async () => {
    const ground = await makeGround({ "a.txt": "one\n" });
    for (const [name, args] of [
      ["safe_patch", { file_path: "a.txt", unified_diff: "x" }],
      ["insert_lines", { file_path: "a.txt", after_line: 1, content: "x" }],
    ] as const) {
      const { code, text } = await runTool(name, args, { workspace: ground.workspace });
      expect(code).toBe("missing_base");
      expect(text).toContain(sha256("one\n"));
    }
  });

  test("no arguments whatever reject, throw or go unanswered", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...toolNames),
        fc.anything({ withNullPrototype: true }),
        async (name, args) => {
          const reply = await runTool(name, args, nothing);
          expect(["invalid_arguments", "internal_error", "outside_workspace"]).toContain(reply.code);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a writing tool's answer always has success, code, message and latest_file_state", () => {
  const keys = ["success", "code", "message", "latest_file_state"];
  const writing = tools.filter((tool) => !tool.annotations.readOnly).map((tool) => tool.name);
  const args = {
    file_path: "a",
    unified_diff: "x",
    content: "x",
    edits: [{ old_string: "x", new_string: "y" }],
    section_header: "# x",
    new_content: "x",
    base_content_sha256: someHash,
    to: "b",
  };
  const argsOf = (name: string) => {
    const shape = findTool(name)?.parameters.shape ?? {};
    return Object.fromEntries(Object.entries(args).filter(([one]) => one in shape));
  };
  const broken = {
    patch: () => Promise.reject(new Error("EIO at /home/me/secret.ts:12")),
    write: () => Promise.reject(new Error("EIO at /home/me/secret.ts:12")),
    undo: () => Promise.reject(new Error("EIO at /home/me/secret.ts:12")),
    edit: () => Promise.reject(new Error("EIO at /home/me/secret.ts:12")),
    append: () => Promise.reject(new Error("EIO at /home/me/secret.ts:12")),
    update_section: () => Promise.reject(new Error("EIO at /home/me/secret.ts:12")),
    apply_changes: () => Promise.reject(new Error("EIO at /home/me/secret.ts:12")),
  };

  test.each(writing)("%s: wrong arguments, read-only, a throw", async (name) => {
    const errors: unknown[] = [];
    const reads = scripted({ ...broken, read: async () => readOf("now\n", { path: "a" }) });
    const all = context(reads, { onError: (error) => errors.push(error) });
    for (const [given, more, code] of [
      [{ file_path: 1 }, {}, "invalid_arguments"],
      [argsOf(name), { readOnly: true }, "read_only"],
      [argsOf(name), {}, "internal_error"],
    ] as const) {
      const reply = await runTool(name, given, { ...all, ...more });
      expect(reply.code).toBe(code);
      expect(Object.keys(reply.json as object).slice(0, 4)).toEqual(keys);
      expect(reply.text).not.toMatch(/secret|\.ts:|home/);
    }
    expect(errors).toHaveLength(1);
  });

  test("an internal error tells the true state, shown since the read of it counts", async () => {
    const workspace = scripted({ ...broken, read: async () => readOf("now\n", { path: "a" }) });
    const { json, code } = await runTool("safe_patch", argsOf("safe_patch"), context(workspace));
    expect(code).toBe("internal_error");
    expect(json).toMatchObject({
      success: false,
      message: expect.stringMatching(/^Internal Error: /),
      latest_file_state: { file_path: "a", sha256: someHash, content: "now\n" },
    });
  });

  test("with full content wrong arguments tell the state, too; else the ledger is left alone", async () => {
    let reads = 0;
    const workspace = scripted({
      read: async () => {
        reads += 1;
        return readOf("now\n", { path: "a" });
      },
    });
    const wrong = { file_path: "a", unified_diff: 1, base_content_sha256: someHash };
    const auto = await runTool("safe_patch", wrong, context(workspace));
    expect(auto.json).toMatchObject({ latest_file_state: null });
    expect(reads).toBe(0);
    const literal = await runTool("safe_patch", wrong, context(workspace, { resultContent: "full" }));
    expect(literal.json).toMatchObject({
      code: "invalid_arguments",
      latest_file_state: { content: "now\n" },
    });
  });

  test("a reading tool that throws is an internal error without a state", async () => {
    const { json, text } = await runTool("read_file", { file_path: "a" }, { ...nothing, wire: "text" });
    expect(json).toStrictEqual({
      file_path: "a",
      success: false,
      code: "internal_error",
      message: expect.stringMatching(/^Internal Error: read_file failed unexpectedly \(\w*Error: .+\)\.$/),
    });
    expect(text).toMatch(/^FAILED \(internal_error\): Internal Error: read_file failed unexpectedly \(/);
  });
});
