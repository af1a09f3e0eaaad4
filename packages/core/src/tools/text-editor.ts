import { refuse } from "../files/index.js";
import type { ToolWorkspace } from "./tool.js";
import type { ToolResult } from "./wire/result.js";

/** The commands that the text editor, the memory and Amazon Q's tool have in common. */
export interface EditorCall {
  readonly path: string;
  /** The tool's name, for the history. */
  readonly tool: string;
  /** Edits need no read of the file: an agent's own notes. */
  readonly atomic?: boolean;
  /** The folder in which the file must lie. */
  readonly within?: string;
}

/** `view`: a file, lines of it, or a folder two levels deep. */
export async function view(
  workspace: ToolWorkspace,
  { path, within }: EditorCall,
  range: readonly number[] | undefined,
): Promise<ToolResult> {
  const [first = 1, last = -1] = range ?? [];
  if (range !== undefined && (range.length !== 2 || first < 1 || (last !== -1 && last < first)))
    return refused(
      "view_range is [first line, last line], counted from 1; -1 is the end of the file.",
      path,
      false,
    );
  const lines =
    range === undefined ? {} : { offset: first, ...(last === -1 ? {} : { limit: last - first + 1 }) };
  const outcome = await workspace.read({ path, ...lines, ...limitsOf(within) });
  if (outcome.kind === "refusal" && outcome.code === "is_directory" && range === undefined)
    return { kind: "list", outcome: await workspace.list({ path, depth: 2 }) };
  return { kind: "read", outcome };
}

/** `create`: over an existing file only after a read of its present state. */
export async function create(
  workspace: ToolWorkspace,
  { path, tool, within }: EditorCall,
  content: string | undefined,
): Promise<ToolResult> {
  if (content === undefined) return missing("create", "file_text", path);
  const outcome = await workspace.write({ path, content, tool, hashless: true, ...limitsOf(within) });
  const size = new TextEncoder().encode(content).length;
  const written =
    outcome.code === "applied" ? `Written: ${path} (${size} bytes). ${outcome.message}` : outcome.message;
  return { kind: "write", outcome: { ...outcome, message: written }, authored: true };
}

/** `str_replace`: exact, one match. */
export async function strReplace(
  workspace: ToolWorkspace,
  { path, tool, atomic = false, within }: EditorCall,
  oldString: string | undefined,
  newString: string | undefined,
): Promise<ToolResult> {
  if (oldString === undefined) return missing("str_replace", "old_str", path);
  const edits = [{ oldString, newString: newString ?? "" }];
  return { kind: "write", outcome: await workspace.edit({ path, edits, tool, atomic, ...limitsOf(within) }) };
}

/** `insert`: whole lines after a line, which counts in the state that was read last. */
export async function insert(
  workspace: ToolWorkspace,
  { path, tool, within }: EditorCall,
  afterLine: number | undefined,
  content: string | undefined,
): Promise<ToolResult> {
  if (afterLine === undefined) return missing("insert", "insert_line", path);
  if (content === undefined) return missing("insert", "insert_text", path);
  const request = { path, afterLine, content, tool, hashless: true, ...limitsOf(within) };
  return { kind: "write", outcome: await workspace.insertLines(request) };
}

/** A wrong argument of one command. */
export function refused(message: string, path: string, writing = true): ToolResult {
  return { kind: "refused", refusal: refuse("invalid_arguments", message), path, writing };
}

function limitsOf(within: string | undefined): { readonly within?: string } {
  return within === undefined ? {} : { within };
}

function missing(command: string, name: string, path: string): ToolResult {
  return refused(`The command ${command} needs the argument ${name}; it is missing.`, path);
}
