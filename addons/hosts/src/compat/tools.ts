import type { ShownLines } from "@holdfast/core/files/seen";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { type JsonSchema, jsonSchema, understand } from "@holdfast/core/tools";
import * as z from "zod";
import { tableOf } from "../table.js";
import { type CompatArguments, type CompatToolName, compatArguments } from "./arguments.js";
import { type AnswerRoom, fitText } from "./fit.js";
import {
  directoryTree,
  getFileInfo,
  listAllowedDirectories,
  listDirectory,
  listDirectoryWithSizes,
  searchFiles,
} from "./listing.js";
import { readMediaFile, readMultipleFiles, readTextFile } from "./reading.js";
import { type CompatAnswer, type CompatCall, fail, shownIn } from "./session.js";
import { createDirectory, editFile, moveFile, writeFile } from "./writing.js";

/** One tool of the official filesystem server, on our core. */
export interface CompatTool {
  readonly name: CompatToolName;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  /** @param args as they came; wrong ones are refused, in the words of the tools that are offered. */
  run(on: CompatDoor, args: unknown): Promise<CompatAnswer>;
}

/** What every call of one client is carried out on, and how it is answered. */
type CompatDoor = Omit<CompatCall, "knowledge">;

type Run<Name extends CompatToolName> = (
  call: CompatCall,
  args: CompatArguments<Name>,
) => Promise<CompatAnswer> | CompatAnswer;

const runs: { readonly [Name in CompatToolName]: Run<Name> } = {
  read_file: readTextFile,
  read_text_file: readTextFile,
  read_media_file: readMediaFile,
  read_multiple_files: readMultipleFiles,
  write_file: writeFile,
  edit_file: editFile,
  create_directory: createDirectory,
  list_directory: listDirectory,
  list_directory_with_sizes: listDirectoryWithSizes,
  directory_tree: directoryTree,
  move_file: moveFile,
  search_files: searchFiles,
  get_file_info: getFileInfo,
  list_allowed_directories: listAllowedDirectories,
};

/** Name, title, what it does to files, description. */
const words = tableOf(`
read_file | Read File (Deprecated) | reads | The same as read_text_file, under its old name.
read_text_file | Read Text File | reads | Reads a text file, whole, or its first (head) or last (tail) lines, in whatever encoding it has. What was read whole may be overwritten with write_file as long as it stays as it was read.
read_media_file | Read Media File | reads | Reads an image, a sound or any other file as base64 with its MIME type.
read_multiple_files | Read Multiple Files | reads | Reads several text files; one that cannot be read does not fail the others.
write_file | Write File | writes destructive idempotent | Creates a file, or overwrites one that was read whole and has not changed since. Otherwise it is refused, and the answer holds the file as it is now.
edit_file | Edit File | writes destructive | Replaces exact texts in a file, one after the other, all or none. Each oldText must stand in the file exactly once, blanks and all. Returns a diff. It is refused where the file has changed since it was read; the answer then holds the file as it is now. dryRun only shows the diff.
create_directory | Create Directory | writes idempotent | Makes a folder and those above it; one that exists is fine.
list_directory | List Directory | reads | Lists a folder: [FILE] or [DIR] and the name, one entry a line.
list_directory_with_sizes | List Directory with Sizes | reads | Lists a folder with the sizes of its files and their sum.
directory_tree | Directory Tree | reads | A folder and all below it as JSON: name, type and, of folders, children.
move_file | Move File | writes destructive | Moves or renames a file. Nothing may stand at the destination. Folders are not moved.
search_files | Search Files | reads | Finds files and folders whose path below the given one matches a glob: *.ext in that folder, **/*.ext on every level. Gives full paths.
get_file_info | Get File Info | reads | Size, times, permissions and kind of a file or folder.
list_allowed_directories | List Allowed Directories | reads | The folders in which this server works.
`);

// A cast: the keys of this table are the names, which the compiler does not say of `Object.keys`.
export const compatTools: readonly CompatTool[] = (Object.keys(runs) as CompatToolName[]).map(define);

function define<Name extends CompatToolName>(name: Name): CompatTool {
  const [title = "", does = "", description = ""] = words.get(name) ?? [];
  const run: Run<Name> = runs[name];
  const readOnly = does === "reads";
  const [destructive, idempotent] = [does.includes("destructive"), does.includes("idempotent")];
  return {
    ...{ name, title, description, readOnly, ...(readOnly ? {} : { destructive, idempotent }) },
    run: async (on, args) => {
      // Begun on arrival, before anything is awaited: replies that are sent from here on were not seen by it.
      const knowledge = on.workspace.begin();
      let shown: readonly ShownLines[] = [];
      try {
        const understood = understand({ name, schema: publishedOf(name), readOnly }, { ...Object(args) });
        if (isRefusal(understood)) return invalid(name, [understood.message], on);
        const { ignored } = understood;
        const parsed = compatArguments[name].safeParse(understood.values);
        if (!parsed.success) return invalid(name, [z.prettifyError(parsed.error), ignored], on);
        // A cast: the compiler does not tie the schema's output to the name that chose the schema.
        const answer = await run({ ...on, knowledge }, parsed.data as CompatArguments<Name>);
        const fitted = fitAnswer(withIgnored(answer, ignored), on.room);
        shown = shownIn(fitted);
        return fitted;
      } finally {
        knowledge.end(shown);
      }
    },
  };
}

/** What the call gave beside the tool's arguments stands behind the answer, whose file texts clients read from its beginning. */
function withIgnored(answer: CompatAnswer, ignored: string): CompatAnswer {
  const text = `Ignored: ${ignored}`;
  if (ignored === "") return answer;
  if (answer.kind === "media") return { ...answer, notes: [{ type: "text", text }] };
  return { ...answer, text: `${answer.text}\n\n${text}` };
}

/** The end of every answer: whatever is in it, it is within the budget; what is cut here shows nothing. */
function fitAnswer(answer: CompatAnswer, room: AnswerRoom): CompatAnswer {
  if (answer.kind === "media") return answer;
  const text = fitText(answer.text, room);
  return text === answer.text ? answer : { ...answer, text, shown: [] };
}

/** Written out once a tool, at its first call. */
const published = new Map<CompatToolName, JsonSchema>();

function publishedOf(name: CompatToolName): JsonSchema {
  const schema = published.get(name) ?? jsonSchema(compatArguments[name]);
  published.set(name, schema);
  return schema;
}

function invalid(name: string, reasons: readonly string[], on: CompatDoor): CompatAnswer {
  const said = reasons
    .join(" ")
    .trim()
    .replace(/\s*\n\s*/g, " ");
  return fail(on, refuse("invalid_arguments", `Invalid arguments for ${name}: ${said}`));
}
