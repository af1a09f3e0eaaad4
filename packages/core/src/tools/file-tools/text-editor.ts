import * as z from "zod";
import { emptySha256 } from "../../files/values/index.js";
import { filePath } from "../tool/parameters.js";
import {
  type ArgumentRefusal,
  defineTool,
  type FileIntent,
  fileIntent,
  refuseArguments,
} from "../tool/tool.js";
import { editorWords } from "./anthropic-words.js";

/** The commands that the text editor, the memory and Amazon Q's tool have in common. */
interface EditorCall {
  readonly path: string;
  /** The tool's name, for the history. */
  readonly tool: string;
  /** Edits need no read of the file: an agent's own notes. */
  readonly atomic?: boolean;
  /** The folder in which the file must lie. */
  readonly within?: string;
}

type EditorIntent = FileIntent | ArgumentRefusal;

/** `view`: a file, lines of it, or a folder two levels deep. */
export function view({ path, within }: EditorCall, range: readonly number[] | undefined): EditorIntent {
  const [first = 1, last = -1] = range ?? [];
  if (range !== undefined && (range.length !== 2 || first < 1 || (last !== -1 && last < first)))
    return { ...refuseArguments(wrongRange, path), looksOnly: true };
  const read = { kind: "read", path, ...limitsOf(within) } as const;
  if (range !== undefined)
    return fileIntent({ ...read, offset: first, ...(last === -1 ? {} : { limit: last - first + 1 }) });
  return fileIntent(read, { otherwise: { on: "is_directory", request: { kind: "list", path, depth: 2 } } });
}

/** `create`: over an existing file only where all of its present state was shown; or, as the memory has it, never. */
export function create(
  { path, tool, within, overwrites = true }: EditorCall & { readonly overwrites?: boolean },
  content: string | undefined,
): EditorIntent {
  if (content === undefined) return missing("create", "file_text", path);
  const sentBytes = new TextEncoder().encode(content).length;
  const knows = overwrites ? { hashless: true } : { base: emptySha256 };
  const request = { kind: "write", path, content, tool, ...knows, ...limitsOf(within) } as const;
  return fileIntent(request, { sentBytes });
}

/** `str_replace`: exact, one match. */
export function strReplace(
  { path, tool, atomic = false, within }: EditorCall,
  oldString: string | undefined,
  newString: string | undefined,
): EditorIntent {
  if (oldString === undefined) return missing("str_replace", "old_str", path);
  const edits = [{ oldString, newString: newString ?? "" }];
  return fileIntent({ kind: "edit", path, edits, tool, atomic, ...limitsOf(within) });
}

/** `insert`: whole lines after a line, which counts in the state that was read last. */
export function insert(
  { path, tool, within }: EditorCall,
  afterLine: number | undefined,
  content: string | undefined,
  contentName = "insert_text",
): EditorIntent {
  if (afterLine === undefined) return missing("insert", "insert_line", path);
  if (content === undefined) return missing("insert", contentName, path);
  const place = { path, afterLine, content, tool, hashless: true } as const;
  return fileIntent({ kind: "insert_lines", ...place, ...limitsOf(within) });
}

const wrongRange = "view_range is [first line, last line], counted from 1; -1 is the end of the file.";

function limitsOf(within: string | undefined): { readonly within?: string } {
  return within === undefined ? {} : { within };
}

function missing(command: string, name: string, path: string): ArgumentRefusal {
  return refuseArguments(`The command ${command} needs the argument ${name}; it is missing.`, path);
}

/** What the commands are called in a refusal. */
export const commandWords = {
  read: "the command view",
  window: "view_range",
  write: "the command create",
  edit: "the command str_replace",
  insert: "the command insert",
} as const;

/** What the commands take, in the order in which it is listed. */
export const editorParameters = {
  view_range: z.array(z.int()).exactOptional().describe("[first, last] line for view; -1 is the end"),
  file_text: z.string().optional().describe("Content for create"),
  old_str: z.string().optional().describe("Exact text for str_replace"),
  new_str: z.string().optional().describe("New text for str_replace or insert"),
  insert_line: z.int().min(0).exactOptional().describe("Line after which to insert; 0 is the top"),
  insert_text: z.string().optional().describe("Text for insert"),
};

/** Anthropic's text editor, on our core; `undo_edit` is of its older schema. */
export const strReplaceBasedEditTool = defineTool({
  name: "str_replace_based_edit_tool",
  title: "Text editor",
  description:
    "Views, creates and edits files. `view` a file before you change it; a change of a state that you have not seen is refused. `str_replace` needs an old_str that stands exactly once. `insert` puts whole lines after insert_line of the state you saw last. `create` overwrites only a file that you have viewed. `undo_edit` takes the last change back.",
  parameters: z.object({
    command: z.enum(["view", "create", "str_replace", "insert", "undo_edit"]),
    path: filePath,
    ...editorParameters,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  words: commandWords,
  spoken: editorWords,
  intent(args) {
    const call = { path: args.path, tool: "str_replace_based_edit_tool" };
    switch (args.command) {
      case "view":
        return view(call, args.view_range);
      case "create":
        return create(call, args.file_text);
      case "str_replace":
        return strReplace(call, args.old_str, args.new_str);
      case "insert":
        return insert(call, args.insert_line, args.insert_text ?? args.new_str);
      case "undo_edit":
        return fileIntent({ kind: "undo", ...call });
      default:
        return args.command satisfies never;
    }
  },
});
