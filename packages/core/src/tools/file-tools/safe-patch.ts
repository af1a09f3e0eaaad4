import * as z from "zod";
import { encoding, filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const safePatch = defineTool({
  name: "safe_patch",
  title: "Patch file",
  description: `Applies a unified diff to one file, for many places or moved code; else use \`edit_file\`. Several changes: one call, or parallel calls with the same hash. \`dry_run: true\`, in every writing tool, only shows the diff.

1. Use the latest version in your context, by its **highest version number**. If there is none, you **MUST** call \`read_file\` or \`read_many_files\` first.
2. Give three lines of unchanged context around each change, copied exactly. Line numbers may be wrong; a hunk that fits several places is refused.
3. You **MUST** give that version's \`sha256\` as \`base_content_sha256\`. It acts as a lock: if others changed the file, the answer holds its latest state; patch that, without another read.`,
  parameters: z.object({
    file_path: filePath,
    unified_diff: z.string(),
    base_content_sha256: z.string().describe("sha256 of the version you see"),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { patch: "safe_patch" },
  intent: ({ file_path, unified_diff, base_content_sha256, ...options }) => {
    const request = { path: file_path, diff: unified_diff, base: base_content_sha256, tool: "safe_patch" };
    return fileIntent({ kind: "patch", ...request, ...options });
  },
});
