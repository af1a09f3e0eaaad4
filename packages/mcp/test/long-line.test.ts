import { toolNames } from "@holdfast/core/tools";
import { describe, expect, test } from "vitest";
import { connect, makeGround, sha256 } from "./server-process.js";

/** A line of 7 MB through every tool of a real server: an answer, within its budget in each of its forms. */
const long = "a".repeat(7_000_000);
const budget = 262_144;
const base_content_sha256 = sha256(long);
const edits = [{ old_string: "aaaa", new_string: "y" }];
const diff = "@@ -1,1 +1,1 @@\n-zzz\n+y\n";

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];
const calls: readonly Call[] = [
  ["read_file", { file_path: "f" }],
  ["read_file", { file_path: "f", offset: 1, limit: 1 }],
  ["read_many_files", { paths: ["f", "f"] }],
  ["list_files", {}],
  ["find_files", { glob: "*" }],
  ["search_files", { pattern: "a+" }],
  ["safe_patch", { file_path: "f", unified_diff: diff, base_content_sha256 }],
  ["edit_file", { file_path: "f", edits }],
  ["edit_file", { file_path: "f", edits, base_content_sha256 }],
  ["write_file", { file_path: "f", content: "x" }],
  ["write_file", { file_path: "f", content: "x", base_content_sha256 }],
  ["apply_changes", { changes: [{ file_path: "f", base_content_sha256, edits }] }],
  ["replace", { file_path: "f", old_string: "aaaa", new_string: "b" }],
  ["fs_write", { command: "create", path: "f", file_text: "x" }],
  ["str_replace_based_edit_tool", { command: "view", path: "f" }],
  ["str_replace_based_edit_tool", { command: "view", path: "f", view_range: [1, 1] }],
  ["str_replace_based_edit_tool", { command: "str_replace", path: "f", old_str: "aaaa", new_str: "b" }],
  ["memory", { command: "view", path: "/memories/f" }],
  ["memory", { command: "create", path: "/memories/f", file_text: "x" }],
  ["insert_lines", { file_path: "f", after_line: 1, content: "x", base_content_sha256 }],
  ["update_section", { file_path: "f", section_header: "# a", new_content: "x" }],
  ["append_to_file", { file_path: "f", content: "x" }],
  ["prepend_to_file", { file_path: "f", content: "x" }],
  ["move_file", { file_path: "f", to: "g", base_content_sha256 }],
  ["delete_file", { file_path: "f", base_content_sha256 }],
  ["undo_edit", { file_path: "f" }],
];

// Its applier is a model of the host.
const names = toolNames.filter((name) => name !== "apply_edit");

describe.each([
  { wire: "text", structured: true },
  { wire: "text", structured: false },
  { wire: "json", structured: true },
] as const)("a server with %j", (options) => {
  test("keeps the budget about a line of 7 MB, whatever the tool", async () => {
    const ground = await makeGround();
    const { client } = await connect("2025-11-25", ground, { tools: names, ...options });
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(names));
    for (const [name, args] of calls) {
      await ground.put("f", long);
      await ground.put("memories/f", long);
      const { content, structuredContent } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const forms = [first?.type === "text" ? first.text : "", JSON.stringify(structuredContent ?? {})];
      expect([name, forms[0]]).not.toEqual([name, ""]);
      for (const form of forms) expect([name, form.length <= budget]).toEqual([name, true]);
    }
  });
});
