import * as z from "zod";
import { after } from "../tool/parameters.js";
import { defineTool, fileIntent, readOnlyAnnotations, unlisted } from "../tool/tool.js";

const mostContext = 20;

export const searchFiles = defineTool({
  name: "search_files",
  title: "Search files",
  description: `Searches the lines of text files. No hash: a search is no read.`,
  parameters: z.object({
    pattern: z.string().min(1).describe("RE2 expression, or plain text with literal"),
    path: z.string().min(1).exactOptional(),
    type: z.string().min(1).exactOptional().describe("Such as ts or md").meta(unlisted),
    glob: z.string().min(1).exactOptional().describe("Such as src/**/*.ts"),
    exclude: z.array(z.string().min(1)).exactOptional(),
    literal: z.boolean().exactOptional(),
    ignore_case: z.boolean().exactOptional(),
    output: z.enum(["lines", "files", "counts"]).exactOptional(),
    context: z.int().min(0).exactOptional(),
    limit: z.int().min(1).exactOptional(),
    after,
    ignored: z.boolean().exactOptional(),
  }),
  annotations: readOnlyAnnotations,
  intent: ({ glob, type, ignore_case, ignored: all = false, ...args }) =>
    fileIntent({
      kind: "search",
      ...args,
      all,
      context: Math.min(args.context ?? 0, mostContext),
      ...(glob === undefined ? {} : { globs: [glob] }),
      ...(type === undefined ? {} : { types: [type] }),
      ...(ignore_case === undefined ? {} : { ignoreCase: ignore_case }),
    }),
});
