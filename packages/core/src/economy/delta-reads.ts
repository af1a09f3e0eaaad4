import type { VisibleBlock } from "../context/index.js";
import {
  type FileContent,
  type RepeatedLines,
  type ShownText,
  withRepeats,
} from "../conversation/values/index.js";
import { defined } from "../text/index.js";
import {
  type FoundRun,
  hashedLines,
  leastLines,
  RunIndex,
  runHashes,
  segmentsOf,
  type VisibleStretch,
} from "./delta-index.js";

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
