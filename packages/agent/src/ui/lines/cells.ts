import { eastAsianWidth } from "get-east-asian-width";

/** How many cells of a terminal a text takes. Controls count nothing: they are to be escaped before. Pure. */
export function cellsOf(text: string): number {
  if (isPlain(text)) return text.length;
  let cells = 0;
  for (const { segment } of graphemesOf(text)) cells += cellsOfGrapheme(segment);
  return cells;
}

/** Whether each UTF-16 unit of a text takes one cell, as it does in most texts; to cut graphemes takes a hundred times longer. */
export function isPlain(text: string): boolean {
  return plain.test(text);
}

/** ASCII, Latin, Greek and Cyrillic letters, and the signs of our own rows: none joins another. */
const plain =
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0377\u0391-\u03a1\u03a3-\u0482\u048a-\u052f…←→─-╿▸◆✓✗]*$/;

/** What a person sees as one character each, as Unicode cuts a text. */
export function graphemesOf(text: string): Intl.Segments {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return graphemes.segment(text);
}

/** Made when a text asks for it: it takes 9 ms, which a run without a screen would pay, too. */
let graphemes: Intl.Segmenter | undefined;

/** Whether a grapheme is drawn as a picture, so that its parts are no characters of their own. */
function isEmoji(grapheme: string): boolean {
  return /^(\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Extended_Pictographic}\u200d|\p{RI}\p{RI})/u.test(
    grapheme,
  );
}

function cellsOfGrapheme(grapheme: string): number {
  if (isEmoji(grapheme)) return 2;
  let cells = 0;
  for (const char of grapheme)
    cells += isWithoutCell.test(char) ? 0 : eastAsianWidth(char.codePointAt(0) ?? 0);
  return cells;
}

/** Marks, controls, what is not seen, and the later letters of a Korean syllable. */
const isWithoutCell = /[\p{Mn}\p{Me}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11ff]/u;
