import { createHash } from "node:crypto";
import { closeSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../rooms.mjs";

/** @typedef {import("./measure.mjs").Heavy} Heavy */

const mega = 1_000_000;

/**
 * The inputs that once held the loop. All are reached with one call, or lie in a repository that somebody cloned.
 *
 * @param {boolean} quick smaller ones
 * @returns {readonly Heavy[]}
 */
export function heavyInputs(quick) {
  return [idle, ...folders(quick), ...edits(quick), ...longLines(quick)];
}

/** What a ping takes here beside no work worth the name. @type {Heavy} */
const idle = {
  what: "nothing heavy: one line, read 50 times",
  tool: "read_many_files",
  args: { paths: Array.from({ length: 50 }, () => "f.md") },
  prepare: (root) => writeFileSync(join(root, "f.md"), "x\n"),
};

/** @param {boolean} quick @returns {readonly Heavy[]} */
function folders(quick) {
  const stars = Array.from({ length: 20_000 }, (_, at) => `*${at}x*`);
  const entries = quick ? 10_000 : 150_000;
  const paths = quick ? 10_000 : 100_000;
  return [
    {
      what: "an ignore line of stars, 60 folders deep",
      tool: "search_files",
      args: { pattern: "x" },
      prepare(root) {
        writeFileSync(join(root, ".gitignore"), `${"**/*a/".repeat(12)}b\n`);
        writeFileSync(join(makeFolder(join(root, ..."a".repeat(60))), "bx"), "x\n");
      },
    },
    {
      what: `20,000 ignore lines × ${entries.toLocaleString("en")} entries`,
      tool: "list_files",
      args: { depth: 2 },
      prepare(root) {
        writeFileSync(join(root, ".gitignore"), stars.join("\n"));
        fill(root, entries, 100);
      },
    },
    {
      what: "20,000 globs",
      tool: "search_files",
      args: { pattern: "x", exclude: stars },
      prepare: (root) => fill(root, 1_000, 10),
    },
    {
      what: `${paths.toLocaleString("en")} paths in one folder, listed`,
      tool: "list_files",
      args: { depth: 2, limit: 5_000 },
      prepare: (root) => fill(root, paths, 1),
    },
    {
      what: `${paths.toLocaleString("en")} names of one folder, sorted`,
      tool: "find_files",
      args: { glob: "*.none" },
      prepare: (root) => fill(root, paths, 1),
    },
  ];
}

/** @param {string} root @param {number} count @param {number} folders */
function fill(root, count, folders) {
  for (let at = 0; at < folders; at++) makeFolder(join(root, `d${at}`));
  for (let at = 0; at < count; at++) writeFileSync(join(root, `d${at % folders}`, `file${at}.txt`), "");
}

/** @param {boolean} quick @returns {readonly Heavy[]} */
function edits(quick) {
  const json = `${'{"key": "value"}\n'.repeat(48_000)}`;
  const dense = quick ? mega : 2 * mega;
  const lines = quick ? 50_000 : 800_000;
  const markdown = quick ? 1 : 10;
  const edit = (/** @type {string} */ old_string, /** @type {string} */ new_string) => ({
    file_path: "f.md",
    edits: [{ old_string, new_string, replace_all: true }],
  });
  return [
    {
      what: "an exact edit of 192,000 places",
      tool: "edit_file",
      hashed: true,
      args: edit('"', "'"),
      prepare: (root) => writeFileSync(join(root, "f.md"), json),
    },
    {
      what: `an exact edit of every unit of ${dense / mega} MB`,
      tool: "edit_file",
      hashed: true,
      args: edit("a", "bc"),
      prepare: (root) => writeFileSync(join(root, "f.md"), "a".repeat(dense)),
    },
    {
      what: `an exact edit of every line of ${dense / mega} MB`,
      tool: "edit_file",
      hashed: true,
      args: edit("a\n", "b\nc\n"),
      prepare: (root) => writeFileSync(join(root, "f.md"), "a\n".repeat(dense / 2)),
    },
    {
      what: `an edit that is nowhere in ${lines.toLocaleString("en")} lines`,
      tool: "edit_file",
      hashed: true,
      args: { file_path: "f.md", edits: [{ old_string: "some text\nthat is not there", new_string: "b" }] },
      prepare: (root) => writeFileSync(join(root, "f.md"), "some other text of a line\n".repeat(lines)),
    },
    {
      what: `a hunk of 2,000 lines on ${lines.toLocaleString("en")} equal ones`,
      tool: "safe_patch",
      hashed: true,
      args: {
        file_path: "f.md",
        unified_diff: `@@ -1,2000 +1,2000 @@\n${" x\n".repeat(1_000)}-y\n+z\n${" x\n".repeat(999)}`,
      },
      prepare: (root) => writeFileSync(join(root, "f.md"), "x\n".repeat(lines)),
    },
    {
      what: `a section of ${markdown} MB of Markdown`,
      tool: "update_section",
      hashed: true,
      args: { file_path: "f.md", section_header: "## A", new_content: "new" },
      prepare: (root) =>
        writeFileSync(
          join(root, "f.md"),
          `# T\n\n## A\n\nold\n\n${"## B\n\nSome *words* of a paragraph.\n\n".repeat(markdown * 28_000)}`,
        ),
    },
    {
      what: "a section of 1 MiB of Markdown",
      tool: "update_section",
      hashed: true,
      args: { file_path: "f.md", section_header: "## A", new_content: "new" },
      prepare: (root) =>
        writeFileSync(
          join(root, "f.md"),
          `# T\n\n## A\n\nold\n\n${"## B\n\nSome *words* of a paragraph.\n\n".repeat(28_000)}`,
        ),
    },
  ];
}

/** @param {boolean} quick @returns {readonly Heavy[]} */
function longLines(quick) {
  const bytes = quick ? 5 * mega : 50 * mega;
  const size = `${bytes / mega} MB in one line`;
  const long = (/** @type {string} */ root) => writeFileSync(join(root, "f.md"), "ab".repeat(bytes / 2));
  const file_path = "f.md";
  const huge = quick ? 25 * mega : 1_000 * mega;
  return [
    { what: `${size}, read`, tool: "read_file", args: { file_path }, prepare: long },
    { what: `${size}, searched`, tool: "search_files", args: { pattern: "(a|b)*c" }, prepare: long },
    {
      what: `${size}, one place edited`,
      tool: "edit_file",
      hashed: true,
      args: { file_path, edits: [{ old_string: "abc", new_string: "x" }] },
      prepare: (root) => writeFileSync(join(root, "f.md"), `${"ab".repeat(bytes / 2)}c`),
    },
    {
      what: `${size}, every place edited`,
      tool: "edit_file",
      hashed: true,
      args: { file_path, edits: [{ old_string: "ab", new_string: "xyz", replace_all: true }] },
      prepare: long,
    },
    {
      what: `${size}, appended to`,
      tool: "append_to_file",
      args: { file_path, content: "x\n" },
      prepare: long,
    },
    {
      what: `${size}, text put before it`,
      tool: "prepend_to_file",
      args: { file_path, content: "x\n" },
      prepare: long,
    },
    {
      what: `${size}, an append taken back`,
      tool: "undo_edit",
      first: { tool: "append_to_file", args: { file_path, content: "x\n" } },
      args: { file_path },
      prepare: long,
    },
    {
      what: `${size}, overwritten`,
      tool: "write_file",
      hashed: true,
      args: { file_path, content: "x\n" },
      prepare: long,
    },
    setOfFive(quick),
    {
      what: `${huge / mega} MB, lines from the middle`,
      tool: "read_file",
      args: { file_path, offset: 1, limit: 10 },
      prepare(root) {
        const fd = openSync(join(root, "f.md"), "w");
        ftruncateSync(fd, huge);
        closeSync(fd);
      },
    },
  ];
}

/** @param {boolean} quick @returns {Heavy} */
function setOfFive(quick) {
  const megabytes = quick ? 2 : 10;
  const text = `${"some words of a line\n".repeat((megabytes * mega) / 21)}end\n`;
  const base_content_sha256 = createHash("sha256").update(text).digest("hex");
  const names = Array.from({ length: 5 }, (_, at) => `${at}.md`);
  const edits = [{ old_string: "line\nend\n", new_string: "other end\n" }];
  return {
    what: `a change set of 5 × ${megabytes} MB`,
    tool: "apply_changes",
    args: { changes: names.map((file_path) => ({ file_path, base_content_sha256, edits })) },
    prepare(root) {
      for (const name of names) writeFileSync(join(root, name), text);
    },
  };
}
