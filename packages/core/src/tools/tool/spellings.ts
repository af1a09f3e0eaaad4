/** An argument, and what else models call it. Letter case, `_` and `-` say nothing: `oldString` is `old_string`. */
interface ArgumentSpelling {
  /** The names that tools have for it. */
  readonly names: readonly string[];
  readonly also: readonly string[];
  /** Only in a tool that takes this argument, too. */
  readonly beside?: string;
  /** An empty text says something; else it is no argument where another one is given. */
  readonly mayBeEmpty?: true;
}

const pathNames = ["file_path", "path", "file", "filename", "absolute_path", "target_file"];

/**
 * Names of arguments as models send them: those of other agents' tools that models were trained on, and those of
 * neighbouring tools of ours. Each tells one thing only; what could mean two is not here.
 */
export const spellings: readonly ArgumentSpelling[] = [
  { names: ["file_path"], also: ["source", "old_path", "from"], beside: "to" },
  { names: ["file_path"], also: pathNames },
  {
    names: ["path", "dir_path"],
    also: [...pathNames, "directory", "target_directory", "relative_workspace_path"],
  },
  { names: ["paths"], also: ["file_paths", "files"] },
  { names: ["to"], also: ["destination", "new_path"] },
  { names: ["old_string", "old_str", "oldText"], also: ["old_text"], mayBeEmpty: true },
  { names: ["new_string", "new_str", "newText"], also: ["new_text"], mayBeEmpty: true },
  { names: ["unified_diff"], also: ["diff", "patch", "patch_text", "input"] },
  { names: ["content", "file_text"], also: ["contents", "file_content", "text"], mayBeEmpty: true },
  { names: ["new_content"], also: ["content"], mayBeEmpty: true },
  { names: ["base_content_sha256"], also: ["sha256", "base_sha256", "hash"] },
  { names: ["pattern"], also: ["query", "regex"] },
  { names: ["glob"], also: ["pattern", "include", "include_pattern", "file_pattern"] },
  { names: ["globs"], also: ["include", "glob", "patterns"] },
  { names: ["ignore_case"], also: ["case_insensitive", "i"] },
  { names: ["context"], also: ["context_lines", "C"], beside: "pattern" },
  { names: ["output"], also: ["output_mode"] },
  { names: ["directory"], also: ["workdir", "cwd", "dir_path"], beside: "command" },
  { names: ["background"], also: ["run_in_background", "is_background"], beside: "command" },
  { names: ["outside"], also: ["with_escalated_permissions", "dangerously_disable_sandbox"] },
  { names: ["id"], also: ["bash_id", "shell_id"] },
  { names: ["todos"], also: ["plan", "todo_list"] },
  { names: ["text"], also: ["content", "step", "description"], beside: "state" },
  { names: ["state"], also: ["status"], beside: "text" },
  { names: ["limit"], also: ["head_limit", "max_results"] },
  { names: ["offset"], also: ["start_line"] },
  { names: ["name"], also: ["title"], beside: "goal" },
  { names: ["context"], also: ["transformation"], beside: "goal" },
];

/** The last line of a window, or the first and the last of the lines of an edit: `shapes` makes our arguments of them. */
export const lineRange = { first: "start_line", last: "end_line" } as const;

/** The argument whose members may stand beside the others of a call, where that has one change only. */
export const flatList = "edits";

/** Arguments that hosts add for themselves, as of November 2026: they change nothing, and no answer speaks of them. */
const hostArguments: readonly string[] = [
  "wait_for_previous", // Gemini CLI
  "wait_for_previous_tools", // Antigravity, with the next two
  "tool_action",
  "tool_summary",
  "__tool_use_purpose", // Kiro
  "task_progress", // Cline
  "security_risk", // OpenHands
  "explanation", // Cursor, with the next one
  "require_user_approval",
  "requires_approval", // Cline
  "line_count", // Roo Code
  "active_form", // Claude Code
  "justification", // Codex, with the next two
  "yield_time_ms",
  "max_output_tokens",
];

