import * as z from "zod";
import type { ExactEdit } from "../../files/values/index.js";
import {
  anyEdit,
  baseOf,
  encoding,
  filePath,
  optionalBase,
  readEdit,
  readLineEdits,
  repeatBase,
} from "../tool/parameters.js";
import { defineTool, fileIntent, refuseArguments, unlisted } from "../tool/tool.js";

const what = `Replaces exact text: the first choice to change a specific value. Read the file first, or give the \`sha256\` of the version you see. \`old_string\` must match exactly, whitespace included, and be unique.`;

export const editFile = defineTool({
  name: "edit_file",
  title: "Edit file",
  description: `${what}

Several changes: one call with all (in order, all or none), or parallel calls with the same hash.`,
  parameters: z.object({
    file_path: filePath,
    edits: z.array(anyEdit).min(1),
    base_content_sha256: optionalBase,
    encoding,
  }),
  flat: {
    description: `${what}

Several changes: parallel calls with the same hash.`,
    parameters: z.object({ file_path: filePath, ...anyEdit.shape, base_content_sha256: optionalBase }),
  },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { edit: "edit_file" },
  intent: ({ file_path, edits, base_content_sha256, ...options }) => {
    const rest = { tool: "edit_file", ...baseOf(base_content_sha256), ...options };
    const lines = readLineEdits(edits);
    if (typeof lines === "string") return refuseArguments(lines, file_path);
    if (lines !== undefined)
      return fileIntent({ kind: "edit_lines", path: file_path, edits: lines, ...rest });
    const exact: ExactEdit[] = [];
    for (const [at, { old_string, ...edit }] of edits.entries()) {
      if (old_string === undefined)
        return refuseArguments(`edits[${at}] needs old_string or lines.`, file_path);
      exact.push(readEdit({ ...edit, old_string }));
    }
    return fileIntent({ kind: "edit", path: file_path, edits: exact, ...rest });
  },
});

