import type { Role, Vocabulary } from "../files/index.js";
import { jsonSchema, type Tool } from "./tool.js";

/**
 * The words in which a refusal of one tool's call is said: the tools that are offered beside it, and the
 * arguments that it takes itself.
 */
export function vocabularyOf(tool: Tool, offered: readonly Tool[]): Vocabulary {
  const all = [tool, ...offered.filter((other) => other !== tool)];
  const toolWords = all.toReversed().flatMap((one) => Object.entries(toolRoles(one)));
  const names = argumentNames(tool);
  const ownWords = Object.entries(argumentRoles).flatMap(([role, spellings]) => {
    const [own] = spellings.filter((name) => names.has(name));
    const word = own === "create" ? "create: true" : own;
    return word === undefined ? [] : [[role, word] as const];
  });
  return Object.fromEntries([...toolWords, ...ownWords]);
}

/** What a tool is for; of a tool with commands, by the command. */
function toolRoles({ name, parameters }: Tool): Vocabulary {
  const role = ownRoles[name];
  if (role !== undefined) return role;
  const commands: readonly string[] = commandsOf(parameters.shape.command);
  const words = Object.entries(commandRoles).filter(([, [command]]) => commands.includes(command));
  return Object.fromEntries(words.map(([one, [, word]]) => [one, word]));
}

const ownRoles: Readonly<Record<string, Vocabulary>> = {
  read_file: { read: "read_file", window: "offset and limit" },
  read_many_files: {},
  list_files: {},
  search_files: {},
  find_files: {},
  safe_patch: { patch: "safe_patch" },
  edit_file: { edit: "edit_file" },
  write_file: { write: "write_file" },
  append_to_file: { append: "append_to_file" },
  prepend_to_file: { prepend: "prepend_to_file" },
  insert_lines: { insert: "insert_lines" },
  update_section: { section: "update_section" },
  undo_edit: {},
  apply_changes: { changes: "apply_changes" },
  apply_edit: {},
  replace: { edit: "replace" },
};

/** By role: a command of the tools that take one, and what it is called in a sentence. */
const commandRoles = {
  read: ["view", "the command view"],
  window: ["view", "view_range"],
  write: ["create", "the command create"],
  edit: ["str_replace", "the command str_replace"],
  insert: ["insert", "the command insert"],
  append: ["append", "the command append"],
} as const satisfies Partial<Record<Role, readonly [string, string]>>;

/** By role: the names that tools have for an argument. */
const argumentRoles = {
  base: ["base_content_sha256"],
  oldString: ["old_string", "old_str"],
  newString: ["new_string", "new_str"],
  replaceAll: ["replace_all"],
  expectedReplacements: ["expected_replacements"],
  afterLine: ["after_line", "insert_line"],
  encoding: ["encoding"],
  sectionHeader: ["section_header"],
  newContent: ["new_content"],
  create: ["create"],
} as const satisfies Partial<Record<Role, readonly string[]>>;

function commandsOf(command: unknown): readonly string[] {
  const options: unknown =
    typeof command === "object" && command !== null ? Reflect.get(command, "options") : [];
  return Array.isArray(options) ? options.filter((option) => typeof option === "string") : [];
}

/** The names of all arguments of a tool, those inside lists and objects, too. */
function argumentNames({ parameters }: Tool): ReadonlySet<string> {
  const names = new Set<string>();
  collectNames(jsonSchema(parameters), names);
  return names;
}

function collectNames(schema: unknown, names: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") for (const name of Object.keys(Object(value))) names.add(name);
    collectNames(value, names);
  }
}
