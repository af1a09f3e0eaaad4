import * as z from "zod";
import { encoding, filePath } from "../tool/parameters.js";
import { defineTool, fileIntent } from "../tool/tool.js";

export const insertLines = defineTool({
  name: "insert_lines",
  title: "Insert lines",
  description:
    "Inserts whole lines after a line of a file. A line number is only as good as the state that it counts in: give the `sha256` of the version that you counted in as `base_content_sha256`; if the file has changed since, nothing is written and the answer holds its latest state.",
  parameters: z.object({
    file_path: filePath,
    after_line: z.int().min(0).describe("Line after which to insert, counted from 1; 0 inserts at the top"),
    content: z.string().describe("The lines; a missing newline at the end is added"),
    base_content_sha256: z.string().describe("The sha256 that came with the version the line was counted in"),
    encoding,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  words: { insert: "insert_lines" },
  intent: ({ file_path, after_line, base_content_sha256, ...request }) => {
    const place = { path: file_path, afterLine: after_line, base: base_content_sha256, tool: "insert_lines" };
    return fileIntent({ kind: "insert_lines", ...place, ...request });
  },
});
