import { isRefusal } from "../../files/index.js";
import { clip } from "../../text/index.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";
import { sizeInWords, totalSize } from "../wire/spoken.js";
import { codeOf, factOf, framed, numbered, type Outcome, outcomeOf, quiet } from "./vendor-words.js";

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
  const path = args.path ?? "";
  const outcome = outcomeOf(result);
  if (outcome === undefined) return undefined;
  const refused = isRefusal(outcome) ? outcome.code : undefined;
  switch (args.command) {
    case "view":
      return wordsOfView(path, result);
    case "create":
      return refused === undefined
        ? quiet(`File created successfully at: ${path}`)
        : refusedCreation(path, refused);
    case "str_replace": {
      const done =
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):";
      return refused === undefined ? numbered(done) : refusedReplacement(args, outcome);
    }
    case "insert":
      return refused === undefined
        ? quiet(`The file ${path} has been edited.`)
        : refusedInsertion(args, outcome);
    case "delete":
      if (refused === "file_missing") return quiet(`The path ${path} does not exist`);
      return refused === undefined ? quiet(`Successfully deleted ${path}`) : undefined;
    case "rename":
      return wordsOfRename(args, refused);
    default:
      return undefined;
  }
}

/** The editor's words for the answer to a call; undefined where it has none. */
export function editorWords(args: EditorArguments, result: ToolResult): Spoken | undefined {
  const path = args.path ?? "";
  const outcome = outcomeOf(result);
  if (outcome === undefined) return undefined;
  const refused = isRefusal(outcome) ? outcome.code : undefined;
  if (refused === "file_missing") return framed("File not found");
  if (refused === "permission_denied") return framed("Permission denied. Cannot write to file.");
  switch (args.command) {
    case "view":
      return wordsOfView(path, result);
    case "create":
      return refused === undefined ? quiet(`File created successfully at: ${path}`) : undefined;
    case "str_replace":
      if (refused === undefined) return numbered("Successfully replaced text at exactly one location.");
      return refusedEdit(outcome);
    case "insert":
      return refused === undefined
        ? numbered(`The file ${path} has been edited.`)
        : refusedInsertion(args, outcome);
    case "undo_edit":
      return refused === undefined ? numbered(`Last edit to ${path} undone successfully.`) : undefined;
    default:
      return undefined;
  }
}

function wordsOfView(path: string, result: ToolResult): Spoken | undefined {
  if (result.kind === "list") return wordsOfListing(path, result.outcome);
  if (result.kind !== "read") return undefined;
  const { outcome } = result;
  if (!isRefusal(outcome))
    return outcome.unchanged === true
      ? undefined
      : numbered(`Here's the content of ${path} with line numbers:`);
  return outcome.code === "file_missing"
    ? quiet(`The path ${path} does not exist. Please provide a valid path.`)
    : undefined;
}

function wordsOfListing(
  path: string,
  outcome: Extract<ToolResult, { kind: "list" }>["outcome"],
): Spoken | undefined {
  if (isRefusal(outcome)) return undefined;
  const named = path.replace(/\/+$/, "");
  const head = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
  const size = sizeInWords(totalSize(outcome.entries));
  return {
    head: `${head}\n${size}\t${named}`,
    lines: "framed",
    entriesUnder: { folder: outcome.path, named },
  };
}

function refusedCreation(path: string, code: string): Spoken | undefined {
  return code === "state_mismatch" ? quiet(`File ${path} already exists`) : undefined;
}

/** The memory names the lines and quotes what was sought. */
function refusedReplacement(
  { path = "", old_str = "" }: EditorArguments,
  outcome: Outcome,
): Spoken | undefined {
  const sought = clip(old_str, 1_000);
  switch (codeOf(outcome)) {
    case "file_missing":
      return quiet(`The path ${path} does not exist. Please provide a valid path.`);
    case "not_found":
      return framed(
        `No replacement was performed, old_str \`${sought}\` did not appear verbatim in ${path}.`,
      );
    case "occurrence_mismatch": {
      const lines = factOf(outcome, "at");
      return framed(
        `No replacement was performed. Multiple occurrences of old_str \`${sought}\` in lines: ${lines}. Please ensure it is unique`,
      );
    }
    default:
      return undefined;
  }
}

/** The editor counts. */
function refusedEdit(outcome: Outcome): Spoken | undefined {
  switch (codeOf(outcome)) {
    case "not_found":
      return framed("No match found for replacement. Please check your text and try again.");
    case "occurrence_mismatch": {
      const count = factOf(outcome, "count");
      return framed(
        `Found ${count} matches for replacement text. Please provide more context to make a unique match.`,
      );
    }
    default:
      return undefined;
  }
}

function refusedInsertion({ path = "", insert_line }: EditorArguments, outcome: Outcome): Spoken | undefined {
  const code = codeOf(outcome);
  if (code === "file_missing") return quiet(`The path ${path} does not exist`);
  if (code !== "out_of_range") return undefined;
  const most = factOf(outcome, "total");
  return framed(
    `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${most}]`,
  );
}

function wordsOfRename(
  { old_path, new_path }: EditorArguments,
  code: string | undefined,
): Spoken | undefined {
  if (code === undefined) return quiet(`Successfully renamed ${old_path} to ${new_path}`);
  if (code === "file_missing") return quiet(`The path ${old_path} does not exist`);
  return code === "exists" ? quiet(`The destination ${new_path} already exists`) : undefined;
}
