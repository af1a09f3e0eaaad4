import * as z from "zod";
import { baseOf, filePath, repeatBase } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const undoEdit = defineTool({
  name: "undo_edit",
  title: "Undo edit",
  description: `Takes back the latest write of a file; each call one more.`,
  parameters: z.object({ file_path: filePath, base_content_sha256: repeatBase }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  intent: ({ file_path, base_content_sha256 }) =>
    fileIntent({ kind: "undo", path: file_path, tool: "undo_edit", ...baseOf(base_content_sha256) }),
});
