import * as z from "zod";
import { fileBase, filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const deleteFile = defineTool({
  name: "delete_file",
  title: "Delete file",
  description: `Deletes a file; \`undo_edit\` brings it back.`,
  parameters: z.object({ file_path: filePath, base_content_sha256: fileBase }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { delete: "delete_file" },
  intent: ({ file_path, base_content_sha256 }) =>
    fileIntent(
      {
        kind: "apply_changes",
        changes: [{ path: file_path, base: base_content_sha256, content: { kind: "delete" } }],
        tool: "delete_file",
      },
      { oneFile: true, quiet: true },
    ),
});
