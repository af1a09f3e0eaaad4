import * as z from "zod";
import { after } from "../tool/parameters.js";
import { defineTool, fileIntent, readOnlyAnnotations } from "../tool/tool.js";

export const findFiles = defineTool({
  name: "find_files",
  title: "Find files",
  description:
    "Finds files by a glob such as `src/**/*.ts`; one without a slash means names in every folder. One path a line, with its size in bytes. What the ignore files leave out is not found. It is no read: before changing a file, read it.",
  parameters: z.object({
    glob: z.string().min(1).describe("Counted from path: * ? [a-z] {a,b} within a name, ** across folders"),
    path: z.string().min(1).exactOptional().describe("Folder to look in; the workspace's root unless given"),
    exclude: z.array(z.string().min(1)).exactOptional().describe("Globs to leave out"),
    limit: z.int().min(1).exactOptional().describe("Files at most; 1000 unless given"),
    after,
    ignored: z.boolean().exactOptional(),
  }),
  annotations: readOnlyAnnotations,
  intent: ({ ignored: all = false, ...args }) => fileIntent({ kind: "find", ...args, all }),
});
