import { isAbsolute, relative, resolve } from "node:path";
import { protectedReason } from "@holdfast/core/files";
import { isObject } from "@holdfast/core/text";
import { meaningsOf, plainName } from "@holdfast/core/tools";
import { changingTools, toolNameIn } from "../clients.js";

/** The programs whose hooks call us, told apart by the names of their events. */
export type Host = "claude" | "gemini";

/** A call of a tool, before or after it ran, as a host's hook tells of it. */
export interface HookEvent {
  readonly kind: "event";
  readonly host: Host;
  /** Its name, as an answer repeats it. */
  readonly name: string;
  readonly moment: "before" | "after";
  readonly session: string;
  /** The folder that the host works in. */
  readonly cwd: string;
  /** Tells calls apart that run at the same time; "" where the host does not. */
  readonly call: string;
  readonly tool: ToolCall;
  /** All texts in the tool's answer. */
  readonly answer: string;
  /** The whole file before and after the call, where the tool says so itself. */
  readonly made: { readonly before: string; readonly after: string } | undefined;
  /** Whether the tool says that it failed. */
  readonly failed: boolean;
  /** An edit by a tool of ours about which Claude, in its present mode, would ask nobody if the edit were its own. */
  readonly isAccepted: boolean;
}

/** What a call of another agent's tool means for files. */
export type ToolCall =
  | { readonly kind: "read"; readonly path: string; readonly window: ReadWindow | undefined }
  | { readonly kind: "overwrite"; readonly path: string; readonly content: string }
  | { readonly kind: "edit"; readonly path: string; readonly edits: readonly TextEdit[] }
  /** A command, which may change any file; or a search: of both the answer holds lines of files. */
  | { readonly kind: "command" | "search"; readonly words: readonly string[] }
  /** One of our own tools, which checks states itself: we only learn from its answer. */
  | { readonly kind: "own"; readonly paths: readonly string[] }
  | { readonly kind: "other" };

/** The lines that were asked for, 1-based, both included; where it is undefined, nobody can say which. */
export interface ReadWindow {
  readonly from: number;
  readonly to: number;
}

/** One replacement of an edit: the first occurrence, or all of them. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

/** @returns undefined for an event that is no call of a tool. Throws where it is no JSON object. */
export function readHookEvent(text: string): HookEvent | undefined {
  const given: unknown = JSON.parse(text);
  if (!isObject(given)) throw new Error("the hook's input is not an object");
  const event = String(given.hook_event_name);
  const moment = moments[event];
  if (moment === undefined) return undefined;
  const cwd = textOf(given.cwd) ?? process.cwd();
  const input = isObject(given.tool_input) ? given.tool_input : {};
  const { tool_response: response = {}, error = Object(response).error } = given;
  const name = textOf(given.tool_name) ?? "";
  const tool = readCall(name, input, (path) => (isAbsolute(path) ? path : resolve(cwd, path)));
  return {
    kind: "event",
    name: event,
    ...moment,
    session: `${moment.host} ${textOf(given.session_id) ?? ""}`,
    cwd,
    call: textOf(given.tool_use_id) ?? "",
    tool,
    answer: allTexts([response, given.error]).join("\n"),
    made: madeBy(response),
    failed: error !== undefined && error !== null && error !== "",
    isAccepted:
      moment.moment === "before" &&
      given.permission_mode === "acceptEdits" &&
      changingTools.some((one) => toolNameIn("claude", one) === name) &&
      isOpenToEdits(tool, process.env.CLAUDE_PROJECT_DIR ?? cwd),
  };
}

/**
 * Whether all files of a call lie in a folder, and none of them is one about which Claude asks in every mode. That list is
 * Claude's own (tried with 2.1.332): names with a dot count as listed, so more is asked about than has to be.
 */
function isOpenToEdits(tool: ToolCall, folder: string): boolean {
  if (tool.kind !== "own" || tool.paths.length === 0) return false;
  const paths = tool.paths.map((path) => relative(folder, path));
  return paths.every(
    (path) => !/(?:^|\/)(?:\.|pyrightconfig\.json$)/i.test(path) && protectedReason(path) === undefined,
  );
}

const moments: Readonly<Record<string, Pick<HookEvent, "host" | "moment">>> = {
  PreToolUse: { host: "claude", moment: "before" },
  PostToolUse: { host: "claude", moment: "after" },
  // Of a command that ended with an error, whatever it did before.
  PostToolUseFailure: { host: "claude", moment: "after" },
  BeforeTool: { host: "gemini", moment: "before" },
  AfterTool: { host: "gemini", moment: "after" },
};

