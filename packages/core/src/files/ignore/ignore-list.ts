import { finish, type Steps } from "../../text/index.js";
import {
  bytesOf,
  foldCase,
  type IgnorePattern,
  matchesIgnore,
  parseIgnoreLine,
  type Tally,
} from "./ignore-pattern.js";

/** What the last line that matches a path says of it: left out, or not after all. */
type IgnoreVerdict = "ignored" | "unignored";

/**
 * The lines of one ignore file. A path is held only against those lines that share its first or its last letters
 * with it, so that a file of many thousand lines costs a path little more than one of ten.
 */
export class IgnoreList {
  private readonly byName = new PatternIndex();
  private readonly byPath = new PatternIndex();

  /**
   * @param text the file's text.
   * @param foldsCase whether the letters A to Z count as a to z; git says no but on disks that fold them.
   */
  constructor(
    text: string,
    private readonly foldsCase = false,
  ) {
    finish(this.add(text));
  }

  /** The list of a text, in steps of some hundred lines. */
  static *inSteps(text: string, foldsCase = false): Steps<IgnoreList> {
    const list = new IgnoreList("", foldsCase);
    yield* list.add(text);
    return list;
  }

  private *add(text: string): Steps<void> {
    for (const [line, written] of text.split("\n").entries()) {
      if (line % linesPerStep === linesPerStep - 1) yield;
      const pattern = parseIgnoreLine(written.replace(/\r$/, ""), this.foldsCase);
      if (pattern !== undefined) (pattern.byName ? this.byName : this.byPath).add(line, pattern);
    }
  }

  /**
   * What the last line that matches a path says; nothing is said of the folders above it: who asks for a path
   * of which nothing is known asks for those first, since what lies in an ignored folder cannot be taken back.
   *
   * @param path relative to the file's folder, without a slash at its end.
   * @param tally counts the steps that it took.
   * @returns undefined where no line matches.
   */
  verdict(path: string, isDirectory: boolean, tally: Tally = { steps: 0 }): IgnoreVerdict | undefined {
    const bytes = this.foldsCase ? foldCase(bytesOf(path)) : bytesOf(path);
    const name = bytes.slice(bytes.lastIndexOf("/") + 1);
    const named = this.byName.last(name, isDirectory, -1, tally);
    const last = this.byPath.last(bytes, isDirectory, named?.line ?? -1, tally) ?? named;
    if (last === undefined) return undefined;
    return last.pattern.negated ? "unignored" : "ignored";
  }
}

const linesPerStep = 500;

interface NumberedPattern {
  readonly line: number;
  readonly pattern: IgnorePattern;
}

/** Patterns that are all held against the same part of a path, by letters that a match must have. */
class PatternIndex {
  /** Those without wildcards by all of their letters. */
  private readonly whole = new Map<string, NumberedPattern[]>();
  private readonly heads = new KeyedPatterns((text, length) => text.slice(0, length));
  private readonly tails = new KeyedPatterns((text, length) => text.slice(-length));
  private readonly others: NumberedPattern[] = [];

  add(line: number, pattern: IgnorePattern): void {
    const { head, tail, tokens } = pattern;
    if (tokens.length === 0) addWhole(this.whole, { line, pattern });
    else if (head === "" && tail === "") this.others.push({ line, pattern });
    else if (tail.length > head.length) this.tails.add(tail, { line, pattern });
    else this.heads.add(head, { line, pattern });
  }

  /** The last pattern that matches, behind a line. */
  last(subject: string, isDirectory: boolean, after: number, tally: Tally): NumberedPattern | undefined {
    let found: NumberedPattern | undefined;
    for (const patterns of this.candidates(subject))
      found = lastMatch(patterns, { subject, isDirectory, after: found?.line ?? after, tally }) ?? found;
    return found;
  }

  private *candidates(subject: string): Iterable<readonly NumberedPattern[]> {
    const whole = this.whole.get(subject);
    if (whole !== undefined) yield whole;
    yield* this.heads.sharedWith(subject);
    yield* this.tails.sharedWith(subject);
    yield this.others;
  }
}

/** Of lines that are the same, and of those for folders alone, the last one decides. */
function addWhole(index: Map<string, NumberedPattern[]>, added: NumberedPattern): void {
  const { head, onlyFolders } = added.pattern;
  const before = index.get(head) ?? [];
  index.set(head, [...before.filter(({ pattern }) => pattern.onlyFolders !== onlyFolders), added]);
}

/** Patterns by the first or last letters of a match, each under as many of them as there are, up to some. */
class KeyedPatterns {
  private readonly byLength = new Map<number, Map<string, NumberedPattern[]>>();

  constructor(private readonly keyOf: (text: string, length: number) => string) {}

  add(letters: string, added: NumberedPattern): void {
    const length = Math.min(letters.length, mostKeyed);
    const keyed = this.byLength.get(length) ?? new Map<string, NumberedPattern[]>();
    this.byLength.set(length, keyed);
    const key = this.keyOf(letters, length);
    const patterns = keyed.get(key);
    if (patterns === undefined) keyed.set(key, [added]);
    else patterns.push(added);
  }

  *sharedWith(subject: string): Iterable<readonly NumberedPattern[]> {
    for (const [length, keyed] of this.byLength) {
      const patterns = length > subject.length ? undefined : keyed.get(this.keyOf(subject, length));
      if (patterns !== undefined) yield patterns;
    }
  }
}

/** A path is looked up once for each length that occurs. */
const mostKeyed = 32;

interface Lookup {
  readonly subject: string;
  readonly isDirectory: boolean;
  /** Lines up to this one are overruled already. */
  readonly after: number;
  readonly tally: Tally;
}

function lastMatch(
  patterns: readonly NumberedPattern[],
  { subject, isDirectory, after, tally }: Lookup,
): NumberedPattern | undefined {
  for (let at = patterns.length - 1; at >= 0; at--) {
    const numbered = patterns[at];
    if (numbered === undefined || numbered.line <= after) return undefined;
    if (numbered.pattern.onlyFolders && !isDirectory) continue;
    if (matchesIgnore(numbered.pattern, subject, tally)) return numbered;
  }
  return undefined;
}
