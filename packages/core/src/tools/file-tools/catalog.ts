import * as z from "zod";
import {
  type ContentChange,
  type FileChange,
  isRefusal,
  type Refusal,
  refuse,
} from "../../files/values/index.js";
import { clip, counted } from "../../text/index.js";
import { encoding, exactEdit, filePath, readEdit } from "../tool/parameters.js";
import {
  type ArgumentRefusal,
  defineTool,
  type FileIntent,
  type FileTool,
  fileIntent,
  refuseArguments,
} from "../tool/tool.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";
import { memoryWords } from "./anthropic-words.js";
import {
  appendToFile,
  applyEdit,
  editFile,
  insertLines,
  prependToFile,
  safePatch,
  undoEdit,
  updateSection,
  writeFile,
} from "./changing-tools.js";
import { copyFile, deleteFile, moveFile, moveLines } from "./moving-tools.js";
import { findFiles, listFiles, readFile, readManyFiles, searchFiles } from "./reading-tools.js";
import {
  commandWords,
  create,
  editorParameters,
  insert,
  strReplace,
  strReplaceBasedEditTool,
  view,
} from "./text-editor.js";
import { factOf, framed, type Outcome, spokenOf } from "./vendor-words.js";

/** What the model calls the folder; in the workspace it is `memories`, in the first root. */
const folder = "/memories";

const ownFolder = "memories";

