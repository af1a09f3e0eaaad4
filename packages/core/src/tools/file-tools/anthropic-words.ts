import { isRefusal } from "../../files/values/index.js";
import { clip } from "../../text/index.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";
import { sizeInWords, totalSize } from "../wire/spoken.js";
import { factOf, framed, numbered, type Outcome, quiet, spokenOf, type WordsByCode } from "./vendor-words.js";

/**
 * What Anthropic documents as the answers of its memory (`memory_20250818`) and its text editor; the texts are those
 * of the SDK's own memory (`@anthropic-ai/sdk` 1.12) and of the editor's page in the API's documentation. What has no
 * words there, such as a file that changed behind the model's back, is said in ours.
 */
interface EditorArguments {
  readonly command: string;
  readonly path?: string;
  readonly old_str?: string | undefined;
  readonly insert_line?: number;
  readonly old_path?: string;
  readonly new_path?: string;
}

/** The memory's words for the answer to a call; undefined where it has none. */
export function memoryWords(args: EditorArguments, result: ToolResult): Spoken | undefined {
  return spokenOf(result, (outcome) => wordsOfMemory(args, result, outcome));
}

/** The editor's words for the answer to a call; undefined where it has none. */
export function editorWords(args: EditorArguments, result: ToolResult): Spoken | undefined {
  return spokenOf(result, (outcome) => ({
    ...wordsOfEditor(args, result, outcome),
    file_missing: framed("File not found"),
    permission_denied: framed("Permission denied. Cannot write to file."),
  }));
}

/** Where a replacement fails, the memory names the lines and quotes what was sought. */
function wordsOfMemory(args: EditorArguments, result: ToolResult, outcome: Outcome): WordsByCode {
  const { path = "", old_path, new_path } = args;
  const sought = clip(args.old_str ?? "", 1_000);
  switch (args.command) {
    case "view":
      return wordsOfView(path, result);
    case "create":
      return {
        done: quiet(`File created successfully at: ${path}`),
        state_mismatch: quiet(`File ${path} already exists`),
      };
    case "str_replace":
      return {
        done: numbered(
          "The memory file has been edited. Here is the snippet showing the change (with line numbers):",
        ),
        file_missing: quiet(noPath(path)),
        not_found: framed(
          `No replacement was performed, old_str \`${sought}\` did not appear verbatim in ${path}.`,
        ),
        occurrence_mismatch: framed(
          `No replacement was performed. Multiple occurrences of old_str \`${sought}\` in lines: ${factOf(outcome, "at")}. Please ensure it is unique`,
        ),
      };
    case "insert":
      return {
        done: quiet(`The file ${path} has been edited.`),
        file_missing: quiet(`The path ${path} does not exist`),
        out_of_range: wrongLine(args, outcome),
      };
    case "delete":
      return {
        done: quiet(`Successfully deleted ${path}`),
        file_missing: quiet(`The path ${path} does not exist`),
      };
    case "rename":
      return {
        done: quiet(`Successfully renamed ${old_path} to ${new_path}`),
        file_missing: quiet(`The path ${old_path} does not exist`),
        exists: quiet(`The destination ${new_path} already exists`),
      };
    default:
      return {};
  }
}

/** Where a replacement fails, the editor counts. */
function wordsOfEditor(args: EditorArguments, result: ToolResult, outcome: Outcome): WordsByCode {
  const { path = "" } = args;
  switch (args.command) {
    case "view":
      return wordsOfView(path, result);
    case "create":
      return { done: quiet(`File created successfully at: ${path}`) };
    case "str_replace":
      return {
        done: numbered("Successfully replaced text at exactly one location."),
        not_found: framed("No match found for replacement. Please check your text and try again."),
        occurrence_mismatch: framed(
          `Found ${factOf(outcome, "count")} matches for replacement text. Please provide more context to make a unique match.`,
        ),
      };
    case "insert":
      return {
        done: numbered(`The file ${path} has been edited.`),
        out_of_range: wrongLine(args, outcome),
      };
    case "undo_edit":
      return { done: numbered(`Last edit to ${path} undone successfully.`) };
    default:
      return {};
  }
}

function wordsOfView(path: string, result: ToolResult): WordsByCode {
  if (result.kind === "list") return wordsOfListing(path, result.outcome);
  if (result.kind !== "read") return {};
  const { outcome } = result;
  if (isRefusal(outcome)) return { file_missing: quiet(noPath(path)) };
  return outcome.unchanged === true
    ? {}
    : { done: numbered(`Here's the content of ${path} with line numbers:`) };
}

function wordsOfListing(
  path: string,
  outcome: Extract<ToolResult, { kind: "list" }>["outcome"],
): WordsByCode {
  if (isRefusal(outcome)) return {};
  const named = path.replace(/\/+$/, "");
  const head = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
  const size = sizeInWords(totalSize(outcome.entries));
  const entriesUnder = { folder: outcome.path, named };
  return { done: { ...framed(`${head}\n${size}\t${named}`), entriesUnder } };
}

function noPath(path: string): string {
  return `The path ${path} does not exist. Please provide a valid path.`;
}

function wrongLine({ insert_line }: EditorArguments, outcome: Outcome): Spoken {
  return framed(
    `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${factOf(outcome, "total")}]`,
  );
}
