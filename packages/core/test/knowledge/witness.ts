/**
 * The oracle of "no blind write". It knows two things: the prompts that were really sent, with the calls that
 * answered them, and what stood on the disk before and after each call. It never asks what the code under
 * test believes to be known: no `shows`, no effects, no `Knowledge`. Every word of every file is unique, so
 * that a word in a prompt tells where it came from.
 */
import { sha } from "../support.js";
import type { Call } from "./calls.js";

/** All files of a disk, by their names. */
export type Disk = ReadonlyMap<string, string>;

/** A call that was carried out. */
export interface Deed {
  readonly callId: string;
  readonly call: Call;
  readonly before: Disk;
  readonly after: Disk;
  /** What the model reads of it. */
  readonly output: string;
}

/** One request to the model, its answer, and what came of it. */
interface Answer {
  /** The words of the prompt. */
  readonly words: ReadonlySet<string>;
  /** The states of which something stood in the prompt, under their hashes. */
  readonly shown: ReadonlySet<string>;
}

export class Witness {
  private readonly answerOf = new Map<string, Answer>();
  private readonly deeds = new Map<string, Deed>();
  /** What every state that a file ever was in consists of, by its hash. */
  private readonly states = new Map<string, readonly string[]>();

  /** Of all states that a file was in, as a model might remember them. */
  get hashes(): readonly string[] {
    return [...this.states.keys()];
  }

  /** @param texts of the prompt, each part a text of its own. */
  sees(texts: readonly string[], callIds: readonly string[]): void {
    const words = new Set(texts.flatMap(wordsIn));
    const answer = { words, shown: new Set(texts.flatMap((text) => this.statesIn(text))) };
    for (const callId of callIds) this.answerOf.set(callId, answer);
  }

  /** What is on the disk; to be told after every change of it. */
  finds(disk: Disk): void {
    for (const text of disk.values()) this.states.set(sha(text), tokensIn(text));
  }

  /**
   * Holds the law against what a call has just done.
   *
   * @param path the ids of the calls on the way down to this one, the oldest first.
   * @returns what is wrong, in words.
   */
  judge(deed: Deed, path: readonly string[]): readonly string[] {
    this.deeds.set(deed.callId, deed);
    this.finds(deed.after);
    const { call } = deed;
    if (call.isFree === true) return isRemoval(call) ? this.unnamedRemovals(deed) : [];
    const sight = this.sightOf(deed, path);
    return changedFiles(deed).flatMap(({ name, before }) => this.wrongs(name, before, deed, sight));
  }

  private wrongs(name: string, before: string, { call, callId, after }: Deed, sight: Sight): string[] {
    const wrongs: string[] = [];
    const where = `${callId} (${call.tool}) on ${name}`;
    const left = new Set([...after.values()].flatMap(wordsIn));
    const quoted = new Set(wordsIn(textOf(call)));
    for (const word of wordsIn(before)) {
      if (!left.has(word) && !sight.words.has(word) && !quoted.has(word))
        wrongs.push(`${where} replaced ${word}, which was neither shown nor quoted`);
    }
    if (before !== "" && !sight.states.has(sha(before)))
      wrongs.push(`${where} worked on a state of which nothing was shown, and whose hash was not named`);
    return wrongs;
  }

  /** A deletion and a move need the hash of what they take away. */
  private unnamedRemovals(deed: Deed): string[] {
    const named = hashesIn(textOf(deed.call));
    return changedFiles(deed)
      .filter(
        ({ name, before }) => !deed.after.has(name) && !named.some((hash) => sha(before).startsWith(hash)),
      )
      .map(({ name }) => `${deed.callId} took ${name} away, whose hash was not named`);
  }

