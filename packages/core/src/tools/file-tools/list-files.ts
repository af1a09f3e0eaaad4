import * as z from "zod";
import { after } from "../tool/parameters.js";
import { defineTool, fileIntent, readOnlyAnnotations } from "../tool/tool.js";

export const listFiles = defineTool({
  name: "list_files",
  title: "List files",
  description: `Lists a folder: files with sizes in bytes, folders with \`/\`.`,
  parameters: z.object({
    path: z.string().min(1).exactOptional(),
    depth: z.int().min(1).exactOptional().describe("Default 1"),
    limit: z.int().min(1).exactOptional(),
    after,
    ignored: z.boolean().exactOptional(),
  }),
  annotations: readOnlyAnnotations,
  intent: ({ ignored: all = false, ...args }) => fileIntent({ kind: "list", ...args, all }),
});
