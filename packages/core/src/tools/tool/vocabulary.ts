import type { Role, Vocabulary } from "../../files/index.js";
import { type FileTool, jsonSchema } from "./tool.js";

/**
 * The words in which a refusal of one tool's call is said: the tools that are offered beside it, and the
 * arguments that it takes itself.
 */
export function vocabularyOf(tool: FileTool, offered: readonly FileTool[]): Vocabulary {
  const last = lastOf.get(tool);
  if (last?.offered === offered) return last.vocabulary;
  const vocabulary = compose(tool, offered);
  lastOf.set(tool, { offered, vocabulary });
  return vocabulary;
}

/** A server offers the same list with every call. */
const lastOf = new WeakMap<FileTool, { offered: readonly FileTool[]; vocabulary: Vocabulary }>();

function compose(tool: FileTool, offered: readonly FileTool[]): Vocabulary {
  const all = [tool, ...offered.filter((other) => other !== tool)];
  const words = all.toReversed().map((one) => wordsOf(one).roles);
  return Object.assign({}, ...words, wordsOf(tool).ownArguments);
}

interface ToolWords {
  readonly roles: Vocabulary;
  readonly ownArguments: Vocabulary;
}

/** A tool never changes, and its schema takes longer to walk than a small file to read: it is walked once. */
const walked = new WeakMap<FileTool, ToolWords>();

function wordsOf(tool: FileTool): ToolWords {
  const known = walked.get(tool);
  if (known !== undefined) return known;
  const words = { roles: toolRoles(tool), ownArguments: argumentWords(tool) };
  walked.set(tool, words);
  return words;
}

function argumentWords(tool: FileTool): Vocabulary {
  const names = argumentNames(tool);
  const words = Object.entries(argumentRoles).flatMap(([role, spellings]) => {
    const [own] = spellings.filter((name) => names.has(name));
    const word = own === "create" ? "create: true" : own;
    return word === undefined ? [] : [[role, word] as const];
  });
  return Object.fromEntries(words);
}

/** What a tool is for: what it says itself; of a tool with commands, by the command. */
function toolRoles({ words, parameters }: FileTool): Vocabulary {
  if (words !== undefined) return words;
  const commands: readonly string[] = commandsOf(parameters.shape.command);
  const own = Object.entries(commandRoles).filter(([, [command]]) => commands.includes(command));
  return Object.fromEntries(own.map(([one, [, word]]) => [one, word]));
}

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
function argumentNames({ parameters }: FileTool): ReadonlySet<string> {
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
