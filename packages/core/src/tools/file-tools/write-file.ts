import * as z from "zod";
import { encoding, filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const writeFile = defineTool({
  name: "write_file",
  title: "Write file",
  description: `For creating new files or completely overwriting existing ones; for a part, use \`edit_file\` or \`append_to_file\`.

1. **To create a new file:** Do not provide a \`base_content_sha256\`.
2. **To overwrite:** you **MUST** first have the latest versioned content, all of it, and give its \`sha256\`; without, the call fails as a safety measure.`,
  parameters: z.object({
    file_path: filePath,
    content: z.string(),
    base_content_sha256: z.string().exactOptional(),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { write: "write_file" },
  intent: ({ file_path, content, base_content_sha256, ...options }) => {
    const base = base_content_sha256 === undefined ? {} : { base: base_content_sha256 };
    return fileIntent({ kind: "write", path: file_path, content, tool: "write_file", ...base, ...options });
  },
});
