import * as z from "zod";
import { baseOf, encoding, filePath, repeatBase } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const appendToFile = defineTool({
  name: "append_to_file",
  title: "Append to file",
  description: `Adds an entry to the end of a file, exactly as given. No read is needed; a missing file is created.`,
  parameters: z.object({
    file_path: filePath,
    content: z.string(),
    base_content_sha256: repeatBase,
    encoding,
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  words: { append: "append_to_file" },
  intent: ({ file_path, base_content_sha256, ...options }) => {
    const request = { path: file_path, tool: "append_to_file", ...baseOf(base_content_sha256), ...options };
    return fileIntent({ kind: "append", ...request }, { quiet: true });
  },
});
