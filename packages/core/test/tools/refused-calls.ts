import { type Call, numbered } from "../reproductions/scene.js";
import { sha } from "../support.js";

/** Calls that are refused: the data of the law that no answer names what its door does not offer. */
export interface RefusedCall {
  readonly call: Call;
  /** Calls before it, by the same caller. */
  readonly first?: readonly Call[];
  /** What somebody else writes after those. */
  readonly meanwhile?: Readonly<Record<string, string>>;
}

export const tenLines = numbered(10);
const twice = "one\none\n";
const none = "0".repeat(64);

/** The files that they are about. */
export const refusedFiles: Readonly<Record<string, string | Uint8Array>> = {
  "f.md": tenLines,
  "twice.md": `# A\n\n${twice}\n# A\n`,
  "big.txt": "x".repeat(300_000),
  "latin.txt": Uint8Array.from([0x67, 0x72, 0xf6, 0xdf, 0x0a]),
  "bytes.bin": Uint8Array.from([0, 1, 2, 3]),
  ".holdfastignore": "hidden.txt\n",
  "memories/f.md": tenLines,
};

const base_content_sha256 = sha(tenLines);
const readAll: Call = ["read_file", { file_path: "f.md" }];
const changed = { "f.md": tenLines.replace("line 5", "line five") };
const patch = (old: string, base: object = { base_content_sha256 }, path = "f.md"): Call => [
  "safe_patch",
  { file_path: path, unified_diff: `@@ -1 +1 @@\n-${old}\n+y\n`, ...base },
];
const edit = (old_string: string, new_string: string, base: object = { base_content_sha256 }): Call => [
  "edit_file",
  { file_path: "f.md", edits: [{ old_string, new_string }], ...base },
];
const write = (file_path: string, base: object = {}): Call => [
  "write_file",
  { file_path, content: "x", ...base },
];
const section = (file_path: string, section_header: string, new_content = "x"): Call => [
  "update_section",
  { file_path, section_header, new_content },
];
const twoFiles = "--- a/f.md\n+++ b/f.md\n@@ -1 +1 @@\n-line 1\n+x\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n";

