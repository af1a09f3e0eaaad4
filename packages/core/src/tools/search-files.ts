import * as z from "zod";
import { defineTool, fileIntent, readOnlyAnnotations } from "./tool.js";

const mostMatches = 1_000;
const mostContext = 20;

export const searchFiles = defineTool({
  name: "search_files",
  title: "Search files",
  description:
    "Searches the lines of text files for a regular expression (RE2: no back references, no lookaround). Gives paths, line numbers and snippets without version or hash: a search is no read. Before changing a file, read it.",
  parameters: z.object({
    pattern: z.string().min(1).describe("Regular expression, or plain text with literal"),
    path: z.string().min(1).exactOptional().describe("Folder or file; the workspace's root unless given"),
    type: z.string().min(1).exactOptional().describe("Only files of this type, such as ts, py or md"),
    glob: z.string().min(1).exactOptional().describe("Only files of this form, such as *.ts or src/**/*.py"),
    exclude: z.array(z.string().min(1)).exactOptional().describe("Globs to leave out"),
    literal: z.boolean().exactOptional(),
    ignore_case: z.boolean().exactOptional(),
    output: z
      .enum(["lines", "files", "counts"])
      .exactOptional()
      .describe("Matching lines, only the names of their files, or their number by file"),
    context: z.int().min(0).exactOptional().describe("Lines to show around a match; 0 unless given"),
    limit: z.int().min(1).exactOptional().describe("Matches at most; 100 unless given"),
  }),
  annotations: readOnlyAnnotations,
  intent: ({ glob, type, ignore_case, ...args }) =>
    fileIntent({
      kind: "search",
      ...args,
      limit: Math.min(args.limit ?? 100, mostMatches),
      context: Math.min(args.context ?? 0, mostContext),
      ...(glob === undefined ? {} : { globs: [glob] }),
      ...(type === undefined ? {} : { types: [type] }),
      ...(ignore_case === undefined ? {} : { ignoreCase: ignore_case }),
    }),
});
