/**
 * Texts of which every line that a pattern matches holds at least one: whoever seeks them first need not hold the
 * pattern against the other lines. Only ASCII, which is spelled alike in nearly every charset.
 *
 * Example: `export (const|let) \w+_id` gives `["export "]`, and `(foo|bar)\d` gives `["foo", "bar"]`.
 *
 * @param pattern a regular expression that RE2 has accepted, or plain text.
 * @returns undefined where nothing can be said.
 */
export function requiredLiterals(
  pattern: string,
  { literal = false }: { readonly literal?: boolean },
): readonly string[] | undefined {
  if (literal) return best(pattern.split(notAscii).map((run) => [run]));
  try {
    return new LiteralReader(pattern).read();
  } catch (error) {
    if (error === notUnderstood) return undefined;
    throw error;
  }
}

/** Control characters, too: a line has none of those that end it, and the others are rare. */
const notAscii = /[^\x20-\x7e\t]+/;

/** Of several things that a line must hold, the one that says most: by its shortest text. */
function best(sets: readonly (readonly string[])[]): readonly string[] | undefined {
  const scoreOf = (set: readonly string[]) => Math.min(...set.map(({ length }) => length));
  let found: readonly string[] | undefined;
  for (const set of sets) {
    if (set.length === 0 || set.length > mostTexts || scoreOf(set) === 0) continue;
    if (found === undefined || scoreOf(set) > scoreOf(found)) found = set;
  }
  return found;
}

const mostTexts = 16;

/** Thrown and caught in this file alone: syntax that is read nowhere here, such as flags inside a pattern. */
const notUnderstood = new Error("not understood");

/** One thing of a pattern: a character that means itself, a group with what it needs, or anything else. */
type Atom =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "group"; readonly needs: readonly string[] | undefined }
  | { readonly kind: "other" };

class LiteralReader {
  private at = 0;

  constructor(private readonly pattern: string) {}

  read(): readonly string[] | undefined {
    const needs = this.alternatives();
    if (this.at < this.pattern.length) throw notUnderstood;
    return needs;
  }

  /** Where each of several branches needs something, one of all that is needed. */
  private alternatives(): readonly string[] | undefined {
    const branches = [this.sequence()];
    while (this.take("|")) branches.push(this.sequence());
    const known = branches.filter((branch) => branch !== undefined);
    return known.length < branches.length ? undefined : best([[...new Set(known.flat())]]);
  }

  private sequence(): readonly string[] | undefined {
    const sets: (readonly string[])[] = [];
    let run = "";
    const end = () => {
      sets.push([run]);
      run = "";
    };
    for (;;) {
      const next = this.pattern[this.at];
      if (next === undefined || next === "|" || next === ")") break;
      const atom = this.atom();
      const times = this.quantifier();
      if (atom.kind === "char" && times !== "maybe") run += atom.char;
      if (atom.kind === "group" && times !== "maybe" && atom.needs !== undefined) sets.push(atom.needs);
      if (atom.kind !== "char" || times !== "once") end();
    }
    end();
    return best(sets);
  }

  private atom(): Atom {
    const char = String.fromCodePoint(this.pattern.codePointAt(this.at) ?? 0);
    this.at += char.length;
    switch (char) {
      case "\\":
        return this.escape();
      case "[":
        return this.characterClass();
      case "(":
        return this.group();
      case ".":
      case "^":
      case "$":
        return other;
      default:
        return notAscii.test(char) ? other : { kind: "char", char };
    }
  }

  private group(): Atom {
    if (this.take("?")) {
      const name = this.takeMatch(/P?<\w+>|:/y);
      if (name === undefined) throw notUnderstood;
    }
    const needs = this.alternatives();
    if (!this.take(")")) throw notUnderstood;
    return { kind: "group", needs };
  }

  private escape(): Atom {
    if (this.takeMatch(/[dDwWsSbBAzCnrtfva]|[pP](\{[^}]*\}|.)|x(\{[^}]*\}|[0-9a-fA-F]{2})/y) !== undefined)
      return other;
    const char = this.takeMatch(/[\x20-\x7e]/y);
    if (char === undefined || /\w/.test(char)) throw notUnderstood;
    return { kind: "char", char };
  }

  private characterClass(): Atom {
    // A bracket that comes first means itself; so does one that is escaped or ends a class with a name.
    if (this.takeMatch(/\^?\]?(\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y) === undefined) throw notUnderstood;
    return other;
  }

  private quantifier(): "once" | "maybe" | "more" {
    const found = this.takeMatch(/([*+?]|\{(\d+)(,\d*)?\})\??/y);
    if (found === undefined) return "once";
    return /^[*?]|^\{0+[,}]/.test(found) ? "maybe" : "more";
  }

  private take(char: string): boolean {
    if (this.pattern[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private takeMatch(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const [found] = expression.exec(this.pattern) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}

const other: Atom = { kind: "other" };
