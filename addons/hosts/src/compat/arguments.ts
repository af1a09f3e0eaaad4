import * as z from "zod";

/** The arguments of the official server's tools; what else a client adds is dropped. */
const path = z.string();
const excludePatterns = z.array(z.string()).optional();
const lines = z.int().min(1).optional();
const edit = z.object({
  oldText: z.string().describe("Text to be replaced, exactly as it stands in the file, and only once"),
  newText: z.string().describe("Text to stand there instead"),
});

const readText = z.object({
  path,
  tail: lines.describe("Only the last lines, this many"),
  head: lines.describe("Only the first lines, this many"),
});

export const compatArguments = {
  read_file: readText,
  read_text_file: readText,
  read_media_file: z.object({ path }),
  read_multiple_files: z.object({ paths: z.array(z.string()).min(1).describe("Paths of the files") }),
  write_file: z.object({ path, content: z.string() }),
  edit_file: z.object({
    path,
    edits: z.array(edit),
    dryRun: z.boolean().optional().describe("Only show the change, as a diff"),
  }),
  create_directory: z.object({ path }),
  list_directory: z.object({ path }),
  list_directory_with_sizes: z.object({
    path,
    sortBy: z.enum(["name", "size"]).optional().describe("By name unless given"),
  }),
  directory_tree: z.object({ path, excludePatterns }),
  move_file: z.object({ source: z.string(), destination: z.string() }),
  search_files: z.object({ path, pattern: z.string(), excludePatterns }),
  get_file_info: z.object({ path }),
  list_allowed_directories: z.object({}),
} as const;

/** A tool of the official filesystem server. */
export type CompatToolName = keyof typeof compatArguments;
/** The arguments of a tool as its schema reads them. */
export type CompatArguments<Name extends CompatToolName> = z.output<(typeof compatArguments)[Name]>;
