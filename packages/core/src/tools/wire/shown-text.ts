import type { ShownText } from "../../conversation/values/index.js";
import type { FileState } from "../../files/values/index.js";
import { countLines, LineFinder } from "../../text/index.js";
import type { TextBlock } from "./reply.js";
import type { Shown } from "./shown.js";
import type { NumberedLines } from "./spoken.js";

/**
 * Where the lines of a frame stand.
 *
 * @param starts of the frame's raw texts within the frame, in their order.
 * @param at where the frame begins.
 */
export function linesOfShown(
  state: FileState,
  shown: Shown,
  starts: readonly number[],
  at: number,
): readonly ShownText[] {
  return rangesOf(state, shown).flatMap(({ from, to, length }, index) => {
    const start = starts[index];
    if (start === undefined) return [];
    return inPart(state, spanOf(state, { from, to }, at + start, at + start + length));
  });
}

/** Of a part of one line, which part it is. */
function inPart({ chars }: FileState, spans: readonly ShownText[]): readonly ShownText[] {
  return chars === undefined ? spans : spans.map((span) => ({ ...span, chars }));
}

/** Where lines that each stand behind their number are shown; `from` is the number of the first, `at` where the text begins. */
export function linesOfNumbered(
  state: FileState,
  { places }: NumberedLines,
  { from, at }: { readonly from: number; readonly at: number },
): readonly ShownText[] {
  return places.flatMap(({ start, length }, index) => {
    const line = from + index;
    return inPart(state, spanOf(state, { from: line, to: line }, at + start, at + start + length));
  });
}

function rangesOf({ lines }: FileState, shown: Shown) {
  switch (shown.kind) {
    case "full": {
      const { content } = shown;
      const from = lines?.from ?? 1;
      return [{ from, to: from + countLines(content) - 1, length: content.length }];
    }
    case "windows":
      return shown.windows.map(({ from, to, text }) => ({ from, to, length: text.length }));
    case "none":
    case "told":
    case "too_large":
      return [];
    default:
      return shown satisfies never;
  }
}

/**
 * The lines that a message quotes, where they are the state's to the letter. A line of a difference may stand
 * there without its terminator: then it is shown as all of its characters.
 *
 * @param at where the text begins.
 */
export function quotedLines({ text, quotes }: TextBlock, at: number): readonly ShownText[] {
  if (quotes === undefined || quotes.state.content === null) return [];
  const { state } = quotes;
  const first = state.lines?.from ?? 1;
  const lines = new LineFinder(quotes.state.content);
  return quotes.lines.flatMap(({ from, to, start }) => {
    const quoted = lines.lines(from - first + 1, to - first + 1);
    if (text.startsWith(quoted, start))
      return spanOf(state, { from, to }, at + start, at + start + quoted.length);
    const line = from === to ? lines.contents(from - first + 1, to - first + 1)[0] : undefined;
    if (line === undefined || !text.startsWith(line, start)) return [];
    const of = [...line].length;
    const spans = spanOf(state, { from, to }, at + start, at + start + line.length);
    return spans.map((span) => ({ ...span, chars: { from: 0, to: of, of } }));
  });
}

function spanOf(
  { path, sha256 }: FileState,
  { from, to }: { readonly from: number; readonly to: number },
  start: number,
  end: number,
): readonly ShownText[] {
  return sha256 === null || to < from ? [] : [{ path, sha256, from, to, start, end }];
}
