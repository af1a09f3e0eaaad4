import { type Refusal, refuse } from "./refusal.js";

/**
 * A glob that takes time in proportion to pattern and name, whatever a model writes: `*` and `?` within a
 * name, `**` across folders, `[a-z]` and `[!a-z]`, and alternatives in braces. An engine that backtracks can
 * be brought to a standstill by a dozen stars; RE2 cannot.
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
 * @returns `invalid_arguments` for a pattern that is too long, has too many alternatives or too long ones.
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

function nameExpression(glob: string): string {
  const tokens = glob.match(/\*+|\[[!^]?.[^\]]*\]|./gsu) ?? [];
  return tokens.map(tokenExpression).join("");
}

/** A bracket without its partner is a letter. */
function tokenExpression(token: string): string {
  if (token.startsWith("*")) return "[^/]*";
  if (token === "?") return "[^/]";
  const found = /^\[([!^]?)(.+)\]$/su.exec(token);
  if (found === null) return letter(token);
  const [, negated = "", inside = ""] = found;
  return classExpression([...inside], negated !== "");
}

/** `[abc]`, `[a-z]`; none of the characters matches a slash. A range from high to low is empty. */
function classExpression(inside: readonly string[], negated: boolean): string {
  const ranges: string[] = [];
  for (let at = 0; at < inside.length; at++) {
    const from = inside[at] ?? "";
    const to = inside[at + 1] === "-" ? inside[at + 2] : undefined;
    if (to !== undefined) at += 2;
    if (codeOf(from) <= codeOf(to ?? from)) ranges.push(`${letter(from)}-${letter(to ?? from)}`);
  }
  if (negated) return `[^/${ranges.join("")}]`;
  return ranges.length === 0 ? nothing : `[${ranges.join("")}]`;
}

/** A class that no character is in. */
const nothing = "[^\\x00-\\x{10FFFF}]";

function letter(char: string): string {
  return `\\x{${codeOf(char).toString(16)}}`;
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
