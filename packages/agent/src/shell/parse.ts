/** One command of a script, as a shell would start it: words without their quotes. */
export interface CommandPart {
  readonly words: readonly string[];
  /** `NAME=value` before the words. */
  readonly variables: readonly string[];
  /** Files behind `<` and `>`; `/dev/null` and descriptors are none. */
  readonly redirects: readonly string[];
  /** The texts of its here-documents and here-strings. */
  readonly inputs: readonly string[];
  readonly isPiped: boolean;
}

/** A script taken apart: what it starts in subshells and substitutions is among its parts. */
interface ParsedScript {
  readonly parts: readonly CommandPart[];
  /** Whether each POSIX shell reads it so: plain and quoted words, pipes, lists, redirections; nothing else. */
  readonly isPlain: boolean;
  /** False where a shell may see parts that are not here: `case`, `alias`, substitutions in here-documents, what has no end. */
  readonly isUnderstood: boolean;
}

/** Stands in a word for what is known only when the command runs; it may become any number of words. */
export const unknown = "\u0000";

/** Takes a script apart. Never throws. The last one is kept: rules ask for the same again and again. */
export function parseScript(script: string): ParsedScript {
  if (script !== last?.script) last = new Reader(script);
  return last;
}

let last: Reader | undefined;

/** What can stand at one place, within double quotes and elsewhere. Blanks of other alphabets are letters to a shell. */
const [start, variable] = ["(?<![^ \\t\\n;&|()])", "\\$(?:\\w+|\\{\\w*|[@*#?$!-])"];
const elsewhere = new RegExp(
  [
    `(?<gap>[ \\t]+|${start}#[^\\n]*)|(?<joint>\\\\\\n)|(?<opens>\\$\\(|\`|[<>]\\()`,
    `(?<redirect>(?:${start}\\d+|&)?(?:<<<|<<-?|<>|[<>]&|>>|>\\||[<>]))|(?<operator>&&|\\|\\||\\|&|;;|[;&|\\n()])`,
    "'(?<literal>[^']*)'|\\$'(?<ansi>(?:[^'\\\\]|\\\\.)*)'|(?<quote>\\$?\")|\\\\(?<escaped>.)",
    `(?<sign>${start}(?:\\[\\[?|\\{\\}?)(?=[ \\t\\n;]|$))|(?<expanded>${variable}|[*?[{])`,
    "(?<letters>(?:[\\w@%+=:,./-]|(?<=[\\w~^])[~^])+)|(?<other>.)",
  ].join("|"),
  "suy",
);
const inQuotes = new RegExp(
  `(?<opens>\\$\\(|\`)|(?<quote>")|(?<joint>\\\\\\n)|\\\\(?<escaped>[$\`"\\\\])|(?<expanded>${variable})|(?<letters>[^$\`"\\\\]+|.)`,
  "suy",
);
const plainOperators = ["&&", "||", "|", ";", "\n"];

/** A part that is being read, with its next word, and what that is for. */
class OpenPart implements CommandPart {
  readonly words: string[] = [];
  readonly variables: string[] = [];
  readonly redirects: string[] = [];
  readonly inputs: string[] = [];
  word: string | undefined;
  redirect: string | undefined;
  isVariable = false;
  isQuoted = false;
  hadQuotes = false;

  constructor(readonly isPiped = false) {}
}

type Token = Partial<Record<string, string>>;

class Reader implements ParsedScript {
  readonly parts: OpenPart[] = [];
  isPlain = true;
  isUnderstood = true;
  #at = 0;
  #part = new OpenPart();
  /** The parts in which a substitution or a subshell stands. */
  readonly #around: { readonly sign: string; readonly part: OpenPart }[] = [];
  /** Here-documents that begin behind the next line feed. */
  #due: { readonly end: string; readonly isLiteral: boolean; readonly inputs: string[] }[] = [];

