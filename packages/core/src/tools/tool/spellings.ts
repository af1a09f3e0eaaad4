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
