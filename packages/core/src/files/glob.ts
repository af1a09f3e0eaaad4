import { type Refusal, refuse } from "./outcome.js";

/**
 * A glob that takes time in proportion to pattern and name, whatever a model writes: `*` and `?` within a
 * name, `**` across folders, `[a-z]` and `[!a-z]`, and alternatives in braces. Regular expressions made of
 * globs, as libraries make them, can be brought to a standstill by a dozen stars.
 */
export interface Glob {
  readonly kind: "glob";
  /** The folder below which everything that can match lies; "" for the root. */
  readonly folder: string;
  matches(path: string): boolean;
}

/** @returns `invalid_arguments` for a pattern that is too long or has too many alternatives. */
export function compileGlob(pattern: string): Glob | Refusal<"invalid_arguments"> {
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
  const alternatives = written.map((text) => text.split("/").filter((part) => part !== "" && part !== "."));
  return {
    kind: "glob",
    folder: commonFolder(alternatives),
    matches: (path) => {
      const names = path.split("/");
      return alternatives.some((parts) => matchParts(parts, names));
    },
  };
}

const maxLength = 1_000;
const maxAlternatives = 100;

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

/** Both levels go back to their last star only: what an earlier star took cannot help a later part. */
function matchParts(parts: readonly string[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let starPart = -1;
  let starName = 0;
  while (name < names.length) {
    if (parts[part] === "**") {
      starPart = part++;
      starName = name;
    } else if (part < parts.length && matchName(parts[part] ?? "", names[name] ?? "")) {
      part++;
      name++;
    } else if (starPart >= 0) {
      part = starPart + 1;
      name = ++starName;
    } else return false;
  }
  while (parts[part] === "**") part++;
  return part === parts.length;
}

function matchName(pattern: string, name: string): boolean {
  let at = 0;
  let char = 0;
  let starAt = -1;
  let starChar = 0;
  while (char < name.length) {
    const token = tokenAt(pattern, at);
    if (token.kind === "star") {
      starAt = at = token.next;
      starChar = char;
    } else if (token.kind === "one" && token.accepts(name.charAt(char))) {
      at = token.next;
      char++;
    } else if (starAt >= 0) {
      at = starAt;
      char = ++starChar;
    } else return false;
  }
  while (pattern.charAt(at) === "*") at++;
  return at === pattern.length;
}

type Token =
  | { readonly kind: "star"; readonly next: number }
  | { readonly kind: "one"; readonly next: number; accepts(char: string): boolean }
  | { readonly kind: "end" };

function tokenAt(pattern: string, at: number): Token {
  const char = pattern.charAt(at);
  switch (char) {
    case "":
      return { kind: "end" };
    case "*":
      return { kind: "star", next: at + 1 };
    case "?":
      return { kind: "one", next: at + 1, accepts: () => true };
    case "[":
      return classAt(pattern, at);
    default:
      return { kind: "one", next: at + 1, accepts: (other) => other === char };
  }
}

/** `[abc]`, `[a-z]`, `[!a-z]`, `[^a-z]`; a bracket without its partner is a letter. */
function classAt(pattern: string, at: number): Token {
  const negated = /[!^]/.test(pattern.charAt(at + 1));
  const from = at + (negated ? 2 : 1);
  const end = pattern.indexOf("]", from + 1);
  if (end < 0) return { kind: "one", next: at + 1, accepts: (char) => char === "[" };
  const inside = pattern.slice(from, end);
  return { kind: "one", next: end + 1, accepts: (char) => inClass(inside, char) !== negated };
}

function inClass(inside: string, char: string): boolean {
  for (let at = 0; at < inside.length; at++) {
    if (inside.charAt(at + 1) === "-" && at + 2 < inside.length) {
      if (inside.charAt(at) <= char && char <= inside.charAt(at + 2)) return true;
      at += 2;
    } else if (inside.charAt(at) === char) return true;
  }
  return false;
}
