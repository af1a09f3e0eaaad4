import { jsonOf } from "./json.js";

/** What a text means as JSON, or why no reading of it is certain: half a sentence. */
type RepairedJson =
  | { readonly kind: "read"; readonly value: unknown }
  | { readonly kind: "unread"; readonly why: string };

/**
 * Reads JSON as models write it, where one reading is certain: raw line breaks inside a text, quotes and words of Python,
 * a comma before a closing bracket, closing brackets too many or too few, a Markdown fence around it all, the same value
 * twice, an empty object before it. A text without an end is not closed, and no word is guessed. Pure; never throws.
 *
 * Example: `{'a': ["x\n",]` is `{"a": ["x\n"]}`; `{"a": "x` and `{"a": 12` may have been cut, and are refused.
 */
export function repairedJson(text: string): RepairedJson {
  const strict = jsonOf(text);
  if (strict !== undefined) return { kind: "read", value: strict };
  const written = new Rewriting(/^\s*```\w*\n([\s\S]*?)\n?```\s*$/u.exec(text)?.[1] ?? text).roots();
  if (typeof written === "string") return { kind: "unread", why: written };
  const [first, ...others] = written.length > 1 ? written.filter((root) => root !== "{}") : written;
  if (others.some((other) => other !== first))
    return { kind: "unread", why: "there are several objects, and they differ" };
  const value = jsonOf(first ?? "");
  return value === undefined
    ? { kind: "unread", why: "a comma, a colon or a value is missing or stands at a wrong place" }
    : { kind: "read", value };
}

const closing: Readonly<Record<string, string>> = { "{": "}", "[": "]" };
const words: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };
const plainToken = /-?\d[\d.eE+-]*|(?:true|false|null|True|False|None)\b|[[\]{}:,]/y;

/** Writes a text anew as strict JSON, token by token. */
class Rewriting {
  #at = 0;
  #last = "";
  #root: string[] = [];
  /** The brackets that are wanted yet, the innermost last. */
  readonly #open: string[] = [];
  readonly #roots: string[] = [];

  constructor(private readonly text: string) {}

  /** The values of the text as JSON, or why it is none. */
  roots(): readonly string[] | string {
    while (this.#at < this.text.length) {
      const wrong = this.#take();
      if (wrong !== undefined) return wrong;
    }
    if (this.#open.length > 0) {
      // Behind a comma, a colon or a number more may have been meant.
      if (/^[\d,:{[-]/u.test(this.#last))
        return "it ends before its closing brackets, in the middle of a value";
      this.#root.push(...this.#open.splice(0).toReversed());
    }
    this.#endRoot();
    return this.#roots;
  }

  /** @returns what is wrong with the next token. */
  #take(): string | undefined {
    const sign = this.text.charAt(this.#at);
    if (/[\s\ufeff]/u.test(sign)) {
      this.#at += 1;
      return undefined;
    }
    if (sign === '"' || sign === "'") return this.#takeText(sign);
    plainToken.lastIndex = this.#at;
    const token = plainToken.exec(this.text)?.[0];
    if (token === undefined)
      return `at character ${this.#at + 1}, ${JSON.stringify(this.text.slice(this.#at, this.#at + 20))} is no JSON`;
    this.#at += token.length;
    if (token === "}" || token === "]") return this.#close(token);
    const close = closing[token];
    if (close !== undefined) this.#open.push(close);
    this.#write(words[token] ?? token);
    return undefined;
  }

  #takeText(quote: string): string | undefined {
    const from = this.#at + 1;
    let end = from;
    while (end < this.text.length && this.text.charAt(end) !== quote)
      end += this.text.charAt(end) === "\\" ? 2 : 1;
    if (end >= this.text.length) return `the text that begins at character ${this.#at + 1} has no end`;
    let wrong: string | undefined;
    const body = this.text.slice(from, end).replaceAll(/\\[\s\S]|[\p{Cc}"]/gu, (unit, at: number) => {
      if (unit === "\\'" && quote === "'") return "'";
      if (/^\\["\\/bfnrtu]/u.test(unit)) return unit;
      if (unit.startsWith("\\"))
        wrong ??= `at character ${from + at + 1}, ${JSON.stringify(unit)} is no escape of JSON; a backslash is written twice`;
      return JSON.stringify(unit).slice(1, -1);
    });
    this.#at = end + 1;
    this.#write(`"${body}"`);
    return wrong;
  }

  /** Brackets inside it that are not closed are closed; one that closes nothing is left out at the end. */
  #close(bracket: string): string | undefined {
    if (this.#open.length === 0) return undefined;
    const at = this.#open.lastIndexOf(bracket);
    if (at < 0) return `at character ${this.#at}, ${bracket} closes nothing`;
    if (this.#last === ",") this.#root.pop();
    this.#write(this.#open.splice(at).toReversed().join(""));
    if (this.#open.length === 0) this.#endRoot();
    return undefined;
  }

  #write(token: string): void {
    this.#root.push(token);
    this.#last = token;
  }

  #endRoot(): void {
    if (this.#root.length > 0) this.#roots.push(this.#root.join(""));
    this.#root = [];
  }
}
