import * as z from "zod";
import { baseOf, encoding, filePath, repeatBase } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const prependToFile = defineTool({
  name: "prepend_to_file",
  title: "Prepend to file",
  description:
    "Adds content to the beginning of a file, exactly as given; end it with a newline to keep the old first line apart. The file need not be read, and is not sent back. A missing file is created.",
  parameters: z.object({
    file_path: filePath,
    content: z.string().describe("Text to add"),
    base_content_sha256: repeatBase,
    encoding,
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  words: { prepend: "prepend_to_file" },
  intent: ({ file_path, base_content_sha256, ...options }) => {
    const request = { path: file_path, tool: "prepend_to_file", ...baseOf(base_content_sha256), ...options };
    return fileIntent({ kind: "prepend", ...request }, { quiet: true });
  },
});
