/**
 * Calls that a model could make, with a hash, an old text or a number that may be right or not: one maker for
 * each door through which a file can be read or written.
 */
import type { JsonObject } from "../../src/conversation/values/index.js";
import { sha } from "../support.js";
import { linesOf, type Picks } from "./picks.js";

export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
  /** Replaces all of these files. */
  readonly whole?: boolean;
  /** Needs neither hash nor read, or a hash alone. */
  readonly isFree?: boolean;
}

/** What a model's calls are made from. */
export interface Material {
  /** The folder from which relative paths count. */
  readonly root: string;
  readonly paths: readonly [string, ...string[]];
  /** Hashes of states that files are or were in. */
  readonly hashes: () => readonly string[];
  text(path: string): string | undefined;
  /** A word, a line without its end, and lines that stand nowhere yet. */
  word(): string;
  line(): string;
  lines(count: number): string;
}

/** Of one call, drawn once. */
interface Draft extends Material {
  readonly pick: Picks;
  readonly path: string;
  /** One of the names of the path. */
  readonly file_path: string;
  readonly content: readonly string[];
  /** A line of it, with its end, and its number. */
  readonly old: string;
  readonly at: number;
  /** Mostly of the state that is there, in full or its beginning. */
  readonly base_content_sha256: string;
}

export type CallKind = keyof typeof makers;

/** One call of one of these kinds; a kind that stands there twice is drawn twice as often. */
export function drawCall(material: Material, kinds: readonly CallKind[], pick: Picks): Call {
  const { paths, root } = material;
  const [first] = paths;
  const path = [...paths, first, first][pick.next(paths.length + 2)] ?? first;
  const file_path = pick.of([path, path, path, `./${path}`, `${root}/${path}`]);
  const text = material.text(path) ?? "";
  const content = linesOf(text);
  const old = content[pick.next(Math.max(1, content.length))] ?? "";
  const hashes = material.hashes();
  const hash = pick.next(4) === 0 ? (hashes[pick.next(hashes.length)] ?? sha(text)) : sha(text);
  const base_content_sha256 = pick.next(2) === 0 ? hash : hash.slice(0, 12);
  const at = content.indexOf(old) + 1;
  const kind = kinds[pick.next(kinds.length)] ?? "read";
  return makers[kind]({ ...material, pick, path, file_path, content, old, at, base_content_sha256 });
}

const editor = "str_replace_based_edit_tool";
/** Where the memory tool and the section tool find something of theirs. */
export const note = "memories/m.md";

