import type { VisibleBlock } from "../context/index.js";
import { lineStarts } from "../text/index.js";

/** A run of lines shorter than this is repeated: a reference would hardly be shorter. */
export const leastLines = 8;

/** Consecutive lines of one state of a file, with what they are compared by. */
interface HashedLines {
  readonly text: string;
  /** Where each line begins in the text; one more, where the last one ends. */
  readonly starts: Uint32Array;
  /** One number a line: equal lines have equal ones. Others may have, too. */
  readonly hashes: Int32Array;
}

/** Consecutive lines of one state that stand in a prompt, of however many blocks. */
export interface VisibleStretch extends HashedLines {
  readonly sha256: string;
  /** The number of its first line. */
  readonly from: number;
  /** The nodes that show it, each from a line on, in the order of the lines. */
  readonly sources: readonly StretchSource[];
}

/** The node that shows lines of a segment, from one line of the file on. */
interface StretchSource {
  readonly line: number;
  readonly nodeId: string;
}

/** Lines that are the same in a text and in a segment. */
export interface FoundRun {
  readonly segment: VisibleStretch;
  /** Indexes of the first line, in the text and in the segment. */
  readonly at: number;
  readonly there: number;
  readonly lines: number;
}

/** The lines of a stretch, as they are compared; undefined where it does not have so many. */
export function hashedLines(text: string, lines: number): HashedLines | undefined {
  const starts = lineStarts(text, lines);
  return starts === undefined ? undefined : { text, starts, hashes: hashesOf(text, starts) };
}

/**
 * The blocks of a prompt as stretches that are as long as can be: lines of one state that meet are one stretch, however
 * many answers brought them. The newest states come first, up to a number of lines that are worth looking through.
 */
export function segmentsOf(blocks: readonly VisibleBlock[]): readonly VisibleStretch[] {
  const states = new Map<string, VisibleBlock[]>();
  for (const block of blocks) states.set(block.sha256, [...(states.get(block.sha256) ?? []), block]);
  const segments: VisibleStretch[] = [];
  let lines = 0;
  for (const [sha256, ofState] of [...states].reverse()) {
    for (const { from, to, text, sources } of joined(ofState)) {
      lines += to - from + 1;
      if (lines > mostLines) return segments;
      const hashed = hashedLines(text, to - from + 1);
      if (hashed !== undefined) segments.push({ sha256, from, sources, ...hashed });
    }
  }
  return segments;
}

/** So many lines of one file are compared at most. */
const mostLines = 200_000;

interface JoinedBlocks extends Pick<VisibleBlock, "from" | "to" | "text"> {
  readonly sources: readonly StretchSource[];
}

/** Blocks of one state that meet or overlap, as one each. */
function joined(blocks: readonly VisibleBlock[]): readonly JoinedBlocks[] {
  const sorted = blocks.toSorted((one, other) => one.from - other.from || other.to - one.to);
  const all: { from: number; to: number; texts: string[]; sources: StretchSource[] }[] = [];
  for (const block of sorted) {
    const { from, to, text, nodeId } = block;
    const last = all.at(-1);
    if (last === undefined || from > last.to + 1)
      all.push({ from, to, texts: [text], sources: [{ line: from, nodeId }] });
    else if (to > last.to) {
      const rest = textFrom(block, last.to + 1);
      if (rest === undefined) continue;
      last.texts.push(rest);
      last.sources.push({ line: last.to + 1, nodeId });
      last.to = to;
    }
  }
  return all.map(({ texts, ...block }) => ({ ...block, text: texts.join("") }));
}

function textFrom({ from, to, text }: VisibleBlock, line: number): string | undefined {
  if (line === from) return text;
  const start = lineStarts(text, to - from + 1)?.[line - from];
  return start === undefined ? undefined : text.slice(start);
}