type Input = Readonly<Record<string, unknown>>;

function readCall(name: string, input: Input, at: (path: string) => string): ToolCall {
  const own = /^mcp_.*?_(?<tool>[a-z]+(?:_[a-z]+)*)$/.exec(name)?.groups?.tool;
  if (own !== undefined) return readOwnCall(name, input, at);
  const looking = commands[name];
  if (looking !== undefined) return { kind: looking, words: wordsOf(input).map(at) };
  const path = textOf(input.file_path) ?? textOf(input.notebook_path) ?? textOf(input.absolute_path);
  if (path === undefined) return { kind: "other" };
  switch (name) {
    case "Read":
    case "read_file":
      return { kind: "read", path: at(path), window: readWindow(input, name === "Read" ? 1 : 0) };
    case "Write":
    case "write_file":
      return { kind: "overwrite", path: at(path), content: textOf(input.content) ?? "" };
    case "Edit":
    case "replace":
      return { kind: "edit", path: at(path), edits: [readEdit(input)] };
    case "MultiEdit":
      return { kind: "edit", path: at(path), edits: listOf(input.edits).map(readEdit) };
    case "NotebookEdit":
      return { kind: "edit", path: at(path), edits: [] };
    default:
      return { kind: "other" };
  }
}

const commands: Readonly<Record<string, "command" | "search">> = {
  Bash: "command",
  run_shell_command: "command",
  Grep: "search",
  grep_search: "search",
  search_file_content: "search",
};

/** What may be the name of a file in a command, or is the place of a search. */
function wordsOf({ command, path, dir_path: folder }: Input): readonly string[] {
  const words = (textOf(command) ?? "").split(/[\s;|&<>()"'`]+/);
  return [...words, textOf(path) ?? "", textOf(folder) ?? ""].filter((word) => word !== "");
}

/** A notebook's tool writes its JSON anew, and says what became of it. */
function madeBy(response: unknown): HookEvent["made"] {
  const { original_file: before, updated_file: after } = Object(response);
  return typeof before === "string" && typeof after === "string" ? { before, after } : undefined;
}

/** @param base the number of the first line, as the host counts in `offset`. */
function readWindow(input: Input, base: 0 | 1): ReadWindow | undefined {
  const named = windowArguments.filter((key) => input[key] !== undefined);
  const { offset = base, limit, start_line: first, end_line: last } = input;
  if (named.some((key) => !Number.isSafeInteger(input[key])) || input.pages !== undefined) return undefined;
  const from = first === undefined ? Number(offset) + 1 - base : Number(first);
  const end = limit === undefined ? Number.POSITIVE_INFINITY : from + Number(limit) - 1;
  return { from: Math.max(1, from), to: last === undefined ? end : Number(last) };
}

const windowArguments = ["offset", "limit", "start_line", "end_line"];

/** Tools of an MCP server that has our names; whether it is ours is told by the hash in its answer. */
function readOwnCall(name: string, input: Input, at: (path: string) => string): ToolCall {
  if (!ownTools.some((tool) => name.endsWith(`_${tool}`))) return { kind: "other" };
  const paths = [...pathsIn(input), ...listOf(input.changes).flatMap(pathsIn)];
  return { kind: "own", paths: paths.map(at) };
}

/** By whatever name our tools understand. */
function pathsIn(input: Input): readonly string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    if (!pathNames.has(plainName(name))) return [];
    return (Array.isArray(value) ? value : [value]).flatMap((path: unknown) => textOf(path) ?? []);
  });
}

const pathNames = meaningsOf(["paths", "to", "file_path"]);

const ownTools = [
  ...changingTools,
  "read_file",
  "read_many_files",
  "insert_lines",
  "move_file",
  "move_lines",
  "copy_file",
  "delete_file",
  "undo_edit",
  "apply_changes",
];

function readEdit(input: Input): TextEdit {
  return {
    oldText: textOf(input.old_string) ?? "",
    newText: textOf(input.new_string) ?? "",
    all: input.replace_all === true || input.allow_multiple === true,
  };
}

function listOf(value: unknown): readonly Input[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function allTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(allTexts);
  return isObject(value) ? Object.values(value).flatMap(allTexts) : [];
}