const makers = {
  read: ({ file_path }: Draft): Call => ({ tool: "read_file", args: { file_path } }),
  window: ({ file_path, pick }: Draft): Call => ({
    tool: "read_file",
    args: { file_path, offset: 1 + pick.next(6), limit: 1 + pick.next(4) },
  }),
  many: ({ paths }: Draft): Call => ({ tool: "read_many_files", args: { paths: [...paths] } }),
  search: ({ old }: Draft): Call => ({
    tool: "search_files",
    args: { pattern: old.trim() || "x", literal: true },
  }),
  view: ({ file_path }: Draft): Call => ({ tool: editor, args: { command: "view", path: file_path } }),
  view_range: ({ file_path, pick }: Draft): Call => {
    const first = 1 + pick.next(6);
    const view_range = [first, pick.of([-1, first, first + 1 + pick.next(4)])];
    return { tool: editor, args: { command: "view", path: file_path, view_range } };
  },
  memory_view: (_: Draft): Call => ({ tool: "memory", args: { command: "view", path: `/${note}` } }),

  edit: ({ file_path, old, pick, line, word }: Draft): Call => {
    const new_string = pick.of(["", `${line()}\n`, `${line()}\n${old}`, line(), word()]);
    return { tool: "edit_file", args: { file_path, edits: [{ old_string: old, new_string }] } };
  },
  word: ({ file_path, old, pick, word, base_content_sha256 }: Draft): Call => {
    const edits = [{ old_string: firstWord(old), new_string: word() }];
    const base = pick.next(2) === 0 ? { base_content_sha256 } : {};
    return { tool: "edit_file", args: { file_path, edits, ...base } };
  },
  many_edits: ({ file_path, old, word }: Draft): Call => {
    const fresh = word();
    const edits = [
      { old_string: firstWord(old), new_string: fresh },
      { old_string: fresh, new_string: `${word()}\n${word()}` },
    ];
    return { tool: "edit_file", args: { file_path, edits } };
  },
  all_edits: ({ file_path, old, word }: Draft): Call => {
    const edits = [{ old_string: firstWord(old), new_string: word(), replace_all: true }];
    return { tool: "edit_file", args: { file_path, edits } };
  },
  replace: ({ file_path, old, line }: Draft): Call => ({
    tool: "replace",
    args: { file_path, old_string: old, new_string: `${line()}\n` },
  }),
  replace_empty: ({ file_path, lines }: Draft): Call => ({
    tool: "replace",
    args: { file_path, old_string: "", new_string: lines(2) },
  }),
  editor_edit: ({ file_path, old, line }: Draft): Call => ({
    tool: editor,
    args: { command: "str_replace", path: file_path, old_str: old, new_str: `${line()}\n` },
  }),
  fs_edit: ({ file_path, old, word }: Draft): Call => ({
    tool: "fs_write",
    args: { command: "str_replace", path: file_path, old_str: firstWord(old), new_str: word() },
  }),
  memory_edit: ({ old, line }: Draft): Call => ({
    tool: "memory",
    args: { command: "str_replace", path: `/${note}`, old_str: old, new_str: `${line()}\n` },
    isFree: true,
  }),

  patch: (draft: Draft): Call => ({
    tool: "safe_patch",
    args: {
      file_path: draft.file_path,
      unified_diff: diffOf(draft),
      base_content_sha256: draft.base_content_sha256,
    },
  }),
  diff_of_several: (draft: Draft): Call => ({
    tool: "apply_changes",
    args: { unified_diff: diffOf(draft), bases: { [draft.path]: draft.base_content_sha256 } },
  }),

  append: ({ file_path, pick, line }: Draft): Call => ({
    tool: "append_to_file",
    args: { file_path, content: `${pick.of(["", "\n"])}${line()}${pick.of(["", "\n"])}` },
    isFree: true,
  }),
  prepend: ({ file_path, pick, line }: Draft): Call => ({
    tool: "prepend_to_file",
    args: { file_path, content: `${line()}${pick.of(["", "\n"])}` },
    isFree: true,
  }),
  fs_append: ({ file_path, pick, line }: Draft): Call => ({
    tool: "fs_write",
    args: { command: "append", path: file_path, new_str: `${line()}${pick.of(["", "\n"])}` },
    isFree: true,
  }),
  section: ({ line }: Draft): Call => ({
    tool: "update_section",
    args: { file_path: note, section_header: "## Part", new_content: `${line()}\n`, create: true },
    isFree: true,
  }),
  insert: ({ file_path, pick, content, line, base_content_sha256 }: Draft): Call => ({
    tool: "insert_lines",
    args: { file_path, after_line: pick.next(content.length + 1), content: line(), base_content_sha256 },
  }),
  editor_insert: ({ file_path, pick, content, line }: Draft): Call => ({
    tool: editor,
    args: {
      command: "insert",
      path: file_path,
      insert_line: pick.next(content.length + 1),
      insert_text: `${line()}\n`,
    },
  }),
  fs_insert: ({ file_path, pick, content, line }: Draft): Call => ({
    tool: "fs_write",
    args: {
      command: "insert",
      path: file_path,
      insert_line: pick.next(content.length + 1),
      new_str: `${line()}\n`,
    },
  }),
  memory_insert: ({ pick, line }: Draft): Call => ({
    tool: "memory",
    args: { command: "insert", path: `/${note}`, insert_line: pick.next(4), insert_text: `${line()}\n` },
  }),

  write: (draft: Draft): Call => {
    const { file_path, pick, base_content_sha256 } = draft;
    const base = pick.next(4) === 0 ? {} : { base_content_sha256 };
    return {
      tool: "write_file",
      args: { file_path, content: wholeOf(draft), ...base },
      whole: true,
    };
  },
  create: (draft: Draft): Call => ({
    tool: editor,
    args: { command: "create", path: draft.file_path, file_text: wholeOf(draft) },
    whole: true,
  }),
  fs_create: (draft: Draft): Call => ({
    tool: "fs_write",
    args: { command: "create", path: draft.file_path, file_text: wholeOf(draft) },
    whole: true,
  }),
  memory_create: ({ lines }: Draft): Call => ({
    tool: "memory",
    args: { command: "create", path: `/${note}`, file_text: `${lines(2)}## Part\n${lines(1)}` },
    whole: true,
  }),
  set_write: (draft: Draft): Call => ({
    tool: "apply_changes",
    args: {
      changes: [
        {
          file_path: draft.file_path,
          base_content_sha256: draft.base_content_sha256,
          content: wholeOf(draft),
        },
      ],
    },
    whole: true,
  }),

  set: ({ file_path, base_content_sha256, old, line, lines, text }: Draft): Call => {
    const edits = [{ old_string: old, new_string: `${line()}\n` }];
    const other = text("e.txt");
    const base = other === undefined ? {} : { base_content_sha256: sha(other) };
    return {
      tool: "apply_changes",
      args: {
        changes: [
          { file_path, base_content_sha256, edits },
          { file_path: "e.txt", content: lines(2), ...base },
        ],
      },
      whole: true,
    };
  },
  rename: ({ path, base_content_sha256 }: Draft): Call => {
    const rename_to = path === "a.txt" ? "b.txt" : "a.txt";
    return {
      tool: "apply_changes",
      args: { changes: [{ file_path: path, base_content_sha256, rename_to }] },
      isFree: true,
    };
  },
  remove: ({ path, base_content_sha256 }: Draft): Call => ({
    tool: "apply_changes",
    args: { changes: [{ file_path: path, base_content_sha256, delete: true }] },
    isFree: true,
  }),
  memory_rename: (_: Draft): Call => ({
    tool: "memory",
    args: { command: "rename", old_path: `/${note}`, new_path: "/memories/n.md" },
    isFree: true,
  }),
  memory_delete: ({ pick }: Draft): Call => ({
    tool: "memory",
    args: { command: "delete", path: pick.of([`/${note}`, "/memories/n.md"]) },
    isFree: true,
  }),
  undo: ({ file_path }: Draft): Call => ({ tool: "undo_edit", args: { file_path }, isFree: true }),
} as const;

/** Nearly all of the file, and a new line. */
function wholeOf({ content, pick, line }: Draft): string {
  return [...content.slice(0, pick.next(3)), ...content.slice(5), `${line()}\n`].join("");
}

function firstWord(line: string): string {
  return line.split(" ")[0] ?? "x";
}

/** Replaces the line, with the one above as context. */
function diffOf({ path, content, old, at, line }: Draft): string {
  const before = content[at - 2];
  const context = before === undefined ? "" : ` ${before}`;
  const count = before === undefined ? 1 : 2;
  const first = before === undefined ? at : at - 1;
  const hunk = `@@ -${first},${count} +${first},${count} @@\n${context}-${old.trimEnd()}\n+${line()}\n`;
  return `--- a/${path}\n+++ b/${path}\n${hunk}`;
}
