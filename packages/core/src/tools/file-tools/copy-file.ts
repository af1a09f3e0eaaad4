import * as z from "zod";
import { fileBase, filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const copyFile = defineTool({
  name: "copy_file",
  title: "Copy file",
  description: `Copies one file of any kind, in the state that the hash names, with its mode. The target is never overwritten. Of a link its target is copied.`,
  parameters: z.object({
    file_path: filePath,
    to: z.string().min(1).describe("The path of the copy, not a folder"),
    base_content_sha256: fileBase,
  }),
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  intent: ({ file_path: path, to: renameTo, base_content_sha256: base }) => {
    const change = { path, base, renameTo, isCopy: true, content: { kind: "same" } } as const;
    const request = { kind: "apply_changes", changes: [change], tool: "copy_file" } as const;
    return fileIntent(request, { oneFile: true, quiet: true });
  },
});
