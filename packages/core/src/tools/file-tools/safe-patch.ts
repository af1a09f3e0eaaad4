import * as z from "zod";
import { encoding, filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

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
