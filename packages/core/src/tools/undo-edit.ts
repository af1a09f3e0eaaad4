import * as z from "zod";
import { baseOf, filePath, repeatBase } from "./parameters.js";
import { defineTool, fileIntent } from "./tool.js";

export const undoEdit = defineTool({
  name: "undo_edit",
  title: "Undo edit",
  description:
    "Takes back the latest recorded write of a file and returns the state it then has. Each further call goes one step further back; undoing a creation deletes the file. It works only while the disk still holds what that write left; otherwise nothing is changed.",
  parameters: z.object({ file_path: filePath, base_content_sha256: repeatBase }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  intent: ({ file_path, base_content_sha256 }) =>
    fileIntent({ kind: "undo", path: file_path, tool: "undo_edit", ...baseOf(base_content_sha256) }),
});