const alone: readonly Call[] = [
  ["read_file", { file_path: "none" }],
  ["read_file", { file_path: "f.md", offset: 99 }],
  ["read_file", { file_path: "big.txt" }],
  ["read_file", { file_path: "big.txt", offset: 1, limit: 1 }],
  ["read_file", { file_path: "bytes.bin" }],
  ["read_file", { file_path: "memories" }],
  ["read_file", { file_path: "latin.txt", encoding: "utf-8" }],
  ["read_file", { file_path: "f.md", encoding: "no-such-encoding" }],
  ["read_file", { file_path: "hidden.txt" }],
  ["read_file", { file_path: 7 }],
  ["read_many_files", {}],
  ["read_many_files", { paths: ["none", "bytes.bin"] }],
  ["list_files", { path: "none" }],
  ["list_files", { path: "f.md" }],
  ["list_files", { depth: 0 }],
  ["find_files", { glob: "{".repeat(2_000) }],
  ["search_files", { pattern: "(" }],
  ["search_files", { pattern: "x", limit: 0 }],
  patch("zzz"),
  patch("zzz", { base_content_sha256: none }),
  patch("zzz", {}),
  patch("one", { base_content_sha256: sha(`# A\n\n${twice}\n# A\n`) }, "twice.md"),
  ["safe_patch", { file_path: "f.md", unified_diff: twoFiles, base_content_sha256 }],
  edit("line 1", "x"),
  edit("line 2", "x", {}),
  edit("nowhere", "x"),
  edit("", "x"),
  edit("line 2", "line 2"),
  edit("line 2", "// ... existing code ..."),
  ["edit_file", { file_path: "none", edits: [{ old_string: "a", new_string: "b" }] }],
  [
    "edit_file",
    { file_path: "none", edits: [{ old_string: "a", new_string: "b" }], base_content_sha256: none },
  ],
  [
    "edit_file",
    {
      file_path: "f.md",
      edits: [{ old_string: "line", new_string: "x", expected_replacements: 3 }],
      base_content_sha256,
    },
  ],
  write("f.md"),
  write("f.md", { base_content_sha256 }),
  write("f.md", { base_content_sha256: "nohash" }),
  write("../out"),
  write(".git/hooks/pre-commit"),
  write("hidden.txt"),
  write("f.md/below"),
  write("memories"),
  ["append_to_file", { file_path: "latin.txt", content: "ö" }],
  ["append_to_file", { file_path: "f.md", content: "\u0000" }],
  ["prepend_to_file", { file_path: "latin.txt", content: "ö" }],
  ["insert_lines", { file_path: "f.md", after_line: 99, content: "x", base_content_sha256 }],
  section("f.md", "# None"),
  section("f.md", ""),
  section("f.md", "# A", "```"),
  section("twice.md", "# A"),
  section("twice.md", "# A", "# A\nx"),
  section("none.md", "# A"),
  ["undo_edit", { file_path: "f.md" }],
  ["apply_changes", { changes: [{ file_path: "f.md", content: "x" }] }],
  ["apply_changes", { changes: [{ file_path: "f.md", content: "x", base_content_sha256 }] }],
  [
    "apply_changes",
    {
      changes: [
        { file_path: "f.md", content: "x" },
        { file_path: "g", content: "x" },
      ],
    },
  ],
  ["apply_edit", { file_path: "f.md", instructions: "x", code_edit: "y", base_content_sha256 }],
  ["replace", { file_path: "f.md", old_string: "", new_string: "x" }],
  ["replace", { file_path: "f.md", old_string: "line 1", new_string: "x" }],
  ["fs_write", { command: "create", path: "f.md", file_text: "x" }],
  ["fs_write", { command: "str_replace", path: "f.md", old_str: "line 1", new_str: "x" }],
  ["fs_write", { command: "insert", path: "f.md", insert_line: 99, new_str: "x" }],
  ["fs_write", { command: "append", path: "latin.txt", new_str: "ö" }],
  ["fs_write", { command: "nope", path: "f.md" }],
  ["memory", { command: "create", path: "/memories/f.md", file_text: "x" }],
  ["memory", { command: "str_replace", path: "/memories/f.md", old_str: "line 1", new_str: "x" }],
  ["memory", { command: "str_replace", path: "/memories/f.md", old_str: "", new_str: "x" }],
  ["memory", { command: "view", path: "/memories/none.md" }],
  ["memory", { command: "view", path: "/elsewhere" }],
  ["memory", { command: "rename", old_path: "/memories/none.md", new_path: "/memories/n.md" }],
  ["str_replace_based_edit_tool", { command: "create", path: "f.md", file_text: "x" }],
  ["str_replace_based_edit_tool", { command: "view", path: "big.txt" }],
  ["str_replace_based_edit_tool", { command: "view", path: "none" }],
  ["str_replace_based_edit_tool", { command: "insert", path: "f.md", insert_line: 99, insert_text: "x" }],
  ["str_replace_based_edit_tool", { command: "undo_edit", path: "f.md" }],
];

const view = (tool: string, path = "f.md"): Call => [tool, { command: "view", path }];
const editor = "str_replace_based_edit_tool";
const seen: readonly RefusedCall[] = [
  ...[edit("line 1\n", "x\n"), patch("line 1"), write("f.md", { base_content_sha256 })].map((call) => {
    return { first: [readAll], meanwhile: changed, call };
  }),
  {
    first: [["read_file", { file_path: "f.md", offset: 1, limit: 1 }]],
    call: write("f.md", { base_content_sha256 }),
  },
  ...["line", "", "nowhere"].map((old_str) => ({
    first: [view(editor)],
    call: [editor, { command: "str_replace", path: "f.md", old_str, new_str: "x" }] as const,
  })),
  {
    first: [view(editor)],
    call: [editor, { command: "insert", path: "f.md", insert_line: 99, insert_text: "x" }],
  },
  {
    first: [view(editor)],
    meanwhile: changed,
    call: [editor, { command: "str_replace", path: "f.md", old_str: "line 2", new_str: "x" }],
  },
  {
    first: [view("memory", "/memories/f.md")],
    call: ["memory", { command: "insert", path: "/memories/f.md", insert_line: 99, insert_text: "x" }],
  },
  { first: [readAll], call: ["replace", { file_path: "f.md", old_string: "line", new_string: "x" }] },
  {
    first: [readAll],
    meanwhile: changed,
    call: ["replace", { file_path: "f.md", old_string: "line 2", new_string: "x" }],
  },
  {
    first: [readAll],
    call: ["fs_write", { command: "str_replace", path: "f.md", old_str: "nowhere", new_str: "x" }],
  },
  {
    first: [write("new.md"), readAll],
    meanwhile: { "new.md": "other\n" },
    call: ["undo_edit", { file_path: "new.md" }],
  },
];

export const refusedCalls: readonly RefusedCall[] = [...alone.map((call) => ({ call })), ...seen];
