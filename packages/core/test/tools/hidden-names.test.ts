import { runTool, type ToolName } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { escapeInJson } from "../../src/text/index.js";
import { type Ground, ground, sha } from "../support.js";

/** A tag character, a filler, a vowel separator and the blank of Braille: nobody sees them in a name. */
const name = "a\u{e0041}b\u3164.txt";
const missing = "none\u180e\u2800";
const unseen = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

const calls: readonly (readonly [ToolName, Record<string, unknown>])[] = [
  ["list_files", {}],
  ["find_files", { glob: "**/*" }],
  ["search_files", { pattern: "one" }],
  ["read_file", { file_path: name }],
  ["read_file", { file_path: missing }],
  ["read_many_files", { paths: [name, missing] }],
  ["write_file", { file_path: name, content: "x", base_content_sha256: sha("never") }],
  ["write_file", { file_path: `new${missing}`, content: "x\n" }],
  [
    "safe_patch",
    { file_path: name, unified_diff: "@@ -1 +1 @@\n-x\n+y\n", base_content_sha256: sha("one\n") },
  ],
  ["edit_file", { file_path: name, edits: [{ old_string: "zzz", new_string: "two" }] }],
  ["append_to_file", { file_path: name, content: "y\n" }],
  ["undo_edit", { file_path: name }],
  ["update_section", { file_path: name, section_header: missing, new_content: "x" }],
  ["apply_changes", { changes: [{ file_path: name, base_content_sha256: sha("never"), delete: true }] }],
  ["str_replace_based_edit_tool", { command: "view", path: "." }],
  ["str_replace_based_edit_tool", { command: "view", path: name }],
];

async function started(): Promise<Ground> {
  const on = await ground({ [name]: "one\n" });
  await on.workspace.read({ path: name });
  return on;
}

describe("what no eye sees in a name is shown escaped", () => {
  it.each(calls)("by %s, as text", async (tool, args) => {
    const on = await started();
    const { text } = await runTool(tool, args, { workspace: on.workspace });
    expect(text).not.toMatch(unseen);
  });

  it.each(calls)("by %s, as JSON, which still means the same name", async (tool, args) => {
    const on = await started();
    const { text, json } = await runTool(tool, args, { workspace: on.workspace, wire: "json" });
    expect(text).not.toMatch(unseen);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(json ?? JSON.parse(text))));
  });
});

it("JSON is as it was where all of it is seen", () => {
  for (const json of ['{"a":"naïve 猫 🌱 <b>"}', "{}", '["\\u0000"]']) expect(escapeInJson(json)).toBe(json);
  expect(escapeInJson('"\u{e0041}\u3164"')).toBe('"\\udb40\\udc41\\u3164"');
});