/** Anthropic's memory, on our core: one folder that an agent keeps for itself. */
const memory = defineTool({
  name: "memory",
  title: "Memory",
  description: `Keeps notes in files under ${folder} that outlast this conversation. \`view\` the folder first to see what is there. Notes may be edited (\`str_replace\`) without being viewed; \`create\` makes new notes only; \`insert\`, \`delete\` and \`rename\` need a view of the note's latest state.`,
  parameters: z.object({
    command: z.enum(["view", "create", "str_replace", "insert", "delete", "rename"]),
    path: z.string().exactOptional().describe(`Path under ${folder}`),
    ...editorParameters,
    new_str: z.string().optional().describe("New text for str_replace"),
    old_path: z.string().exactOptional().describe("For rename"),
    new_path: z.string().exactOptional().describe("For rename"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  fileAt: (path) => path.replace(/^\/+/, ""),
  words: commandWords,
  spoken: memoryWords,
  intent(args) {
    const name = args.command === "rename" ? "old_path" : "path";
    const path = args[name] === undefined ? undefined : within(args[name]);
    if (path === undefined) return refuseArguments(`The command ${args.command} needs ${name}.`, folder);
    if (isRefusal(path)) return barred(path, args[name]);
    if (path.path === ownFolder && (args.command === "delete" || args.command === "rename"))
      return refuse("invalid_arguments", `Cannot ${args.command} the ${folder} directory itself`);
    const call = { path: path.path, tool: "memory", atomic: true, within: ownFolder };
    switch (args.command) {
      case "view":
        return path.path === ownFolder ? viewAll : view(call, args.view_range);
      case "create":
        return create({ ...call, overwrites: false }, args.file_text);
      case "str_replace":
        return strReplace(call, args.old_str, args.new_str);
      case "insert":
        return insert(call, args.insert_line, args.insert_text);
      case "delete":
        return changeAll({ path: call.path, content: { kind: "delete", mustExist: true } });
      case "rename":
        return rename(call.path, args.new_path);
      default:
        return args.command satisfies never;
    }
  },
});

/** The folder itself is there from the beginning, as far as a model can tell. */
const viewAll = fileIntent({ kind: "list", path: ownFolder, depth: 2, orEmpty: true });

function rename(path: string, to: string | undefined): FileIntent | ArgumentRefusal {
  const target = to === undefined ? undefined : within(to);
  if (target === undefined) return refuseArguments("The command rename needs new_path.", path);
  if (isRefusal(target)) return barred(target, to);
  return changeAll({ path, renameTo: target.path, content: { kind: "same" } });
}

/**
 * A deletion or a rename of a state that the caller was shown: the schema has no place for its hash. Of a folder all
 * that is in it, although the caller may have been shown nothing but names: it is asked for as a whole, and undone so.
 */
function changeAll(change: FileChange): FileIntent {
  const changes: readonly FileChange[] = [
    { ...change, hashless: true, wholeFolder: true, within: ownFolder },
  ];
  return fileIntent({ kind: "apply_changes", changes, tool: "memory" }, { oneFile: true });
}

/** The path in the workspace; a path that is not below the folder, or climbs at all, is refused. */
function within(given: string): { readonly kind: "within"; readonly path: string } | Refusal {
  const parts = given.replace(/\/+$/, "").split("/");
  const inside = parts[0] === "" ? parts.slice(1) : parts;
  if (inside[0] !== ownFolder || inside.some((part) => part === ".." || part === "."))
    return refuse("outside_workspace", `Memory is only what lies under ${folder}; the path leads elsewhere.`);
  return { kind: "within", path: inside.join("/") };
}

function barred(refusal: Refusal, path: string | undefined): ArgumentRefusal {
  return path === undefined ? refusal : { ...refusal, path };
}

/** Gemini CLI's tool, on our core. */
const replace = defineTool({
  name: "replace",
  title: "Replace text",
  description: `Replaces text in a file. The file must have been read in this session, and not changed since.

\`old_string\` must be the exact literal text to replace, with enough lines around it to be unique; \`expected_replacements\` says how many occurrences there are if it is not one. An empty \`old_string\` creates the file. If the text is not found, the answer shows where it nearly stands; correct old_string from that.`,
  parameters: z.object({
    file_path: filePath,
    old_string: z.string().describe("Exact literal text to replace; empty to create a file"),
    new_string: z.string().describe("Exact literal text to put in its place"),
    expected_replacements: z.int().min(1).exactOptional().describe("Number of occurrences; 1 unless given"),
    instruction: z.string().exactOptional().describe("What the change is for"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { edit: "replace" },
  spoken: replaceWords,
  intent: ({ file_path, old_string, new_string, expected_replacements }) =>
    fileIntent({
      kind: "replace",
      path: file_path,
      oldString: old_string,
      newString: new_string,
      ...(expected_replacements === undefined ? {} : { expectedReplacements: expected_replacements }),
      tool: "replace",
    }),
});

/** The arguments that Gemini CLI's sentences repeat. */
interface ReplaceArguments {
  readonly file_path: string;
  readonly old_string: string;
  readonly expected_replacements?: number;
}

/**
 * Gemini CLI's words for the answer to its `replace`; undefined where it has none, such as for a file that changed
 * behind the model's back. The texts are those of `@google/gemini-cli` 0.61; what it says of its `allow_multiple` is
 * said of `expected_replacements`, which the tool here has. Where the text nearly stands is told after them.
 */
function replaceWords(
  { file_path: path, old_string, expected_replacements: expected = 1 }: ReplaceArguments,
  result: ToolResult,
): Spoken | undefined {
  return spokenOf(result, (outcome) => {
    const done =
      old_string === ""
        ? `Created new file: ${path} with provided content.`
        : `Successfully modified file: ${path} (${expected} replacements).`;
    return {
      ...(outcome.kind === "written" ? { done: framed(done) } : {}),
      file_missing: framed(`File not found: ${path}`),
      exists: framed(`File already exists, cannot create: ${path}`),
      not_found: framed(`Could not find an exact match for 'old_string' in '${path}'.`),
      occurrence_mismatch: framed(wrongCount(outcome, path, expected)),
      equal_strings: framed(
        `No changes to apply. The old_string and new_string are identical in file: ${path}`,
      ),
    };
  });
}

function wrongCount(outcome: Outcome, path: string, expected: number): string {
  const count = factOf(outcome, "count");
  const wanted = `Expected ${counted(expected, "occurrence")}`;
  const several = `If you intended to replace multiple occurrences, set 'expected_replacements' to ${count}.`;
  return `Failed to edit, ${wanted} but found ${count} for old_string in file: ${path}. ${several}`;
}

const { file_text, old_str, insert_line } = editorParameters;

const { write, edit, insert: inserting } = commandWords;

/** Amazon Q's tool, on our core. */
const fsWrite = defineTool({
  name: "fs_write",
  title: "Write file",
  description:
    "Creates and edits files. `create` overwrites only a file that was read in this session. `str_replace` needs an old_str that stands exactly once, in a file that was read. `insert` puts whole lines after insert_line. `append` adds new_str to the end, exactly.",
  parameters: z.object({
    command: z.enum(["create", "str_replace", "insert", "append"]),
    path: filePath,
    file_text,
    old_str,
    new_str: z.string().optional().describe("New text for str_replace, insert or append"),
    insert_line,
    summary: z.string().exactOptional().describe("What the change is for"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  words: { write, edit, insert: inserting, append: "the command append" },
  spoken: fsWriteWords,
  intent(args) {
    const call = { path: args.path, tool: "fs_write" };
    switch (args.command) {
      case "create":
        return create(call, args.file_text);
      case "str_replace":
        return strReplace(call, args.old_str, args.new_str);
      case "insert":
        return insert(call, args.insert_line, args.new_str, "new_str");
      case "append":
        return args.new_str === undefined
          ? refuseArguments("The command append needs new_str.", args.path)
          : fileIntent({ kind: "append", ...call, content: args.new_str }, { quiet: true });
      default:
        return args.command satisfies never;
    }
  },
});

/** The arguments that Amazon Q's sentences repeat. */
interface FsWriteArguments {
  readonly command: string;
  readonly old_str?: string | undefined;
}

/**
 * Amazon Q's words for the answer to its `fs_write`: two refusals. Its successes say nothing at all, and ours say
 * which state is there now.
 */
function fsWriteWords({ command, old_str = "" }: FsWriteArguments, result: ToolResult): Spoken | undefined {
  if (command !== "str_replace") return undefined;
  return spokenOf(result, (outcome) => ({
    not_found: framed(`no occurrences of "${clip(old_str, 1_000)}" were found`),
    occurrence_mismatch: framed(
      `${factOf(outcome, "count")} occurrences of old_str were found when only 1 is expected`,
    ),
  }));
}

const change = z.object({
  file_path: filePath,
  base_content_sha256: z
    .string()
    .exactOptional()
    .describe("The sha256 of the version that is changed; only for a new file leave it out"),
  unified_diff: z.string().exactOptional(),
  edits: z.array(exactEdit).exactOptional().describe("Exact replacements, one after the other"),
  content: z.string().exactOptional().describe("The whole new content"),
  delete: z.boolean().exactOptional(),
  rename_to: z
    .string()
    .exactOptional()
    .describe("The new path; alone, or with one of unified_diff, edits, content"),
  encoding,
});

const applyChanges = defineTool({
  name: "apply_changes",
  title: "Apply changes",
  several: true,
  description: `Changes several files together: all changes are made, or none. Use it where files have to change at the same time; for one file use \`safe_patch\`.

Usage protocol:
1. Give \`changes\`, one for each file, each with exactly one of \`unified_diff\`, \`edits\`, \`content\`, \`delete\` (or \`rename_to\`, alone or with one of the first three). Name each file once.
2. Each change of an existing file **MUST** give the \`sha256\` of its latest version as \`base_content_sha256\`. A new file needs none.
3. If one change is refused, nothing is written; the answer says which ones were the reason and gives their latest states. Correct those and send the whole set again.

Instead of \`changes\` you may give one \`unified_diff\` of several files and \`bases\`, the sha256 of each file by its path in the diff.`,
  parameters: z.object({
    changes: z.array(change).exactOptional(),
    unified_diff: z.string().exactOptional().describe("A diff of several files, instead of changes"),
    bases: z.record(z.string(), z.string()).exactOptional().describe("With unified_diff: sha256 by path"),
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { changes: "apply_changes" },
  intent({ changes, unified_diff, bases }) {
    if ((changes === undefined) === (unified_diff === undefined))
      return refuseArguments("Give either changes or unified_diff with bases.");
    const asked = { kind: "apply_changes", tool: "apply_changes" } as const;
    if (changes === undefined)
      return fileIntent({ ...asked, diff: unified_diff ?? "", bases: bases ?? {}, modes: "keep" });
    const wanted: FileChange[] = [];
    for (const [at, given] of changes.entries()) {
      const read = readChange(given);
      if (isRefusal(read)) return refuseArguments(`changes[${at}]: ${read.message}`);
      wanted.push(read);
    }
    return fileIntent({ ...asked, changes: wanted });
  },
});

type Given = z.output<typeof change>;

function readChange(given: Given): FileChange | Refusal {
  const contents = contentsOf(given);
  const [content = { kind: "same" } as const] = contents;
  const renameTo = given.rename_to === "" ? undefined : given.rename_to;
  if (contents.length > 1 || (contents.length === 0 && renameTo === undefined))
    return refuse(
      "invalid_arguments",
      "a change has exactly one of unified_diff, edits, content and delete, or rename_to.",
    );
  const base = given.base_content_sha256 === "" ? undefined : given.base_content_sha256;
  return {
    path: given.file_path,
    content,
    ...(base === undefined ? {} : { base }),
    ...(renameTo === undefined ? {} : { renameTo }),
    ...(given.encoding === undefined ? {} : { encoding: given.encoding }),
  };
}

function contentsOf({ unified_diff, edits, content, delete: gone }: Given): readonly ContentChange[] {
  return [
    ...(unified_diff === undefined ? [] : [{ kind: "diff", diff: unified_diff } as const]),
    ...(content === undefined ? [] : [{ kind: "text", text: content } as const]),
    ...(gone === true ? [{ kind: "delete" } as const] : []),
    ...(edits === undefined ? [] : [{ kind: "edits", edits: edits.map(readEdit) } as const]),
  ];
}

const offered = [
  readFile,
  readManyFiles,
  listFiles,
  searchFiles,
  editFile,
  safePatch,
  writeFile,
  appendToFile,
  updateSection,
  moveFile,
  deleteFile,
  undoEdit,
] as const;

const named = [findFiles, applyChanges, prependToFile, insertLines, moveLines, copyFile] as const;

const dialects = [strReplaceBasedEditTool, memory, replace, fsWrite, applyEdit] as const;

const all = [...offered, ...named, ...dialects] as const;

/** The name of a tool of ours. */
export type ToolName = (typeof all)[number]["name"];

/** A tool of ours. */
export type OwnTool = FileTool<z.ZodRawShape, ToolName>;

/** The tools that are offered unless a host names others, in the order in which every door offers them. */
export const tools: readonly OwnTool[] = offered;

/** Tools as other vendors' models were trained on them, offered instead of ours, never beside them. */
export const dialectTools: readonly OwnTool[] = dialects;

/** Every tool, and so the one list of their names: those that a host has to name come last. */
export const allTools: readonly OwnTool[] = all;

/** The names of all tools, in the same order. */
export const toolNames: readonly ToolName[] = allTools.map(({ name }) => name);

/** Those that change nothing. */
export const readingTools: readonly OwnTool[] = tools.filter((tool) => tool.annotations.readOnly);

/** The tool of this name among all tools, offered or not; undefined where there is none. */
export function findTool(name: string): OwnTool | undefined {
  return allTools.find((tool) => tool.name === name);
}
