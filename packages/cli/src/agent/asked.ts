import { type Allowance, type Asked, type PersonsAnswer, prefixOf } from "@holdfast/agent";
import { consentLine } from "@holdfast/core/conversation";
import { describeShown } from "@holdfast/core/patch";
import { clip, escapeForDisplay, shortHash } from "@holdfast/core/text";
import { describeRepair } from "@holdfast/core/tools";
import { nameWithLink } from "../answers/report.js";
import { escapeName, escapeText, makePaint, type Paint } from "../shell/terminal.js";

/** What a person typed as the answer. Whatever is none of the words offered is a no, with it as a word for the model. */
export function answerOf(said: string, asked: Asked, hides = false): PersonsAnswer {
  const words = said.trim();
  switch (words.toLowerCase()) {
    case "y":
    case "yes":
      return { kind: "yes" };
    case "":
    case "n":
    case "no":
      return { kind: "no" };
    case "a":
    case "always": {
      const reach = hides ? undefined : reachOf(asked);
      // What cannot be allowed for longer was not offered: that is no yes.
      return reach === undefined ? notOffered : { kind: "always", allowance: reach.allowance };
    }
    case "e":
    case "exact": {
      const exact = hides ? undefined : reachOf(asked)?.exact;
      return exact === undefined ? notOffered : { kind: "always", allowance: exact };
    }
    default:
      return { kind: "no", message: words };
  }
}

const notOffered: PersonsAnswer = { kind: "no", message: "This is asked about each time." };

/** A question as a person reads it, and whether something of it does not fit. */
interface ShownQuestion {
  readonly words: string;
  readonly hides: boolean;
}

/** The words that can be typed, with how far "always" reaches: never where something was not shown. */
export function choicesOf(asked: Asked, hides = false): string {
  if (hides) return "Do it? [y]es, [n]o, [s]how all: ";
  const reach = reachOf(asked);
  const always = reach === undefined ? "" : `, [a]lways (${reach.words}, in this session)`;
  const exact = reach?.exact === undefined ? "" : ", always [e]xactly this";
  return `Do it? [y]es, [n]o${always}${exact}: `;
}

/** How a list of changes is asked about, each of which was shown. */
export function choicesOfList(list: readonly Asked[], hides: boolean): string {
  const more = hides ? ", [s]how all" : "";
  return `Make all ${list.length} changes? [y]es to all, [n]o to all, [o]ne by one${more}: `;
}

/** What was typed as the answer to a list; undefined where each is to be asked about by itself. */
export function answerOfList(said: string, list: readonly Asked[]): readonly PersonsAnswer[] | undefined {
  if (/^o(ne( by one)?)?$/iu.test(said.trim())) return undefined;
  // Nothing is allowed for longer by an answer to many.
  return list.map((asked) => answerOf(said, asked, true));
}

/**
 * A question about a change.
 *
 * @param isWhole nothing is left out, however long it is.
 * @returns words that can be written as they are: nothing of them acts on a terminal but the colours.
 */
export function wordsOfAsked(asked: Asked, isWhole = false, paint = makePaint(false)): ShownQuestion {
  switch (asked.kind) {
    case "change": {
      const { message, files } = asked.question.preview;
      const shown = files.map((file) => ({ file, diff: diffOf(file, isWhole, paint) }));
      const words = [
        escapeText(`${asked.tool} asks; nothing is done yet. It would say: ${message}`),
        ...shown.flatMap(({ file, diff }) => [diff.words, ...repairsOf(file).map(escapeText)]),
      ].join("\n");
      return { words, hides: shown.some(({ diff }) => diff.hides) };
    }
    case "run":
      return callWords(asked, isWhole);
    case "restore": {
      const lines = asked.files.map((file) => consentLine(file, asked.consent));
      return { words: escapeText([restoreHead(asked), ...lines].join("\n")), hides: false };
    }
    default:
      return asked satisfies never;
  }
}

type RunAsked = Extract<Asked, { kind: "run" }>;

/** How far "always" reaches, and what allows no more than this very call where that is less. */
interface Reach {
  readonly allowance: Allowance;
  readonly words: string;
  readonly exact?: Allowance;
}

/** Undefined where only this call can be allowed. */
function reachOf(asked: Asked): Reach | undefined {
  switch (asked.kind) {
    case "change": {
      const [file, ...others] = asked.question.preview.files;
      const path = file?.names.real[0];
      if (file === undefined || path === undefined || others.length > 0) return undefined;
      return {
        allowance: { kind: "file", path },
        words: clip(nameWithLink(file), mostNameChars),
      };
    }
    case "run":
      return reachOfRun(asked);
    case "restore":
      return undefined;
    default:
      return asked satisfies never;
  }
}