export const safePatch = defineTool({
  name: "safe_patch",
  title: "Patch file",
  description: `Applies a unified diff to one file, for many places; else use \`edit_file\`. Several changes: one call, or parallel calls with the same hash.

1. Patch the **highest version number** in your context. If there is none, you **MUST** call \`read_file\` or \`read_many_files\` first.
2. Give three lines of unchanged context, copied exactly. Line numbers may be wrong.
3. Give that version's \`sha256\` as \`base_content_sha256\`. It acts as a lock: if others changed these lines, patch the state in the answer.`,
  parameters: z.object({
    file_path: filePath,
    unified_diff: z.string(),
    base_content_sha256: z.string(),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { patch: "safe_patch" },
  intent: ({ file_path, unified_diff, base_content_sha256, ...options }) => {
    const request = { path: file_path, diff: unified_diff, base: base_content_sha256, tool: "safe_patch" };
    return fileIntent({ kind: "patch", ...request, ...options });
  },
});

export const writeFile = defineTool({
  name: "write_file",
  title: "Write file",
  description: `For creating new files or completely overwriting existing ones; for a part, use \`edit_file\` or \`append_to_file\`.

1. **To create a new file:** Do not provide a \`base_content_sha256\`.
2. **To overwrite:** you **MUST** first have the latest versioned content, all of it, and give its \`sha256\`; without, the call fails as a safety measure.`,
  parameters: z.object({
    file_path: filePath,
    content: z.string(),
    base_content_sha256: z.string().exactOptional(),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { write: "write_file" },
  intent: ({ file_path, content, base_content_sha256, ...options }) => {
    const base = base_content_sha256 === undefined ? {} : { base: base_content_sha256 };
    return fileIntent({ kind: "write", path: file_path, content, tool: "write_file", ...base, ...options });
  },
});

export const appendToFile = defineTool({
  name: "append_to_file",
  title: "Append to file",
  description: `Adds an entry to the end of a file, exactly as given. No read is needed; a missing file is created.`,
  parameters: z.object({
    file_path: filePath,
    content: z.string(),
    base_content_sha256: repeatBase,
    encoding,
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  words: { append: "append_to_file" },
  intent: ({ file_path, base_content_sha256, ...options }) => {
    const request = { path: file_path, tool: "append_to_file", ...baseOf(base_content_sha256), ...options };
    return fileIntent({ kind: "append", ...request }, { quiet: true });
  },
});

export const prependToFile = defineTool({
  name: "prepend_to_file",
  title: "Prepend to file",
  description:
    "Adds content to the beginning of a file, exactly as given; end it with a newline to keep the old first line apart. The file need not be read, and is not sent back. A missing file is created.",
  parameters: z.object({
    file_path: filePath,
    content: z.string().describe("Text to add"),
    base_content_sha256: repeatBase,
    encoding,
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  words: { prepend: "prepend_to_file" },
  intent: ({ file_path, base_content_sha256, ...options }) => {
    const request = { path: file_path, tool: "prepend_to_file", ...baseOf(base_content_sha256), ...options };
    return fileIntent({ kind: "prepend", ...request }, { quiet: true });
  },
});

export const insertLines = defineTool({
  name: "insert_lines",
  title: "Insert lines",
  description:
    "Inserts whole lines after a line of a file. A line number is only as good as the state that it counts in: give the `sha256` of the version that you counted in as `base_content_sha256`; if the file has changed since, nothing is written and the answer holds its latest state.",
  parameters: z.object({
    file_path: filePath,
    after_line: z.int().min(0).describe("Line after which to insert, counted from 1; 0 inserts at the top"),
    content: z.string().describe("The lines; a missing newline at the end is added"),
    base_content_sha256: z.string().describe("The sha256 that came with the version the line was counted in"),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { insert: "insert_lines" },
  intent: ({ file_path, after_line, base_content_sha256, ...request }) => {
    const place = { path: file_path, afterLine: after_line, base: base_content_sha256, tool: "insert_lines" };
    return fileIntent({ kind: "insert_lines", ...place, ...request });
  },
});

export const updateSection = defineTool({
  name: "update_section",
  title: "Update section",
  description: `Replaces what stands under a Markdown heading, up to the next of the same or a higher level. No read is needed.`,
  parameters: z.object({
    file_path: filePath,
    section_header: z.string().min(1).describe('Such as "## Current State"'),
    new_content: z.string().describe("Without the heading"),
    base_content_sha256: optionalBase,
    create: z.boolean().exactOptional().meta(unlisted),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { section: "update_section" },
  intent: ({ file_path, section_header, new_content, base_content_sha256, ...options }) => {
    const section = { path: file_path, sectionHeader: section_header, newContent: new_content };
    const request = { ...section, ...baseOf(base_content_sha256), tool: "update_section", ...options };
    return fileIntent({ kind: "update_section", ...request });
  },
});

/** The tool of fast-apply models; the host gives the applier (`WorkspaceOptions.applier`). */
export const applyEdit = defineTool({
  name: "apply_edit",
  title: "Apply edit",
  description:
    "Changes a file by a sketch: `instructions` say in one sentence what changes, `code_edit` gives the changed lines with `// ... existing code ...` for everything that stays. Another model makes the whole text from it; what was changed comes back, look it over. Read the file first, or give the `sha256` of the version you see.",
  parameters: z.object({
    file_path: filePath,
    instructions: z.string().describe("What the edit does, in one sentence"),
    code_edit: z.string().describe("The changed lines and marks for what stays"),
    base_content_sha256: optionalBase,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  intent: ({ file_path, instructions, code_edit, base_content_sha256 }) => {
    const sketch = { path: file_path, instructions, codeEdit: code_edit, tool: "apply_edit" };
    return fileIntent({ kind: "apply_edit", ...sketch, ...baseOf(base_content_sha256) });
  },
});

export const undoEdit = defineTool({
  name: "undo_edit",
  title: "Undo edit",
  description: `Takes back the latest write of a file; each call one more.`,
  parameters: z.object({ file_path: filePath, base_content_sha256: repeatBase }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  intent: ({ file_path, base_content_sha256 }) =>
    fileIntent({ kind: "undo", path: file_path, tool: "undo_edit", ...baseOf(base_content_sha256) }),
});