function hashesOf(text: string, starts: Uint32Array): Int32Array {
  const hashes = new Int32Array(starts.length - 1);
  let at = 0;
  for (let line = 0; line < hashes.length; line += 1) {
    const end = starts[line + 1] ?? at;
    let hash = 0;
    for (; at < end; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
    hashes[line] = hash;
  }
  return hashes;
}

/**
 * Where runs of `leastLines` lines stand in the segments: a hash table in flat arrays, since a file may have many lines.
 * A lookup costs the same however much is shown.
 */
export class RunIndex {
  /** By the run's number: the entry that was put last, and to each entry the one before it. */
  private readonly heads: Int32Array;
  private readonly before: Int32Array;
  private readonly runs: Int32Array;
  /** The first entry of each segment. */
  private readonly firsts: number[] = [];

  constructor(private readonly segments: readonly VisibleStretch[]) {
    const runs = segments.map(({ hashes }) => runHashes(hashes));
    const count = runs.reduce((sum, { length }) => sum + length, 0);
    this.heads = new Int32Array(1 << Math.ceil(Math.log2(2 * count + 2))).fill(-1);
    this.before = new Int32Array(count);
    this.runs = new Int32Array(count);
    let first = 0;
    for (const ofSegment of runs) {
      this.firsts.push(first);
      this.runs.set(ofSegment, first);
      first += ofSegment.length;
    }
    // What is put last is found first: the beginning of the newest segment.
    for (let entry = count - 1; entry >= 0; entry -= 1) {
      const slot = this.slotOf(this.runs[entry] ?? 0);
      this.before[entry] = this.heads[slot] ?? -1;
      this.heads[slot] = entry;
    }
  }

  /**
   * The longest run known that begins at a line of a text.
   *
   * @param runs of the text, as `runHashes` gives them; `at` the index of the line.
   */
  longestAt(text: HashedLines, runs: Int32Array, at: number): FoundRun | undefined {
    const run = runs[at] ?? 0;
    let best: FoundRun | undefined;
    let entry = this.heads[this.slotOf(run)] ?? -1;
    for (let tries = 0; entry >= 0 && tries < mostTries; tries += 1) {
      if (this.runs[entry] === run) {
        const { segment, line } = this.placeOf(entry);
        const lines = segment === undefined ? 0 : sameLines(text, at, segment, line);
        if (segment !== undefined && lines > (best?.lines ?? leastLines - 1))
          best = { segment, at, there: line, lines };
      }
      entry = this.before[entry] ?? -1;
    }
    return best;
  }

  private slotOf(run: number): number {
    return (run ^ (run >>> 15)) & (this.heads.length - 1);
  }

  private placeOf(entry: number): { readonly segment: VisibleStretch | undefined; readonly line: number } {
    let at = this.firsts.length - 1;
    while (at > 0 && (this.firsts[at] ?? 0) > entry) at -= 1;
    return { segment: this.segments[at], line: entry - (this.firsts[at] ?? 0) };
  }
}

/** So many places at which the same eight lines may begin are compared. */
const mostTries = 16;

/** A number for each run of `leastLines` lines, by its first line. */
export function runHashes(hashes: Int32Array): Int32Array {
  const runs = new Int32Array(Math.max(0, hashes.length - leastLines + 1));
  for (let at = 0; at < runs.length; at += 1) {
    let run = 0;
    for (let line = at; line < at + leastLines; line += 1)
      run = (Math.imul(run, 16_777_619) ^ (hashes[line] ?? 0)) | 0;
    runs[at] = run;
  }
  return runs;
}

/** How many lines are the same from there on; checked by the text itself. */
function sameLines(text: HashedLines, at: number, segment: VisibleStretch, line: number): number {
  const most = Math.min(text.hashes.length - at, segment.hashes.length - line);
  let lines = 0;
  while (lines < most && text.hashes[at + lines] === segment.hashes[line + lines]) lines += 1;
  while (lines >= leastLines && slice(text, at, lines) !== slice(segment, line, lines)) lines >>= 1;
  return lines;
}

function slice({ text, starts }: HashedLines, at: number, lines: number): string {
  return text.slice(starts[at], starts[at + lines]);
}