function restoreHead({ tool, consent }: Extract<Asked, { kind: "restore" }>): string {
  const head = `${tool} asks; nothing is done yet. Files go back:`;
  if (consent.length === 0) return head;
  return `${head}\nThe model says that you agreed to lose what others left in ${consent.map(escapeForDisplay).join(", ")}.`;
}

function reachOfRun({ tool, request: { args } }: RunAsked): Reach {
  const { command, directory } = args;
  if (tool !== shellTool || typeof command !== "string")
    return { allowance: { kind: "tool", tool }, words: `every call of ${escapeName(tool)}` };
  const place = typeof directory === "string" ? { directory } : {};
  const exact = { kind: "command", tool, command, ...place } as const;
  const words = prefixOf(command);
  if (words === undefined) return { allowance: exact, words: "this very command" };
  return { allowance: { kind: "prefix", words, ...place }, words, exact };
}

/** Its words are shown as they will be run; those of another tool mean whatever that tool makes of them. */
const shellTool = "run_shell_command";

/** The whole call: a summary is written for models, and what is not shown cannot be agreed to. */
function callWords({ tool, request: { args, sandboxed } }: RunAsked, isWhole: boolean): ShownQuestion {
  const { command, ...others } = args;
  const isShell = tool === shellTool && typeof command === "string";
  const begin = isShell ? escapeText(command) : "";
  const rest = Object.entries(isShell ? others : args).map(
    ([name, value]) => [escapeName(name), escapeName(JSON.stringify(value) ?? "undefined")] as const,
  );
  const cut = (text: string) => (isWhole ? text : within(withoutPadding(text)));
  // Further lines of a command are marked, so that none is taken for a line of ours.
  const head = isShell ? `${tool}: ${cut(begin).replaceAll("\n", "\n  | ")}` : tool;
  const outside = sandboxed === false ? ["  It runs outside the sandbox."] : [];
  const words = [head, ...rest.map(([name, value]) => `  ${name}: ${cut(value)}`), ...outside].join("\n");
  return { words, hides: [begin, ...rest.map(([, value]) => value)].some((text) => cut(text) !== text) };
}

/** Behind so many blanks the rest would not be looked for. */
function withoutPadding(text: string): string {
  return text.replaceAll(
    /[^\S\n]{40,}|\n{10,}/gu,
    (blanks) => ` [${blanks.length.toLocaleString("en")} blanks] `,
  );
}

function within(text: string): string {
  const shown = clip(text, mostChars);
  // The last character of what was cut stands for the cut.
  const left = text.length - shown.length + 1;
  return text.length <= mostChars ? text : `${shown} [${left.toLocaleString("en")} characters are not shown]`;
}

const mostChars = 8_000;
const mostNameChars = 200;
const mostLines = 200;

type ChangedFile = Extract<Asked, { kind: "change" }>["question"]["preview"]["files"][number];

/** What was put right in the model's call, so that it is the diff above. */
function repairsOf({ change }: ChangedFile): readonly string[] {
  return change.repairs.map((repair) => `Repaired: ${describeRepair(repair)}.`);
}

function diffOf(file: ChangedFile, isWhole: boolean, paint: Paint): ShownQuestion {
  const { before, after, sizes, agreed } = file;
  const head = `--- ${nameWithLink(file)}`;
  const isText = (before !== null || sizes.before === null) && (after !== null || sizes.after === null);
  if (!isText) {
    const [old, fresh] = [stateWords(sizes.before, agreed.before), stateWords(sizes.after, agreed.after)];
    return { words: `${head}\nno text: ${old} becomes ${fresh}`, hides: false };
  }
  const all = Number.MAX_SAFE_INTEGER;
  const limits = isWhole ? { maxLines: all, maxLineChars: all } : { maxLines: mostLines };
  const shown = describeShown(before ?? "", after ?? "", limits);
  const lines = escapeText(shown.text).split("\n");
  return { words: [paint.bold(head), ...lines.map(colouring(paint))].join("\n"), hides: !shown.isWhole };
}

/** A line of a difference by its sign. */
function colouring({ green, red, cyan }: Paint): (line: string) => string {
  const colours: Readonly<Record<string, Paint["red"]>> = { "+": green, "-": red, "@": cyan };
  return (line) => colours[line.charAt(0)]?.(line) ?? line;
}

function stateWords(bytes: number | null, sha256: string | null): string {
  return sha256 === null || bytes === null
    ? "no file"
    : `${bytes.toLocaleString("en")} bytes (${shortHash(sha256)})`;
}
