import * as z from "zod";
import { defineTool, fileIntent, readOnlyAnnotations } from "./tool.js";

/** What one answer can hold; the listing says that there are more. */
const mostEntries = 5_000;

export const listFiles = defineTool({
  name: "list_files",
  title: "List files",
  description:
    "Lists what a folder holds: one entry a line, the size in bytes after a file's name, `/` at the end of a folder's. What the ignore files leave out is not listed. A listing is no read: before changing a file, read it.",
  parameters: z.object({
    path: z.string().min(1).exactOptional().describe("Folder; the workspace's root unless given"),
    depth: z.int().min(1).exactOptional().describe("Levels to go down; 1 unless given"),
    limit: z.int().min(1).exactOptional().describe("Entries at most; 1000 unless given"),
  }),
  annotations: readOnlyAnnotations,
  intent: (args) => fileIntent({ kind: "list", ...args, limit: Math.min(args.limit ?? 1_000, mostEntries) }),
});
