import * as z from "zod";
import type { ExactEdit } from "../../files/index.js";
import {
  anyEdit,
  baseOf,
  encoding,
  filePath,
  optionalBase,
  readEdit,
  readLineEdits,
} from "../tool/parameters.js";
import { defineTool, fileIntent, refuseArguments } from "../tool/tool.js";

export const editFile = defineTool({
  name: "edit_file",
  title: "Edit file",
  description: `Replaces exact text in a file: the first choice to change a specific value or some lines. Read the file first, or give the \`sha256\` of the version you see. \`old_string\` must match exactly, whitespace included, and be unique. An empty \`new_string\` deletes.

Several changes of one file: one call with all (made in order, all or none), or parallel calls with the same hash.`,
  parameters: z.object({
    file_path: filePath,
    edits: z.array(anyEdit).min(1),
    base_content_sha256: optionalBase,
    encoding,
  }),
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
      if (old_string === undefined) return refuseArguments(`edits[${at}].old_string is missing.`, file_path);
      exact.push(readEdit({ ...edit, old_string }));
    }
    return fileIntent({ kind: "edit", path: file_path, edits: exact, ...rest });
  },
});
