import { nodeNamed } from "@holdfast/core/context";
import type { ConversationContext } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { nearestName, runHostTool } from "@holdfast/core/tools";
import { filledPrompt, type WrittenPrompt } from "../input/written-prompts.js";
import type {
  Command,
  CommandHost,
  CommandOutcome,
  CommandResult,
  GivenWords,
  OptionKind,
  Refused,
} from "./command.js";
import { kept, refused, told, unavailable } from "./results.js";
import { commands, unknownWords } from "./table.js";
import { type Word, wordsOf } from "./words.js";

/** What a line is: a command, one of the shell, or words for the model. */
type TypedLine =
  | { readonly kind: "command"; readonly command: Command; readonly words: readonly Word[] }
  /** A prompt that was written down, and what was typed behind its name. */
  | { readonly kind: "prompt"; readonly prompt: WrittenPrompt; readonly text: string }
  | { readonly kind: "shell"; readonly text: string }
  /** It looks like a command, and there is none. */
  | { readonly kind: "unknown"; readonly message: string }
  | { readonly kind: "words" };

/**
 * Reads a line. A command begins with a slash and one word of letters, so that a path at the beginning of a prompt
 * stays words; `!` in front runs a command of the shell.
 */
export function readTyped(line: string, prompts: readonly WrittenPrompt[] = []): TypedLine {
  const text = line.trim();
  if (text.startsWith("!")) return { kind: "shell", text: text.slice(1).trim() };
  if (!/^\/[A-Za-z][\w.:-]*(\s|$)/.test(text)) return { kind: "words" };
  const words = wordsOf(text.slice(1));
  for (const count of [2, 1]) {
    const name = words
      .slice(0, count)
      .map(({ text: word }) => word)
      .join(" ");
    const command = commands.find((each) => each.name === name);
    if (command !== undefined) return { kind: "command", command, words: words.slice(count) };
  }
  const [{ text: name = "" } = {}] = words;
  const prompt = prompts.find((each) => each.name === name);
  if (prompt !== undefined) return { kind: "prompt", prompt, text: text.slice(1 + name.length).trim() };
  return { kind: "unknown", message: unknownOf(words, prompts) };
}

function unknownOf([first, second]: readonly Word[], prompts: readonly WrittenPrompt[]): string {
  const group = commands.filter(({ name }) => name.startsWith(`${first?.text} `));
  if (group.length === 0) return `${unknownWords(first?.text ?? "", prompts)} /help lists them.`;
  const names = group.map(({ name }) => name.split(" ")[1]);
  const wanted = second === undefined ? "" : ` has no ${second.text}; it`;
  return `/${first?.text}${wanted} takes ${names.join(", ")}.`;
}

/**
 * Runs a line where it is a command. Never rejects for what the person typed.
 *
 * @returns undefined where the line is words for the model.
 */
export async function runCommand(line: string, host: CommandHost): Promise<CommandResult | undefined> {
  const typed = readTyped(line, host.prompts);
  switch (typed.kind) {
    case "words":
      return undefined;
    case "shell":
      return { ...(await runShellLine(typed.text, host)), command: "!" };
    case "prompt": {
      const words = wordsOf(typed.text).map(({ text }) => text);
      const filled = filledPrompt(typed.prompt, typed.text, words);
      return { kind: "prompt", ...filled, command: typed.prompt.name };
    }
    case "unknown":
      return { kind: "refused", code: "unknown_command", message: typed.message, command: "" };
    case "command":
      return runNamed(typed, host);
    default:
      return typed satisfies never;
  }
}

async function runNamed(
  { command, words }: Extract<TypedLine, { kind: "command" }>,
  host: CommandHost,
): Promise<CommandResult> {
  const { name } = command;
  const given = readArguments(command, words);
  if (given.kind === "refusal")
    return { kind: "refused", code: given.code, message: given.message, command: name };
  const named = withNodes(given, command, host.manager.context);
  return { ...(await command.run(named, host)), command: name };
}

/**
 * `!COMMAND`: a command of the person, which needs nobody's approval. What it printed and what became of the files
 * is a note for the model, so that it does not act on a state that is gone.
 */
async function runShellLine(command: string, host: CommandHost): Promise<CommandOutcome> {
  const { manager, shell, signal } = host;
  if (command === "") return refused("invalid_arguments", "!COMMAND: something is missing.");
  if (shell === undefined) return unavailable("A command of the shell");
  const progress = host.progress ?? (() => {});
  const result = await runHostTool(shell, { command }, { progress, ...defined({ signal }) });
  const { text, files = [], code, touched } = result;
  const words = `The user ran a command: ${command}\n${text}`;
  const node = manager.addNode({
    kind: "note",
    text: words,
    audience: "model",
    ...(files.length === 0 ? {} : { files }),
    ...defined({ touched }),
  });
  const said = code === "ok" ? "The command has run." : `The command has run: ${code}.`;
  return kept(node, manager, told(said, { data: { code }, text }));
}

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
function withNodes(given: GivenWords, command: Command, context: ConversationContext): GivenWords {
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
