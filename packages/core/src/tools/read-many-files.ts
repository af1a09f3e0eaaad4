import * as z from "zod";
import { defineTool, fileIntent, readOnlyAnnotations, refuseArguments } from "./tool.js";

export const readManyFiles = defineTool({
  name: "read_many_files",
  title: "Read many files",
  description: `Reads the content of multiple files and returns each with a session-unique version number and the SHA-256 hash of its bytes, as \`read_file\` does. This versioned data is required for safely modifying files.

A file that cannot be read does not fail the others; what was left out for its size is listed.`,
  parameters: z.object({
    paths: z.array(z.string().min(1)).exactOptional().describe("Paths of files"),
    globs: z.array(z.string().min(1)).exactOptional().describe("Patterns such as src/**/*.ts"),
    exclude: z.array(z.string().min(1)).exactOptional().describe("Patterns to leave out"),
  }),
  annotations: readOnlyAnnotations,
  intent: (args) =>
    (args.paths ?? []).length + (args.globs ?? []).length === 0
      ? refuseArguments("read_many_files needs paths or globs: name at least one file.")
      : fileIntent({ kind: "read_many", ...args }),
});
