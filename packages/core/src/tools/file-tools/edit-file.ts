import * as z from "zod";
import { baseOf, encoding, exactEdit, filePath, optionalBase, readEdit } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const editFile = defineTool({
  name: "edit_file",
  title: "Edit file",
  description: `Replaces exact text in a file: the first choice to change a specific value or some lines. Read the file first, or give the \`sha256\` of the version you see. \`old_string\` must match exactly, whitespace included, and be unique. An empty \`new_string\` deletes.

Several changes of one file: one call with all (made in order, all or none), or parallel calls with the same hash.`,
  parameters: z.object({
    file_path: filePath,
    edits: z.array(exactEdit).min(1),
    base_content_sha256: optionalBase,
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { edit: "edit_file" },
  intent: ({ file_path, edits, base_content_sha256, ...options }) => {
    const request = { path: file_path, edits: edits.map(readEdit), tool: "edit_file" };
    return fileIntent({ kind: "edit", ...request, ...baseOf(base_content_sha256), ...options });
  },
});
