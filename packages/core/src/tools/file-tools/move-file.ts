import * as z from "zod";
import { fileBase, filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const moveFile = defineTool({
  name: "move_file",
  title: "Move file",
  description: `Moves or renames a file. Never overwrites; \`undo_edit\` takes it back.`,
  parameters: z.object({
    file_path: filePath,
    to: z.string().min(1).describe("New path, not a folder"),
    base_content_sha256: fileBase,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { move: "move_file", moveTo: "to" },
  intent: ({ file_path, to, base_content_sha256 }) =>
    fileIntent(
      {
        kind: "apply_changes",
        changes: [{ path: file_path, base: base_content_sha256, renameTo: to, content: { kind: "same" } }],
        tool: "move_file",
      },
      { oneFile: true, quiet: true },
    ),
});
