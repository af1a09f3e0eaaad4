import * as z from "zod";
import { encoding, filePath } from "./parameters.js";
import { defineTool, fileIntent } from "./tool.js";

export const safePatch = defineTool({
  name: "safe_patch",
  title: "Patch file",
  description: `Applies a set of changes to a file using a unified diff patch. This is the preferred tool for all file modifications; several changes to one file go as several hunks into one call.

Usage protocol:
1. You must operate on the latest version of the file available in your context. Identify it by the **highest version number**.
2. If no versioned content is available, you **MUST** call \`read_file\` or \`read_many_files\` first to get it.
3. In \`unified_diff\` you **MUST** include at least 10 lines of unchanged context around each change (as \`diff -U 10\` does), where the file has them, copied exactly. Hunks are placed by their lines; wrong line numbers are put right, a hunk that fits several places is refused.
4. You **MUST** give the \`sha256\` that was returned with that version as \`base_content_sha256\`. This hash acts as a lock: the operation fails if the file has been modified since you read it, and the answer then holds the latest state; make the patch again from that, without another read.

To create a file, give a diff from /dev/null and the SHA-256 of empty content (e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855).`,
  parameters: z.object({
    file_path: filePath,
    unified_diff: z.string().describe("The changes as a unified diff of this one file"),
    base_content_sha256: z.string().describe("The sha256 that came with the version the diff was made from"),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { patch: "safe_patch" },
  intent: ({ file_path, unified_diff, base_content_sha256, ...options }) => {
    const request = { path: file_path, diff: unified_diff, base: base_content_sha256, tool: "safe_patch" };
    return fileIntent({ kind: "patch", ...request, ...options });
  },
});