  /** What the model had before its eyes when it wrote a call. */
  private sightOf({ call, callId }: Deed, path: readonly string[]): Sight {
    const own = this.answerOf.get(callId);
    const prompts = new Set(path.flatMap((id) => this.answerOf.get(id) ?? []));
    const earlier = path.filter((id) => id !== callId).flatMap((id) => this.deeds.get(id) ?? []);
    const beside = earlier.filter((deed) => this.answerOf.get(deed.callId) === own);
    const isWhole = call.whole === true;
    // Who replaces the whole must have it in the very prompt; else what any prompt of the path showed counts.
    const words = new Set<string>(isWhole ? own?.words : [...prompts].flatMap((prompt) => [...prompt.words]));
    for (const deed of isWhole ? beside : earlier)
      for (const word of wordsIn(textOf(deed.call))) words.add(word);
    const named = hashesIn(textOf(call));
    const states = new Set(
      [...this.states.keys()].filter((sha256) => named.some((hash) => sha256.startsWith(hash))),
    );
    for (const prompt of prompts) for (const sha256 of prompt.shown) states.add(sha256);
    // What a call beside it has read, an edit may quote; who replaces the whole has not seen it.
    if (!isWhole)
      for (const { output } of beside) for (const sha256 of this.statesIn(output)) states.add(sha256);
    for (const deed of earlier) this.carryOn(deed, states);
    return { words, states };
  }

  /** Who knows a state, and changes it, knows what it made of it; and who wrote all of it. */
  private carryOn(deed: Deed, states: Set<string>): void {
    const quoted = new Set(wordsIn(textOf(deed.call)));
    const gone = changedFiles(deed).filter(({ name }) => !deed.after.has(name));
    for (const [name, text] of deed.after) {
      const before = deed.before.get(name) ?? gone[0]?.before;
      if (deed.before.get(name) === text) continue;
      const isKnown = before !== undefined && states.has(sha(before));
      if (isKnown || wordsIn(text).every((word) => quoted.has(word))) states.add(sha(text));
    }
  }

  /** The states that a text names by their hashes, and of which it shows something. */
  private statesIn(text: string): readonly string[] {
    const tokens = new Set(tokensIn(text));
    const named = hashesIn(text).filter((sha256) => {
      const all = this.states.get(sha256);
      return all !== undefined && (all.length === 0 || all.some((token) => tokens.has(token)));
    });
    return [...named, ...this.numberedIn(text)];
  }

  /** The states of which a text shows lines behind their numbers, as Anthropic's tools do, which name no hash. */
  private numberedIn(text: string): readonly string[] {
    if (!/with line numbers\)?:|^Successfully|^The file|^Last edit/m.test(text)) return [];
    const blocks = (text.match(/(?:^ {0,5}\d+\t.*\n?)+/gm) ?? [""]).map(tokensIn);
    return [...this.states].flatMap(([sha256, all]) =>
      blocks.some((shown) =>
        shown.length === 0 ? all.length === 0 : shown.every((one) => all.includes(one)),
      )
        ? [sha256]
        : [],
    );
  }
}

/** What counts as shown or named for one call. */
interface Sight {
  readonly words: ReadonlySet<string>;
  readonly states: ReadonlySet<string>;
}

/** Files that were there and are not any more what they were. */
function changedFiles({
  before,
  after,
}: Deed): readonly { readonly name: string; readonly before: string }[] {
  return [...before]
    .filter(([name, text]) => after.get(name) !== text)
    .map(([name, text]) => ({ name, before: text }));
}

function isRemoval({ tool }: Call): boolean {
  return tool === "apply_changes";
}

function textOf({ args }: Call): string {
  return JSON.stringify(args);
}

export function wordsIn(text: string): readonly string[] {
  return text.match(/w\d+q/g) ?? [];
}

/** Words, and the one kind of line that has none. */
function tokensIn(text: string): readonly string[] {
  return text.match(/w\d+q|## Part/g) ?? [];
}

/** Hashes in full, or their beginnings of twelve digits. */
function hashesIn(text: string): readonly string[] {
  return text.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{12})\b/g) ?? [];
}
