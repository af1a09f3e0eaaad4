import { plainName } from "./spellings.js";

/**
 * The tools of other agents, which models know by heart, as of November 2026: what each of them is here. A name is here
 * where it can mean one tool only; what else its arguments are called is in `spellings`.
 */
const foreignNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Claude Code": {
    Read: "read_file",
    Write: "write_file",
    Edit: "edit_file",
    MultiEdit: "edit_file",
    Bash: "run_shell_command",
    BashOutput: "read_output",
    KillShell: "kill",
    KillBash: "kill",
    Grep: "search_files",
    Glob: "find_files",
    LS: "list_files",
    TodoWrite: "update_todos",
    WebFetch: "fetch_url",
    str_replace_editor: "str_replace_based_edit_tool",
  },
  Codex: {
    apply_patch: "apply_changes",
    shell: "run_shell_command",
    shell_command: "run_shell_command",
    local_shell: "run_shell_command",
    exec_command: "run_shell_command",
    "container.exec": "run_shell_command",
    grep_files: "search_files",
    list_dir: "list_files",
    update_plan: "update_todos",
  },
  "Gemini CLI, Qwen Code": {
    list_directory: "list_files",
    search_file_content: "search_files",
    grep_search: "search_files",
    write_todos: "update_todos",
    todo_write: "update_todos",
    web_fetch: "fetch_url",
  },
  "Cursor, Windsurf": {
    search_replace: "edit_file",
    StrReplace: "edit_file",
    run_terminal_cmd: "run_shell_command",
    run_command: "run_shell_command",
    view_file: "read_file",
    write_to_file: "write_file",
    find_by_name: "find_files",
  },
  "Cline, Roo Code": {
    execute_command: "run_shell_command",
    replace_in_file: "safe_patch",
    apply_diff: "safe_patch",
  },
  "VS Code": {
    create_file: "write_file",
    replace_string_in_file: "edit_file",
    run_in_terminal: "run_shell_command",
    get_terminal_output: "read_output",
    fetch_webpage: "fetch_url",
  },
  "opencode, crush, OpenHands": {
    view: "read_file",
    patch: "apply_changes",
    execute_bash: "run_shell_command",
    open_file: "read_file",
  },
};

/** Names that could mean several tools, or a call of another shape, with those that are offered for it. */
const unsureNames: Readonly<Record<string, string>> = {
  task: "conversation with the action task start",
  agent: "conversation with the action task start",
  search: "search_files or find_files",
  filesearch: "find_files or search_files",
  codebasesearch: "search_files",
  notebookedit: "edit_file",
  exitplanmode: "none: say the plan as your answer",
};

const byPlainName = new Map(
  Object.values(foreignNames).flatMap((family) =>
    Object.entries(family).map(([name, tool]) => [plainName(name), tool] as const),
  ),
);

/** The tool of ours that a name of another agent's means; undefined where it means none, or could mean two. */
export function foreignName(name: string): string | undefined {
  return byPlainName.get(plainName(name));
}

/** What may be meant by a name that could mean several tools. */
export function hintFor(name: string): string | undefined {
  const plain = plainName(bareName(name));
  return Object.hasOwn(unsureNames, plain) ? unsureNames[plain] : undefined;
}

/**
 * A name without what templates, servers and hosts put around it: `functions.read_file`, `default_api.read_file`,
 * `read_file<|channel|>commentary`, `functions.read_file:0`, `mcp__holdfast__read_file`, `to=functions.read_file`.
 */
export function bareName(name: string): string {
  const marked = /\bto=(\S+)/u.exec(name)?.[1] ?? name;
  return marked
    .replace(/<\|.*$/su, "")
    .trim()
    .replace(/^(?:(?:functions?|default_api|tools?|holdfast)[.:/]|(?:mcp__)?holdfast__)/u, "")
    .replace(/(?::\d+|\(\))$/u, "");
}

/** Arguments that another agent's tool has in a form that no other name mends; of all others they are as they came. */
export function foreignArguments(
  tool: string,
  args: unknown,
): { readonly name: string; readonly args: unknown } {
  const given: Readonly<Record<string, unknown>> = { ...Object(args) };
  if (tool === "run_shell_command") return ofCommand(given);
  if (tool === "apply_changes") return ofPatch(given);
  return { name: tool, args };
}

/** A patch of one file that exists is that of `safe_patch`, whose refusal shows the state that it needs. */
function ofPatch(given: Readonly<Record<string, unknown>>) {
  const diff = given.input ?? given.patchText ?? given.patch ?? given.unified_diff;
  const changed = [...String(diff).matchAll(/^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/gmu)];
  const [[, kind, file_path] = []] = changed;
  const isOne = changed.length === 1 && kind === "Update" && !/^\*\*\* Move to: /mu.test(String(diff));
  return isOne && given.changes === undefined
    ? { name: "safe_patch", args: { file_path, unified_diff: diff } }
    : { name: "apply_changes", args: given };
}

/** Other agents' commands are lists of words, and their time is in milliseconds: nobody waits for a thousand seconds. */
function ofCommand({ command, cmd, timeout_ms, timeout, ...rest }: Readonly<Record<string, unknown>>) {
  const words = command ?? cmd;
  if (isWords(words) && words[0] === "apply_patch" && words.length === 2) return ofPatch({ input: words[1] });
  const ms = Number(timeout_ms ?? timeout);
  const isMs = timeout_ms !== undefined || ms >= 1_000;
  const time = isMs && ms > 0 ? { timeout_seconds: Math.ceil(ms / 1_000) } : {};
  const left = isMs ? {} : { timeout };
  const args = { ...rest, ...left, ...time, command: isWords(words) ? commandOf(words) : words };
  return {
    name: "run_shell_command",
    args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)),
  };
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
}

/** `["bash", "-lc", "ls"]` is `ls`; of other lists each word is one word of the shell. */
function commandOf(words: readonly string[]): string {
  const [program = "", flag = "", script] = words;
  if (
    script !== undefined &&
    words.length === 3 &&
    /^(.*\/)?(ba|z|da)?sh$/u.test(program) &&
    /^-l?c$/u.test(flag)
  )
    return script;
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}
