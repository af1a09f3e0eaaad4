import {
  inWords,
  isRefusal,
  type Refusal,
  type Role,
  type Vocabulary,
  type WriteOutcome,
} from "../../files/values/index.js";
import type { ToolResult } from "../wire/result.js";
import { type FileTool, schemaOf } from "./tool.js";

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

/**
 * Tools under the names by which a host shows them to its model: its own tools may have the names of ours. Their
 * descriptions, and the refusals of their calls, name each other so.
 *
 * @param shownAs the name that the host shows for the tool of this name.
 */
export function shownTools(
  tools: readonly FileTool[],
  shownAs: (name: string) => string,
): readonly FileTool[] {
  const names = new Set(tools.map(({ name }) => name));
  return tools.map((tool) => {
    const { name, description, flat, words } = tool;
    const named = Object.entries(words ?? {}).map(([role, word]) => [role, withNames(word, names, shownAs)]);
    return {
      ...tool,
      shownAs: shownAs(name),
      description: withNames(description, names, shownAs),
      ...(flat === undefined
        ? {}
        : { flat: { ...flat, description: withNames(flat.description, names, shownAs) } }),
      ...(words === undefined ? {} : { words: Object.fromEntries(named) }),
    };
  });
}

/**
 * A text of ours in which tools stand by their own names, with the names that a host shows.
 *
 * @param names of the tools that are meant; a name stands between characters that no name has.
 */
export function withNames(
  text: string,
  names: ReadonlySet<string>,
  shownAs: (name: string) => string,
): string {
  return text.replaceAll(/[a-z]+(?:_[a-z]+)+|^[a-z]+$/g, (word) => (names.has(word) ? shownAs(word) : word));
}

/** A server offers the same list with every call. */
const lastOf = new WeakMap<FileTool, { offered: readonly FileTool[]; vocabulary: Vocabulary }>();

function compose(tool: FileTool, offered: readonly FileTool[]): Vocabulary {
  const all = [tool, ...offered.filter((other) => other !== tool)];
  return Object.assign({}, ...all.toReversed().map(({ words }) => words), argumentWords(tool));
}

function argumentWords({ parameters }: FileTool): Vocabulary {
  const names = new Set<string>();
  collectNames(schemaOf(parameters), names);
  const words = Object.entries(argumentRoles).flatMap(([role, spellings]) => {
    const [own] = spellings.filter((name) => names.has(name));
    const more = role === "base" && names.has("bases") ? " or bases" : "";
    const word = own === "create" ? "create: true" : `${own}${more}`;
    return own === undefined ? [] : [[role, word] as const];
  });
  return Object.fromEntries(words);
}

/** By role: the names that tools have for an argument. */
const argumentRoles = {
  // Of two hashes the one that can be missing.
  base: ["to_base_content_sha256", "base_content_sha256"],
  oldString: ["old_string", "old_str"],
  newString: ["new_string", "new_str"],
  replaceAll: ["replace_all"],
  expectedReplacements: ["expected_replacements"],
  afterLine: ["after_line", "insert_line", "after"],
  goOn: ["after"],
  encoding: ["encoding"],
  sectionHeader: ["section_header"],
  newContent: ["new_content"],
  create: ["create"],
} as const satisfies Partial<Record<Role, readonly string[]>>;

/** The names of all arguments, those inside lists and objects, too. */
function collectNames(schema: unknown, names: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "properties") for (const name of Object.keys(Object(value))) names.add(name);
    collectNames(value, names);
  }
}

/** A result whose refusals are said in the words of the door that it leaves through. */
export function phraseResult(result: ToolResult, words: Vocabulary): ToolResult {
  switch (result.kind) {
    case "read":
    case "list":
    case "find":
    case "search":
      // The cast: what is phrased keeps its kind.
      return { ...result, outcome: phrase(result.outcome, words) } as ToolResult;
    case "read_many": {
      const files = result.outcome.files.map((file) => phrase(file, words));
      return { ...result, outcome: { ...result.outcome, files } };
    }
    case "write":
      return { ...result, outcome: phraseWrite(result.outcome, words) };
    case "change_set":
      return phraseSet(result, words);
    case "preview":
      return result;
    case "refused":
      return { ...result, refusal: phrase(result.refusal, words) };
    default:
      return result satisfies never;
  }
}

/** An outcome as it is; a refusal in the door's words. */
function phrase<Outcome extends object>(outcome: Outcome, words: Vocabulary): Outcome {
  return isSaid(outcome) ? { ...outcome, message: inWords(outcome, words) } : outcome;
}

function isSaid(outcome: object): outcome is Refusal {
  return isRefusal(outcome) && outcome.sentence !== undefined;
}

function phraseWrite(outcome: WriteOutcome, words: Vocabulary): WriteOutcome {
  const said = movingQuotes(phrase(outcome, words), outcome.message);
  return said.together === undefined
    ? said
    : { ...said, together: said.together.map((one) => phraseWrite(one, words)) };
}

/** Lines that a message quotes stand behind its sentence, and move with it. */
function movingQuotes(said: WriteOutcome, before: string): WriteOutcome {
  if (!("quoted" in said) || said.quoted === undefined) return said;
  const moved = said.message.length - before.length;
  return { ...said, quoted: said.quoted.map((line) => ({ ...line, start: line.start + moved })) };
}

/** The message of a set quotes the first line of those of its files. */
function phraseSet(result: Extract<ToolResult, { kind: "change_set" }>, words: Vocabulary): ToolResult {
  const { outcome } = result;
  const files = outcome.files.map((file) => ({ ...file, outcome: phraseWrite(file.outcome, words) }));
  const message = outcome.files.reduce((whole, { outcome: before }, at) => {
    const after = files[at]?.outcome.message ?? before.message;
    return after === before.message
      ? whole
      : whole.replace(firstLine(before.message), () => firstLine(after));
  }, phrase(outcome, words).message);
  return { ...result, outcome: { ...outcome, files, message } };
}

function firstLine(message: string): string {
  const end = message.indexOf("\n");
  return end < 0 ? message : message.slice(0, end);
}
