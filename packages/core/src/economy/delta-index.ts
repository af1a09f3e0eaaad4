import type { VisibleBlock } from "../context/index.js";
import {
  type FileContent,
  type RepeatedLines,
  type ShownText,
  withRepeats,
} from "../conversation/values/index.js";
import { defined, lineStarts } from "../text/index.js";

/** A run of lines shorter than this is repeated: a reference would hardly be shorter. */
const leastLines = 8;

/** Consecutive lines of one state of a file, with what they are compared by. */
interface HashedLines {
  readonly text: string;
  /** Where each line begins in the text; one more, where the last one ends. */
  readonly starts: Uint32Array;
  /** One number a line: equal lines have equal ones. Others may have, too. */
  readonly hashes: Int32Array;
}

/** Consecutive lines of one state that stand in a prompt, of however many blocks. */
interface VisibleStretch extends HashedLines {
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
interface FoundRun {
  readonly segment: VisibleStretch;
  /** Indexes of the first line, in the text and in the segment. */
  readonly at: number;
  readonly there: number;
  readonly lines: number;
}

/** The lines of a stretch, as they are compared; undefined where it does not have so many. */
function hashedLines(text: string, lines: number): HashedLines | undefined {
  const starts = lineStarts(text, lines);
  return starts === undefined ? undefined : { text, starts, hashes: hashesOf(text, starts) };
}

/**
 * The blocks of a prompt as stretches that are as long as can be: lines of one state that meet are one stretch, however
 * many answers brought them. The newest states come first, up to a number of lines that are worth looking through.
 */
function segmentsOf(blocks: readonly VisibleBlock[]): readonly VisibleStretch[] {
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
class RunIndex {
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
function runHashes(hashes: Int32Array): Int32Array {
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

/** A text that is about to be put before the model. */
export interface DeltaRequest {
  readonly text: string;
  /** Which lines of which files stand where in it, in its order. */
  readonly shows: readonly ShownText[];
  /** The lines of a file that stand in the prompt already: `Visibility.blocks`. */
  readonly blocks: (path: string) => readonly VisibleBlock[];
  /** Under which version a node gave out a state of a file; undefined where it does not say. */
  readonly versionOf: (
    nodeId: string,
    state: { readonly path: string; readonly sha256: string },
  ) => number | undefined;
}

/**
 * Which stretches of a text need not be sent, since the prompt shows the same lines of the same file already: by their
 * content, whatever state they stand in and by whatever way they came. A stretch has at least 8 lines. A file whose text
 * would become less than 40 % shorter is left whole: scattered references are harder to read than lines.
 *
 * Pure; its time grows with the lines of the text and of the blocks.
 *
 * @returns in the order of the text; none where nothing is worth it.
 */
export function deltaReads({ text, shows, blocks, versionOf }: DeltaRequest): readonly RepeatedLines[] {
  const repeats: RepeatedLines[] = [];
  for (const stretches of byState(shows, text)) {
    const [first] = stretches;
    if (first === undefined) continue;
    const { path, encoding } = first.state;
    const segments = segmentsOf(blocks(path).filter((block) => block.encoding === encoding));
    if (segments.length === 0) continue;
    const index = new RunIndex(segments);
    const found = stretches.flatMap((stretch) => repeatsIn({ text, versionOf }, stretch, index));
    if (isWorthIt(stretches, found)) repeats.push(...found);
  }
  return repeats.sort((one, other) => one.start - other.start);
}

/** A file that is about to be put before the model, without what the prompt shows of it already. */
export function deltaContent(
  payload: FileContent,
  prompt: Pick<DeltaRequest, "blocks" | "versionOf">,
): FileContent {
  const { path, sha256, lines, text, verified } = payload;
  if (verified !== true) return payload;
  const shows = [{ path, sha256, from: lines.from, to: lines.to, start: 0, end: text.length }];
  return withRepeats(payload, deltaReads({ text, shows, ...prompt }));
}

/** A reference is about so long, in UTF-16 units. */
const referenceChars = 90;

/** What has to be saved of a file's text. */
const leastShare = 0.4;

function isWorthIt(stretches: readonly ShownStretch[], found: readonly RepeatedLines[]): boolean {
  const shown = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  const saved = found.reduce((sum, { start, end }) => sum + end - start - referenceChars, 0);
  return saved > 0 && saved >= leastShare * shown;
}

/** Consecutive lines of a state in a text, whether in one piece or each behind its number. */
interface ShownStretch {
  readonly state: Pick<ShownText, "path" | "sha256" | "encoding">;
  readonly pieces: readonly ShownText[];
  readonly start: number;
  readonly end: number;
}

/** The stretches of each state that are long enough. */
function byState(shows: readonly ShownText[], text: string): readonly (readonly ShownStretch[])[] {
  const states = new Map<string, ShownStretch[]>();
  for (const pieces of consecutive(shows, text)) {
    const [first, last] = [pieces[0], pieces.at(-1)];
    if (first === undefined || last === undefined || last.to - first.from + 1 < leastLines) continue;
    const { path, sha256, encoding, start } = first;
    const state = { path, sha256, ...defined({ encoding }) };
    const key = JSON.stringify([path, sha256, encoding]);
    states.set(key, [...(states.get(key) ?? []), { state, pieces, start, end: last.end }]);
  }
  return [...states.values()];
}

function consecutive(shows: readonly ShownText[], text: string): readonly (readonly ShownText[])[] {
  const all: ShownText[][] = [];
  for (const shown of shows) {
    if (shown.chars !== undefined || shown.to < shown.from) continue;
    const last = all.at(-1)?.at(-1);
    if (last !== undefined && follows(last, shown, text)) all.at(-1)?.push(shown);
    else all.push([shown]);
  }
  return all;
}

/**
 * Only lines of which each stands behind its number: between two windows stand the words of a frame, and the signs of a
 * difference say something.
 */
function follows(last: ShownText, next: ShownText, text: string): boolean {
  const isSame = last.path === next.path && last.sha256 === next.sha256 && last.encoding === next.encoding;
  const isNext = last.from === last.to && next.from === next.to && next.from === last.to + 1;
  return isSame && isNext && /^ *\d+[\t→]$/.test(text.slice(last.end, next.start));
}

function repeatsIn(
  { text, versionOf }: Pick<DeltaRequest, "text" | "versionOf">,
  stretch: ShownStretch,
  index: RunIndex,
): readonly RepeatedLines[] {
  const { pieces, state } = stretch;
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined) return [];
  const lines = hashedLines(
    pieces.map(({ start, end }) => text.slice(start, end)).join(""),
    last.to - first.from + 1,
  );
  if (lines === undefined) return [];
  const { starts } = lines;
  return runsIn(lines, index).map(({ at, there, lines: count, segment }): RepeatedLines => {
    const [opening, closing] =
      pieces.length === 1 ? [first, first] : [pieces[at] ?? first, pieces[at + count - 1] ?? last];
    const isWhole = pieces.length > 1;
    const { sha256 } = segment;
    const known = sourcesOf(segment, there, count).map((nodeId) =>
      versionOf(nodeId, { path: state.path, sha256 }),
    );
    const versions = [...new Set(known.filter((version) => version !== undefined))];
    return {
      start: isWhole ? opening.start : first.start + (starts[at] ?? 0),
      end: isWhole ? closing.end : first.start + (starts[at + count] ?? 0),
      ...state,
      from: first.from + at,
      to: first.from + at + count - 1,
      as: { sha256, from: segment.from + there, ...(versions.length === 0 ? {} : { versions }) },
    };
  });
}

/** The nodes that show so many lines of a segment. */
function sourcesOf({ from, sources }: VisibleStretch, there: number, lines: number): readonly string[] {
  const [first, last] = [from + there, from + there + lines - 1];
  return sources
    .filter(({ line }, at) => line <= last && (sources[at + 1]?.line ?? Number.POSITIVE_INFINITY) > first)
    .map(({ nodeId }) => nodeId);
}

/** From the first line to the last, always the longest run that begins there. */
function runsIn(lines: NonNullable<ReturnType<typeof hashedLines>>, index: RunIndex): readonly FoundRun[] {
  const runs = runHashes(lines.hashes);
  const found: FoundRun[] = [];
  for (let at = 0; at < runs.length; ) {
    const run = index.longestAt(lines, runs, at);
    if (run !== undefined) found.push(run);
    at += run?.lines ?? 1;
  }
  return found;
}
