import { type Refusal, refuse } from "../values/refusal.js";

/**
 * A glob that takes time in proportion to pattern and name, whatever a model writes: `*` and `?` within a
 * name, `**` across folders, `[a-z]` and `[!a-z]`, and alternatives in braces. An engine that backtracks can
 * be brought to a standstill by a dozen stars; RE2 cannot. A name that is spelt as the glob is matched as well.
 */
export interface Glob {
  readonly kind: "glob";
  /** The folder below which everything that can match lies; "" for the root. */
  readonly folder: string;
  matches(path: string): boolean;
}

/**
 * Compiles a glob. The engine is loaded with the first one: it is larger than all that those need who use none.
 *
 * @returns `invalid_arguments` for a pattern that is too long, has too many alternatives or too long ones, or a range from
 *   high to low: it stands for nothing, so that a rule of it would never hold, and nobody would be told.
 */
export async function compileGlob(pattern: string): Promise<Glob | Refusal<"invalid_arguments">> {
  if (pattern.length > maxLength) {
    return refuse("invalid_arguments", `A glob has at most ${maxLength} characters.`);
  }
  const written = expandBraces(pattern.replace(/^(\.?\/)+/, ""));
  if (written === undefined) {
    return refuse(
      "invalid_arguments",
      `A glob stands for at most ${maxAlternatives} alternatives in braces.`,
    );
  }
  if (written.join("").length > maxExpanded) {
    return refuse(
      "invalid_arguments",
      `The alternatives of a glob have at most ${maxExpanded} characters together.`,
    );
  }
  const alternatives = written.map((text) => text.split("/").filter((part) => part !== "" && part !== "."));
  const backwards = alternatives.flat().flatMap(tokensOf).flatMap(rangesOf).find(isBackwards);
  if (backwards !== undefined) {
    const { from, to } = backwards;
    return refuse("invalid_arguments", `The range ${from}-${to} of this glob runs from high to low.`);
  }
  const { RE2JS } = await import("re2js");
  const expression = RE2JS.compile(alternatives.map(expressionOf).join("|"));
  return {
    kind: "glob",
    folder: commonFolder(alternatives),
    matches: (path) => expression.testExact(`${path}/`),
  };
}

const maxLength = 1_000;
const maxAlternatives = 100;
/** Characters of all alternatives: what an expression of them costs to compile, about 150 ms at worst. */
const maxExpanded = 20_000;

/** `a{b,c}` as `ab` and `ac`; undefined where there are too many. A brace without its partner is a letter. */
function expandBraces(pattern: string): readonly string[] | undefined {
  let open: readonly string[] = [pattern];
  for (let round = 0; round < maxAlternatives; round++) {
    const next = open.flatMap(expandFirst);
    if (next.length > maxAlternatives) return undefined;
    if (next.length === open.length && next.every((text, at) => text === open[at])) return open;
    open = next;
  }
  return undefined;
}

/** Alternatives of the first innermost pair of braces that holds a comma. */
function expandFirst(pattern: string): readonly string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (found === null) return [pattern];
  const [whole, inner = ""] = found;
  const before = pattern.slice(0, found.index);
  const after = pattern.slice(found.index + whole.length);
  return inner.split(",").map((choice) => before + choice + after);
}

function commonFolder(alternatives: readonly (readonly string[])[]): string {
  const folders = alternatives.map((parts) => {
    const firstWild = parts.findIndex((part) => /[*?[]/.test(part));
    return parts.slice(0, firstWild < 0 ? parts.length - 1 : firstWild);
  });
  const [first = [], ...others] = folders;
  let shared = first.length;
  for (const folder of others) {
    let same = 0;
    while (same < shared && same < folder.length && folder[same] === first[same]) same++;
    shared = same;
  }
  return first.slice(0, shared).join("/");
}

/**
 * An expression for a path with a slash behind every name, the last one included: `a/?.ts` is `a/[^/]\.ts/`, and
 * `**` is any number of names.
 */
function expressionOf(parts: readonly string[]): string {
  const names = parts.filter((part, at) => part !== "**" || parts[at - 1] !== "**");
  return names.map((part) => (part === "**" ? "(?:[^/]*/)*" : `${nameExpression(part)}/`)).join("");
}

/** Brackets are a class, and a name as it stands: folders are called `[slug]` and `[[...all]]`. */
function nameExpression(glob: string): string {
  const by = (write: (token: string) => string) => tokensOf(glob).map(write).join("");
  const letters = (token: string) => [...token].map(letter).join("");
  const asIs = by((token) => (token.startsWith("[") ? letters(token) : tokenExpression(token)));
  return glob.includes("[") ? `(?:${by(tokenExpression)}|${asIs})` : asIs;
}

function tokensOf(glob: string): readonly string[] {
  return glob.match(/\*+|\[[!^]?.[^\]]*\]|./gsu) ?? [];
}

/** A bracket without its partner is a letter. Of a class none of the characters matches a slash. */
function tokenExpression(token: string): string {
  if (token.startsWith("*")) return "[^/]*";
  if (token === "?") return "[^/]";
  const ranges = rangesOf(token);
  if (ranges.length === 0) return letter(token);
  const members = ranges.map(({ from, to }) => `${letter(from)}-${letter(to)}`).join("");
  return /^\[[!^].+\]$/su.test(token) ? `[^/${members}]` : `[${members}]`;
}

interface CharRange {
  readonly from: string;
  readonly to: string;
}

/** What a class stands for: `[a-cx]` is `a-c` and `x-x`. None where the token is no class. */
function rangesOf(token: string): readonly CharRange[] {
  const inside = [...(/^\[[!^]?(.+)\]$/su.exec(token)?.[1] ?? "")];
  const ranges: CharRange[] = [];
  for (let at = 0; at < inside.length; at++) {
    const from = inside[at] ?? "";
    const end = inside[at + 1] === "-" ? inside[at + 2] : undefined;
    if (end !== undefined) at += 2;
    ranges.push({ from, to: end ?? from });
  }
  return ranges;
}

function isBackwards({ from, to }: CharRange): boolean {
  return codeOf(from) > codeOf(to);
}

function letter(char: string): string {
  return `\\x{${codeOf(char).toString(16)}}`;
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
