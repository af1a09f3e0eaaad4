import * as z from "zod";
import { defineTool, fileIntent, readOnlyAnnotations } from "../tool/tool.js";

/** What one answer can hold; the listing says that there are more. */
const mostEntries = 5_000;

export const listFiles = defineTool({
  name: "list_files",
  title: "List files",
  description: `Lists a folder, one entry a line: size in bytes after a file's name, \`/\` after a folder's. Ignored files are left out.`,
  parameters: z.object({
    path: z.string().min(1).exactOptional(),
    depth: z.int().min(1).exactOptional().describe("Levels; 1 unless given"),
    limit: z.int().min(1).exactOptional(),
  }),
  annotations: readOnlyAnnotations,
  intent: (args) => fileIntent({ kind: "list", ...args, limit: Math.min(args.limit ?? 1_000, mostEntries) }),
});
