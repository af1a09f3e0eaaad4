import { libraryWords, type Vocabulary } from "../../src/files/values/index.js";
import { allTools, type FileTool, jsonSchema } from "../../src/tools/index.js";

/** The names of a tool and of all its arguments and their values, as they could stand in a sentence. */
export function wordsOfTool(tool: FileTool): readonly string[] {
  return [tool.name, ...namesIn(JSON.stringify(jsonSchema(tool.parameters)))];
}

/** The names that a vocabulary gives. */
export function wordsOf(vocabulary: Vocabulary): readonly string[] {
  return Object.values(vocabulary).flatMap(namesIn);
}

/** Names that only a program has: `read_file`, `oldString`, `--base`. Plain words are nobody's. */
function isName(word: string): boolean {
  return /[a-z]_[a-z]/.test(word) || /^[a-z]+[A-Z]/.test(word) || /^--[a-z]/.test(word);
}

function namesIn(text: string): readonly string[] {
  return text.match(/--[a-z-]+|[A-Za-z_][A-Za-z0-9_]*/g) ?? [];
}

const everyName: ReadonlySet<string> = new Set(
  [...allTools.flatMap(wordsOfTool), ...wordsOf(libraryWords), ...compatNames(), ...flagNames()].filter(
    isName,
  ),
);

function compatNames(): readonly string[] {
  return ["read_text_file", "oldText", "newText", "list_directory", "directory_tree", "dryRun"];
}

function flagNames(): readonly string[] {
  return [
    "--base",
    "--atomic",
    "--old",
    "--new",
    "--all",
    "--count",
    "--offset",
    "--limit",
    "--in-place",
    "--root",
  ];
}

/**
 * Names of tools and arguments in a text that its door does not have.
 *
 * @param own the names that it has.
 */
export function foreignNames(text: string, own: readonly string[]): readonly string[] {
  const mine = new Set(own.flatMap(namesIn));
  const found = namesIn(text).filter((word) => everyName.has(word) && !mine.has(word));
  return [...new Set(found)];
}
