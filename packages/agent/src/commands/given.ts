import { nodeNamed } from "@holdfast/core/context";
import type { ConversationContext } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { nearestName } from "@holdfast/core/tools";
import type { Command, GivenWords, OptionKind, Refused } from "./command.js";
import type { Word } from "./words.js";

/** What the words of a line give to a command; a word that it does not take is refused by name. */
export function readArguments(command: Command, words: readonly Word[]): GivenWords | Refused {
  const sorted = sortedWords(command, words);
  if (sorted.kind === "refusal") return sorted;
  const { operands, options } = sorted;
  const { least, most } = command.operands;
  if (operands.length < least) return misuse(command, "something is missing");
  if (most !== "text" && operands.length > most)
    return misuse(command, `"${operands[most]}" is too much; a name with blanks stands in quotes`);
  return {
    kind: "given",
    words: operands,
    text: operands.join(" "),
    has: (option) => options.has(option),
    value: (option) => options.get(option)?.at(-1),
    values: (option) => options.get(option) ?? [],
  };
}

interface Sorted {
  readonly kind: "sorted";
  readonly operands: readonly string[];
  readonly options: ReadonlyMap<string, readonly string[]>;
}

function sortedWords(command: Command, words: readonly Word[]): Sorted | Refused {
  const operands: string[] = [];
  const options = new Map<string, readonly string[]>();
  let isOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const { text = "", isQuoted = false } = words[at] ?? {};
    if (isOver || isQuoted || !text.startsWith("--")) {
      operands.push(text);
      continue;
    }
    if (text === "--") {
      isOver = true;
      continue;
    }
    const [name = "", ...joined] = text.slice(2).split("=");
    const kind = command.options[name];
    if (kind === undefined) return misuse(command, unknownOption(command, name));
    const isNext = kind !== "switch" && joined.length === 0;
    const value = isNext ? words[at + 1]?.text : joined.join("=");
    if (isNext) at += 1;
    const flaw = flawOf(name, kind, value, joined.length > 0);
    if (flaw !== undefined) return misuse(command, flaw);
    options.set(name, [...(options.get(name) ?? []), value ?? ""]);
  }
  return { kind: "sorted", operands, options };
}

function flawOf(
  name: string,
  kind: OptionKind,
  value: string | undefined,
  isJoined: boolean,
): string | undefined {
  if (kind === "switch") return isJoined ? `--${name} takes no value` : undefined;
  if (value === undefined || value === "") return `--${name} needs a value`;
  if (typeof kind === "string" || kind.includes(value)) return undefined;
  return `--${name} takes ${kind.join(", ")}`;
}

function unknownOption({ options }: Command, name: string): string {
  const near = nearestName(name, Object.keys(options));
  return `--${name} is not known${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** The same with each name of a node as its whole id; what names none stays, for the command to refuse. */
export function withNodes(given: GivenWords, command: Command, context: ConversationContext): GivenWords {
  const idOf = (name: string) => {
    const node = name === "" ? undefined : nodeNamed(context, name);
    return node === undefined || isRefusal(node) ? name : node.id;
  };
  const isNode = (option: string) => command.options[option] === "node";
  const value = (option: string) => {
    const written = given.value(option);
    return written !== undefined && isNode(option) ? idOf(written) : written;
  };
  if (command.operand !== "node" && command.operand !== "task") return { ...given, value };
  const [first, ...rest] = given.words;
  const words = first === undefined ? [] : [idOf(first), ...rest];
  return { ...given, words, text: words.join(" "), value };
}

/** The sentence on a line that its command does not take. */
function misuse({ name, usage }: Pick<Command, "name" | "usage">, why: string): Refused {
  const line = `/${name} ${usage}`.trimEnd();
  return { kind: "refusal", code: "invalid_arguments", message: `${line}: ${why}.` };
}
