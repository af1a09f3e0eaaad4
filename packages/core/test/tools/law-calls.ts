import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileTool, findTool, type ToolName, toolNames } from "../../src/tools/index.js";
import { wholeSchema } from "../../src/tools/tool/tool.js";
import { sha } from "../support.js";
import type { Args, DoorTool, LawCall } from "./argument-law.js";

const [lines, page, code, note] = [
  "one\ntwo\nthree\n",
  "# A\n\nold\n\n# B\n\nrest\n",
  "const c = 1;\n",
  "note\n",
];

/** The files of the doors that are held to the law. */
export const lawFiles: Readonly<Record<string, string | Uint8Array>> = {
  "a.txt": lines,
  "b.md": page,
  "sub/c.ts": code,
  "memories/n.md": note,
  "i.png": Buffer.from("\x89PNG\r\n\x1a\n\0\0\0", "latin1"),
};

/** A folder with them, for doors on a real disk. */
export function putLawFiles(root: string): void {
  for (const [path, content] of Object.entries(lawFiles)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

/** All that is in the folder. */
export function filesIn(root: string): string {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return JSON.stringify([
    entries.length,
    files.toSorted().map((path) => [path.slice(root.length), readFileSync(path, "latin1")]),
  ]);
}

const file_path = "a.txt";
const base_content_sha256 = sha(lines);
const named = { file_path, base_content_sha256 };
const encoding = "utf-8";
const edit = { old_string: "two", new_string: "2" };
const counted = { ...edit, replace_all: true, expected_replacements: 1 };
const diff = "@@ -2 +2 @@\n-two\n+2\n";
const wholeDiff = `--- a/a.txt\n+++ b/a.txt\n${diff}`;
const reads = [["read_file", { file_path }]] as const;
const created = [["write_file", { file_path: "new", content: "new\n" }]] as const;

const plain: Readonly<Record<ToolName, readonly Args[]>> = {
  read_file: [
    { file_path, offset: 2, limit: 1, encoding },
    { file_path, numbered: true },
    { file_path, offset: 1, char_offset: 1, full: true },
    { file_path: "none" },
    { file_path: "i.png" },
  ],
  read_many_files: [
    { paths: ["a.txt", "sub/*"], globs: ["*.md"], exclude: ["c*"], ignored: true, after: "a" },
  ],
  list_files: [{ path: "sub", depth: 2, limit: 3, ignored: true, after: "sub/a" }, { path: "none" }],
  find_files: [
    { glob: "*.*", path: "sub", exclude: ["*.md"], limit: 3, ignored: true, after: "sub/a" },
    { glob: "*", path: "none" },
  ],
  search_files: [
    { pattern: "O", path: ".", glob: "*.txt", exclude: ["b*"], ignore_case: true, context: 1, limit: 2 },
    { pattern: "c", type: "ts", literal: true, output: "files", ignored: true, after: "a.txt" },
    { pattern: "(", path: "none" },
  ],
  edit_file: [
    { ...named, edits: [counted], encoding },
    { ...named, edits: [{ lines: "1-2", new_string: "x" }] },
    { ...named, edits: [edit, { old_string: "one", new_string: "1" }] },
    { ...named, edits: [edit], dry_run: true },
  ],
  safe_patch: [
    { ...named, unified_diff: diff, encoding },
    { ...named, unified_diff: diff, dry_run: true },
  ],
  write_file: [
    { file_path: "new", content: "x", encoding },
    { ...named, content: "whole\n" },
    { file_path: "new", content: "x", dry_run: true },
  ],
  append_to_file: [
    { file_path, content: "four\n", base_content_sha256, encoding },
    { file_path, content: "x", dry_run: true },
  ],
  prepend_to_file: [
    { file_path, content: "zero\n", base_content_sha256, encoding },
    { file_path, content: "x", dry_run: true },
  ],
  update_section: [
    {
      file_path: "b.md",
      section_header: "# A",
      new_content: "new",
      base_content_sha256: sha(page),
      encoding,
    },
    { file_path: "b.md", section_header: "# C", new_content: "new", create: true },
    { file_path: "b.md", section_header: "# A", new_content: "new", dry_run: true },
  ],
  insert_lines: [
    { ...named, after_line: 1, content: "x", encoding },
    { ...named, after_line: 1, content: "x", dry_run: true },
  ],
  move_lines: [
    { ...named, lines: "1-2", to: "sub/c.ts", to_base_content_sha256: sha(code), after: "end" },
    { ...named, lines: "1", after: "end", dry_run: true },
  ],
  copy_file: [
    { ...named, to: "copy" },
    { ...named, to: "copy", dry_run: true },
  ],
  move_file: [
    { ...named, to: "moved" },
    { ...named, to: "moved", dry_run: true },
  ],
  delete_file: [named, { ...named, dry_run: true }],
  undo_edit: [
    { file_path: "new", base_content_sha256: sha("new\n") },
    { file_path: "new", dry_run: true },
  ],
  apply_changes: [
    {
      changes: [
        { ...named, edits: [counted], encoding, rename_to: "moved" },
        { file_path: "new", content: "x" },
        { file_path: "b.md", base_content_sha256: sha(page), delete: true },
        {
          file_path: "sub/c.ts",
          base_content_sha256: sha(code),
          unified_diff: "@@ -1 +1 @@\n-const c = 1;\n+x\n",
        },
      ],
    },
    { unified_diff: wholeDiff, bases: { "a.txt": base_content_sha256 } },
    { unified_diff: wholeDiff, bases: { "a.txt": base_content_sha256 }, dry_run: true },
  ],
  str_replace_based_edit_tool: [
    { command: "view", path: file_path, view_range: [1, 2] },
    { command: "create", path: "new", file_text: "x" },
    { command: "str_replace", path: file_path, old_str: "two", new_str: "2" },
    { command: "insert", path: file_path, insert_line: 1, insert_text: "x" },
    { command: "insert", path: file_path, insert_line: 1, insert_text: "x", dry_run: true },
  ],
  memory: [
    { command: "view", path: "/memories/n.md", view_range: [1, 1] },
    { command: "create", path: "/memories/new", file_text: "x" },
    { command: "str_replace", path: "/memories/n.md", old_str: "note", new_str: "x" },
    { command: "insert", path: "/memories/n.md", insert_line: 0, insert_text: "x" },
    { command: "rename", old_path: "/memories/n.md", new_path: "/memories/m.md" },
    { command: "create", path: "/memories/new", file_text: "x", dry_run: true },
  ],
  replace: [
    { file_path, old_string: "two", new_string: "2", expected_replacements: 1, instruction: "count" },
    { file_path, old_string: "two", new_string: "2", dry_run: true },
  ],
  fs_write: [
    { command: "create", path: "new", file_text: "x", summary: "count" },
    { command: "str_replace", path: file_path, old_str: "two", new_str: "2" },
    { command: "insert", path: file_path, insert_line: 1, new_str: "x", dry_run: true },
    { command: "append", path: file_path, new_str: "x" },
  ],
  apply_edit: [
    { ...named, instructions: "count", code_edit: "1\n// ... existing code ..." },
    { ...named, instructions: "count", code_edit: "1\n// ... existing code ...", dry_run: true },
  ],
};

/** What was shown or written before. */
function before(name: ToolName): NonNullable<LawCall["first"]> {
  if (name === "undo_edit") return created;
  if (name === "memory") return [[name, { command: "view", path: "/memories/n.md" }]];
  return name === "str_replace_based_edit_tool" ? [[name, { command: "view", path: file_path }]] : reads;
}

/** Tools of ours, as a door offers them that calls them by their own names. */
export function lawTools(names: readonly ToolName[] = toolNames): readonly DoorTool[] {
  return names.map((name) => {
    const { parameters, annotations }: FileTool = mustFind(name);
    const schema = wholeSchema(parameters);
    const first = annotations.readOnly ? {} : { first: before(name) };
    const calls = plain[name].map(
      (args): LawCall => ({
        ...{ args, ...first },
        ...(args.dry_run === true || args.command === "view" ? { does: "looks" } : {}),
        ...(JSON.stringify(args).match(/none|i\.png/) ? { does: "refuses" } : {}),
      }),
    );
    return { name, isReading: annotations.readOnly, schema, calls };
  });
}

function mustFind(name: string): FileTool {
  const tool = findTool(name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** Those that need nothing of their host. */
export const servedNames = toolNames.filter((name) => name !== "apply_edit");
