import * as z from "zod";
import { baseOf, encoding, exactEdit, filePath, optionalBase, readEdit } from "./parameters.js";
import { defineTool, fileIntent } from "./tool.js";

export const editFile = defineTool({
  name: "edit_file",
  title: "Edit file",
  description: `Replaces exact text in a file, to change a specific value or a few lines; for many changes or moved code use \`safe_patch\`.

1. Read the file first, or give the \`sha256\` of the version you see as \`base_content_sha256\`; an edit of another state is refused.
2. \`old_string\` must match exactly, whitespace included, and be unique: give enough lines around it. \`replace_all\` replaces every occurrence. An empty \`new_string\` deletes.
3. \`edits\` apply in sequence, each sees the result of the one before; all are made or none.`,
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
