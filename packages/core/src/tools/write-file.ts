import * as z from "zod";
import { encoding, filePath } from "./parameters.js";
import { defineTool, fileIntent } from "./tool.js";

export const writeFile = defineTool({
  name: "write_file",
  title: "Write file",
  description: `Writes content to a file. This tool is for creating new files or completely overwriting existing ones; to change a part, use \`safe_patch\`, \`edit_file\` or \`append_to_file\`.

Usage protocol:
1. **To create a new file:** give \`file_path\` and \`content\`. Do not provide a \`base_content_sha256\`. Missing folders are made.
2. **To overwrite an existing file:** you **MUST** first have the latest versioned content of the file (from \`read_file\` or a previous tool call) and **MUST** give the \`sha256\` from that version as \`base_content_sha256\`. This prevents accidental overwrites of files that have changed.
3. Writing to an existing path without \`base_content_sha256\` fails as a safety measure.`,
  parameters: z.object({
    file_path: filePath,
    content: z.string().describe("The whole new content"),
    base_content_sha256: z
      .string()
      .exactOptional()
      .describe("The sha256 of the version that is overwritten; leave it out for a new file"),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { write: "write_file" },
  intent: ({ file_path, content, base_content_sha256, ...options }) => {
    const base = base_content_sha256 === undefined ? {} : { base: base_content_sha256 };
    return fileIntent({ kind: "write", path: file_path, content, tool: "write_file", ...base, ...options });
  },
});