  constructor(readonly script: string) {
    while (this.#at < script.length) {
      const form = this.#part.isQuoted ? inQuotes : elsewhere;
      form.lastIndex = this.#at;
      const token = form.exec(script)?.groups ?? {};
      this.#at = form.lastIndex;
      this.#take(token);
    }
    if (this.#part.isQuoted || this.#around.length > 0) this.#doubt();
    for (const part of [this.#part, ...this.#around.map((one) => one.part)]) this.#endPart(part);
  }

  #take({ gap, joint, opens, redirect, operator, ...word }: Token): void {
    const isClosing = operator === ")" || (opens === "`" && this.#around.at(-1)?.sign === "`");
    this.isPlain &&= (opens ?? joint) === undefined && !redirect?.startsWith("<<");
    if (gap !== undefined) this.#endWord();
    else if (redirect !== undefined) {
      this.#endWord();
      this.#part.redirect = redirect.replace(/^[\d&]+/u, "");
    } else if (isClosing) this.#close();
    else if (opens !== undefined) this.#open(opens);
    else if (operator !== undefined) this.#endCommand(operator);
    else if (joint === undefined) this.#addToWord(word);
  }

  #addToWord({ literal, ansi, quote, escaped, sign, expanded, letters, other }: Token): void {
    const part = this.#part;
    this.isPlain &&=
      (ansi ?? sign ?? expanded ?? other) === undefined && (escaped === undefined || part.isQuoted);
    if (other === "'" || ansi?.includes("\\") || (escaped === "`" && this.#around.at(-1)?.sign === "`"))
      this.#doubt();
    if (part.word === undefined) part.isVariable = !part.isQuoted && isVariable.test(letters ?? "");
    if (quote !== undefined) part.isQuoted = !part.isQuoted;
    part.hadQuotes ||= (quote ?? literal ?? escaped) !== undefined;
    const text = literal ?? ansi ?? escaped ?? sign ?? letters ?? other ?? "";
    part.word = (part.word ?? "") + (expanded === undefined ? text : unknown);
  }

  /** A shell may see something else than what is found here. */
  #doubt(): void {
    this.isPlain = this.isUnderstood = false;
  }

  #open(sign: string): void {
    this.#around.push({ sign, part: this.#part });
    this.#part = new OpenPart();
  }

  #close(): void {
    this.isPlain = false;
    this.#endPart();
    const { sign = "(", part = new OpenPart() } = this.#around.pop() ?? {};
    this.#part = sign === "(" ? new OpenPart() : part;
    if (sign !== "(") part.word = (part.word ?? "") + unknown;
  }

  #endCommand(operator: string): void {
    this.isPlain &&= plainOperators.includes(operator);
    this.#endPart();
    this.#part = new OpenPart(operator === "|");
    if (operator === "(") this.#open(operator);
    if (operator === "\n") this.#readDue();
  }

  #endWord(part = this.#part): void {
    const { word, redirect, words, redirects, inputs } = part;
    if (word === undefined) return;
    if (redirect === undefined) (part.isVariable && words.length === 0 ? part.variables : words).push(word);
    else if (redirect === "<<<") inputs.push(word);
    else if (redirect.startsWith("<<")) this.#due.push({ end: word, isLiteral: part.hadQuotes, inputs });
    else if (word !== "/dev/null" && !(redirect.endsWith("&") && /^(\d+|-)$/u.test(word)))
      redirects.push(word);
    part.word = part.redirect = undefined;
    part.hadQuotes = false;
  }

  #endPart(part = this.#part): void {
    this.#endWord(part);
    if (part.redirect !== undefined || /^(case|alias|hash)$/u.test(part.words[0] ?? "")) this.#doubt();
    if (part.words.length + part.variables.length + part.redirects.length > 0) this.parts.push(part);
  }

  #readDue(): void {
    for (const { end, isLiteral, inputs } of this.#due.splice(0)) {
      const last = new RegExp(`(?<![^\n])\t*${literally(end)}(?:\n|(?![^]))`, "gu");
      last.lastIndex = this.#at;
      const text = this.script.slice(this.#at, last.exec(this.script)?.index);
      inputs.push(text);
      this.#at = last.lastIndex > 0 ? last.lastIndex : this.script.length;
      if (!isLiteral && /[$`]/u.test(text)) this.#doubt();
    }
  }
}

/** An assignment, as far as its letters go. */
export const isVariable = /^[A-Za-z_]\w*\+?=/u;

/** A text as a regular expression. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
}