/** Words that other agents choose from, and what they are here. */
const wordMeanings: ReadonlyMap<string, string> = new Map([
  ["pending", "todo"],
  ["notstarted", "todo"],
  ["inprogress", "doing"],
  ["completed", "done"],
  ["complete", "done"],
  ["content", "lines"],
  ["fileswithmatches", "files"],
  ["count", "counts"],
]);

/** The one of the words to choose from that is meant; what was given where none is. */
export function chosenWord(given: string, words: readonly unknown[]): string {
  const plain = plainName(given);
  const meant = words.find((one) => typeof one === "string" && plainName(one) === plain);
  const other = wordMeanings.get(plain);
  if (words.includes(given)) return given;
  return typeof meant === "string" ? meant : other !== undefined && words.includes(other) ? other : given;
}

/** Whether a host adds this argument to calls, however it is spelt. */
export function isOfHost(name: string): boolean {
  return hostArguments.some((one) => plainName(one) === plainName(name));
}

/**
 * What the names of a call mean to a tool.
 *
 * @param names of the tool's arguments, or of the members of one.
 * @returns by plain name (`plainName`): the argument's own. A spelling that could be two of them is neither.
 */
export function meaningsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const key = names.join(" ");
  const meanings = meaningsByNames.get(key) ?? lookedUp(names);
  meaningsByNames.set(key, meanings);
  return meanings;
}

/** Tools are few, and each of their calls asks. */
const meaningsByNames = new Map<string, ReadonlyMap<string, string>>();

function lookedUp(names: readonly string[]): ReadonlyMap<string, string> {
  const own = new Map(names.map((name) => [plainName(name), name]));
  const meanings = new Map<string, string | undefined>(own);
  for (const { names: called, also, beside } of spellings) {
    const plain = called.map(plainName);
    const name = names.find((one) => plain.includes(plainName(one)));
    if (name === undefined || (beside !== undefined && !names.includes(beside))) continue;
    for (const other of [...called, ...also].map(plainName)) {
      if (own.has(other)) continue;
      meanings.set(other, (meanings.get(other) ?? name) === name ? name : undefined);
    }
  }
  return new Map(
    [...meanings].flatMap(([plain, name]) => (name === undefined ? [] : [[plain, name] as const])),
  );
}

/** Whether an empty text of this argument says something. */
export function mayBeEmpty(name: string): boolean {
  const plain = plainName(name);
  return spellings.some((one) => one.mayBeEmpty === true && one.names.map(plainName).includes(plain));
}

/** A name without letter case, `_` and `-`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** The one of these names that a wrong one is most like; undefined where none is, or two are. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, far: editsBetween(plainName(given), plainName(name)) }))
    .filter(({ name, far }) => sharesWord(given, name) || far * 3 <= Math.max(3, plainName(name).length))
    .toSorted((one, two) => one.far - two.far);
  const [first, second] = near;
  return first === undefined || first.far === second?.far ? undefined : first.name;
}

function sharesWord(one: string, two: string): boolean {
  const words = wordsOf(two);
  return wordsOf(one).some((word) => words.includes(word));
}

function wordsOf(name: string): readonly string[] {
  const words = name.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? [];
  return words.map((word) => word.toLowerCase()).filter((word) => word.length > 2);
}

/** Characters to add, leave out, change, or exchange with their neighbour (optimal string alignment). */
function editsBetween(one: string, two: string): number {
  const [from, to] = [[...one], [...two]];
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of from.entries()) {
    const next = [at + 1];
    for (const [other, same] of to.entries()) {
      const changed = (row[other] ?? 0) + (letter === same ? 0 : 1);
      const isExchange = other > 0 && letter === to[other - 1] && from[at - 1] === same;
      const exchanged = isExchange ? (before[other - 1] ?? 0) + 1 : changed;
      next.push(Math.min(changed, exchanged, (row[other + 1] ?? 0) + 1, (next[other] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}

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
    WebSearch: "web_search",
    ExitPlanMode: "exit_plan_mode",
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
    google_web_search: "web_search",
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
