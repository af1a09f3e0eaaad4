import type { ReferredLines, RepeatedLines, ShownText } from "../../conversation/values/index.js";
import { chooseSuffix, defined, endsLine, shortHash } from "../../text/index.js";
import { type SeenStates, type VisibleLines, visibleLinesIn } from "./visibility.js";

/** A text that repeats lines of the prompt, as it is written below them. */
interface WrittenRepeats {
  readonly text: string;
  /** Which lines stand in it itself. */
  readonly shows: readonly ShownText[];
  /** The lines that stand above in their place, by the state under which they stand there. */
  readonly refers: readonly ReferredLines[];
  readonly repeated: readonly EarlierLines[];
}

/** Lines of a state that stand above under the name of another, or in another answer. */
export interface EarlierLines {
  readonly lines: RepeatedLines;
  readonly standing: VisibleLines;
}

/**
 * A text with references in the place of lines that stand above to the letter. Lines that do not, because something
 * took them out of this prompt, are written out: no reference ever names what is not there.
 *
 * @param seen what stands above the text.
 */
export function writeRepeats(
  text: string,
  shows: readonly ShownText[],
  repeats: readonly RepeatedLines[],
  seen: SeenStates,
): WrittenRepeats {
  const repeated = resolved(text, shows, repeats, seen);
  if (repeated.length === 0) return { text, shows, refers: [], repeated };
  const tag = `lines${chooseSuffix([text])}`;
  const out = new Rewritten(text, `${announcement(tag)}\n`);
  for (const { lines } of repeated) out.replace(lines, referenceText(lines, tag, text));
  return {
    text: out.finish(),
    shows: out.moved(shows),
    refers: repeated.map(({ lines }) => referred(lines)),
    repeated,
  };
}

function announcement(tag: string): string {
  return `Lines that are shown above are not repeated: <${tag}>…</${tag}> names them in their place. Reading with full: true sends them again.`;
}

/** How a reference is written. No text that it stands in holds its tag. */
function referenceText(lines: RepeatedLines, tag: string, text: string): string {
  const end = endsLine(text.slice(lines.end - 1, lines.end)) ? "\n" : "";
  return `<${tag}>${referenceWords(lines)}</${tag}>${end}`;
}

function referenceWords({ from, to, as }: RepeatedLines): string {
  const { versions = [], sha256 } = as;
  const named = `version${versions.length > 1 ? "s" : ""} ${versions.join(", ")}`;
  const state = versions.length === 0 ? `state ${shortHash(sha256)}…` : named;
  const there = as.from === from ? "as" : `as lines ${as.from}–${as.from + to - from}`;
  return `lines ${from}–${to} ${there} shown in ${state} above`;
}

function referred({ path, as, from, to, encoding }: RepeatedLines): ReferredLines {
  return { path, sha256: as.sha256, from: as.from, to: as.from + to - from, ...defined({ encoding }) };
}

/** Those whose lines stand above, and are the same to the letter. */
function resolved(
  text: string,
  shows: readonly ShownText[],
  repeats: readonly RepeatedLines[],
  seen: SeenStates,
): readonly EarlierLines[] {
  let end = 0;
  return repeats.flatMap((lines) => {
    if (lines.start < end || lines.end <= lines.start || lines.end > text.length) return [];
    const standing = visibleLinesIn(seen, referred(lines));
    if (standing === undefined || standing.text !== shownText(text, shows, lines)) return [];
    end = lines.end;
    return [{ lines, standing }];
  });
}

/** The lines that a text shows within a stretch, without what stands between them; undefined where it shows others. */
function shownText(
  text: string,
  shows: readonly ShownText[],
  { start, end, path, sha256, encoding, from, to }: RepeatedLines,
): string | undefined {
  const isOfState = (one: ShownText) =>
    one.path === path && one.sha256 === sha256 && one.encoding === encoding && one.chars === undefined;
  const around = shows.find(
    (one) => isOfState(one) && one.start <= start && end <= one.end && one.from <= from && to <= one.to,
  );
  if (around !== undefined) return text.slice(start, end);
  const inside = shows.filter((one) => start <= one.start && one.end <= end);
  let next = from;
  for (const one of inside) {
    if (!isOfState(one) || one.from !== next) return undefined;
    next = one.to + 1;
  }
  return next === to + 1 ? inside.map((one) => text.slice(one.start, one.end)).join("") : undefined;
}

/** A text of which stretches are replaced, from the first to the last. */
class Rewritten {
  private readonly written: string[];
  private readonly cuts: (Pick<RepeatedLines, "start" | "end" | "from" | "to"> & {
    readonly shift: number;
  })[] = [];
  private at = 0;
  private shift: number;

  constructor(
    private readonly text: string,
    private readonly head: string,
  ) {
    this.written = [head];
    this.shift = head.length;
  }

  replace({ start, end, from, to }: RepeatedLines, by: string): void {
    this.written.push(this.text.slice(this.at, start), by);
    this.shift += by.length - (end - start);
    this.cuts.push({ start, end, from, to, shift: this.shift });
    this.at = end;
  }

  finish(): string {
    return this.written.join("") + this.text.slice(this.at);
  }

  /** What is still shown, and where. */
  moved(shows: readonly ShownText[]): readonly ShownText[] {
    const left: ShownText[] = [];
    let first = 0;
    for (const shown of shows.toSorted((one, other) => one.start - other.start)) {
      while ((this.cuts[first]?.end ?? Number.POSITIVE_INFINITY) <= shown.start) first += 1;
      let rest: ShownText | undefined = shown;
      for (let at = first; rest !== undefined; at += 1) {
        const cut = this.cuts[at];
        const shift = this.cuts[at - 1]?.shift ?? this.head.length;
        if (cut === undefined || cut.start >= rest.end) {
          left.push({ ...rest, start: rest.start + shift, end: rest.end + shift });
          break;
        }
        if (cut.start > rest.start)
          left.push({ ...rest, to: cut.from - 1, start: rest.start + shift, end: cut.start + shift });
        rest = cut.end < rest.end ? { ...rest, from: cut.to + 1, start: cut.end } : undefined;
      }
    }
    return left;
  }
}
