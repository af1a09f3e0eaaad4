import type { ShownText } from "../../conversation/values/index.js";
import type { FileState, ListedEntry } from "../../files/values/index.js";
import {
  chooseSuffix,
  clip,
  countLines,
  escapeForDisplay,
  type FrameSuffix,
  frameText,
  LineFinder,
  quoteForDisplay,
  showUnsafe,
} from "../../text/index.js";
import { headerAttributes } from "./json.js";
import { closedNote, filesToText, ignoredNote, matchesToText, searchNotes } from "./looking.js";
import type {
  EntriesBlock,
  FileBlock,
  LinesBlock,
  Reply,
  ReplyBlock,
  StatusBlock,
  TextBlock,
} from "./reply.js";
import { describeRepair, type LineWindow, type Shown } from "./shown.js";
import { type NumberedLines, numberLines, sizedEntries } from "./spoken.js";

/** A reply as it is sent, and where in it the lines of files stand. */
export interface WrittenReply {
  readonly text: string;
  /** In the order of the text. */
  readonly shows: readonly ShownText[];
}

/**
 * Writes a reply as text: a status line (left out by a read that succeeded), then the frames, one after the
 * other, then an empty line and details. Whatever looks like a frame elsewhere is no frame.
 */
export function writeText({ form, blocks, ignored }: Reply): WrittenReply {
  const parts: TextParts = { head: [], frames: [], details: [] };
  if (form === "read_many") addMany(parts, blocks);
  else for (const block of blocks) addBlock(parts, block);
  const { head, frames, details } = parts;
  if (ignored !== undefined) head.splice(1, 0, ignored);
  const suffix = chooseSuffix([
    ...head.map(textOf),
    ...details.map(textOf),
    ...frames.flatMap(({ shown }) => textsOf(shown)),
  ]);
  const out = new Lines();
  for (const line of head) out.add(textOf(line), (at) => quotesIn(line, at));
  for (const { state, shown, form } of frames) {
    if (form === "numbered") addNumbered(out, state, shown);
    else {
      const { text, starts } = writeFrame({ state, shown }, suffix);
      out.add(text, (at) => linesOfShown(state, shown, starts, at));
    }
  }
  if (details.length > 0 && !out.isEmpty) out.add("");
  for (const detail of details) out.add(textOf(detail), (at) => quotesIn(detail, at));
  return { text: out.text, shows: out.shows };
}

/** The parts of a text in their order. */
interface TextParts {
  /** The status line, and what follows it at once. */
  readonly head: Detail[];
  readonly frames: Pick<LinesBlock, "state" | "shown" | "form">[];
  readonly details: Detail[];
}

/** Something said after the frames; of a text that quotes lines, the text follows the lead. */
type Detail = string | { readonly lead: string; readonly block: TextBlock };

function textOf(detail: Detail): string {
  return typeof detail === "string" ? detail : detail.lead + detail.block.text;
}

function quotesIn(detail: Detail, at: number): readonly ShownText[] {
  return typeof detail === "string" ? [] : quotedLines(detail.block, at + detail.lead.length);
}

/** The lines of a file or of its windows, each behind its number; nothing else of a frame. */
function addNumbered(out: Lines, state: FileState, shown: Shown): void {
  for (const { from, to, text } of partsOf(state, shown)) {
    const numbered = numberLines(text, from, to - from + 1);
    out.add(numbered.text, (at) => linesOfNumbered(state, numbered, { from, at }));
  }
}

function partsOf({ lines, facts }: FileState, shown: Shown): readonly LineWindow[] {
  if (shown.kind === "windows") return shown.windows;
  if (shown.kind !== "full") return [];
  const { from, to } = lines ?? { from: 1, to: facts?.totalLines ?? 0 };
  return [{ from, to, text: shown.content }];
}

/** Lines that are put one under the other, and what is shown in them. */
class Lines {
  private readonly written: string[] = [];
  readonly shows: ShownText[] = [];
  private length = 0;

  get isEmpty(): boolean {
    return this.written.length === 0;
  }

  get text(): string {
    return this.written.join("\n");
  }

  /** @param showsAt what the line shows, from where it begins. */
  add(line: string, showsAt: (start: number) => readonly ShownText[] = () => []): void {
    const start = this.isEmpty ? 0 : this.length + 1;
    this.shows.push(...showsAt(start));
    this.written.push(line);
    this.length = start + line.length;
  }
}

function addBlock(parts: TextParts, block: ReplyBlock): void {
  switch (block.kind) {
    case "status":
      parts.head.push(block.spoken ?? statusLine(block));
      return;
    case "text":
      if (block.text !== "") parts[block.isFirst === true ? "head" : "details"].push({ lead: "", block });
      return;
    case "refers":
      parts.head.push(statusLine({ success: true, code: "ok", message: block.message }));
      parts.frames.push({ state: block.state, shown: { kind: "none" } });
      return;
    case "lines":
      if (block.form !== "left_out") parts.frames.push(block);
      if (block.omission !== undefined) parts.details.push(block.omission);
      return;
    case "report":
      parts.details.push(...block.repairs.map((repair) => `Repaired: ${describeRepair(repair)}.`));
      return;
    case "file":
      addFile(parts, block);
      return;
    case "left_out":
      parts.details.push(
        ...block.files.map(
          ({ path, sizeBytes }) =>
            `Left out, read it on its own: ${quoteForDisplay(path)} (${sizeBytes} bytes)`,
        ),
        ...(block.omission === undefined ? [] : [block.omission]),
      );
      return;
    case "entries":
      addEntries(parts, block);
      return;
    case "matches": {
      const isNothing = block.matches.length + (block.files ?? []).length === 0;
      const notes = [...searchNotes(block), ...(isNothing ? ignoredNote(block.skips.ignored) : [])];
      const more = block.omission === undefined ? [] : [block.omission];
      parts.head.push(...matchesToText(block.matches), ...filesToText(block.files ?? []));
      if (notes.length === 0) parts.head.push(...more);
      else parts.details.push(...notes, ...more);
      return;
    }
    default:
      block satisfies never;
  }
}

function addEntries(parts: TextParts, block: EntriesBlock): void {
  const { entries, omission, isListing, under, closedFolders, ignored } = block;
  parts.head.push(...(under === undefined ? entries.map(entryLine) : sizedEntries(block)));
  parts.details.push(...closedNote(closedFolders));
  if (isListing === true || entries.length === 0) parts.details.push(...ignoredNote(ignored));
  if (omission !== undefined) parts.details.push(omission);
}

/** One file of a change set: its frame, then a line with its name and code, then what else is said. */
function addFile(parts: TextParts, { path, blocks }: FileBlock): void {
  const [first, second] = blocks;
  if (first?.kind === "status") {
    const lead = `${quoteForDisplay(path)} (${first.code}): `;
    const rest = second?.kind === "text" && !first.success ? second : undefined;
    if (first.success) parts.details.push(lead + singleLine(first.message));
    else if (rest === undefined) parts.details.push(lead + first.message);
    else parts.details.push({ lead: lead + first.message + rest.gap, block: rest });
  }
  for (const block of blocks) {
    if (block.kind === "lines") {
      parts.frames.push(block);
      if (block.omission !== undefined) parts.details.push(`  ${block.omission}`);
    }
    if (block.kind === "report")
      parts.details.push(...block.repairs.map((repair) => `  Repaired: ${describeRepair(repair)}.`));
  }
}

/** Files that were read together: the frames, then what was not sent again, was not read, was left out. */
function addMany(parts: TextParts, blocks: readonly ReplyBlock[]): void {
  const unread: string[] = [];
  for (const block of blocks) {
    if (block.kind !== "file") continue;
    const name = quoteForDisplay(block.path);
    for (const part of block.blocks) {
      if (part.kind === "lines") parts.frames.push(part);
      if (part.kind === "refers") {
        parts.frames.push({ state: part.state, shown: { kind: "none" } });
        parts.details.push(`${name}: ${part.message}`);
      }
      if (part.kind === "status")
        unread.push(`Not read: ${name} (${part.code}): ${singleLine(part.message)}`);
    }
  }
  parts.details.push(...unread);
  for (const block of blocks) if (block.kind !== "file") addBlock(parts, block);
}

function textsOf(shown: Shown): readonly string[] {
  if (shown.kind === "full") return [shown.content];
  return shown.kind === "windows" ? shown.windows.map(({ text }) => text) : [];
}

function statusLine({ success, code, message }: Omit<StatusBlock, "kind">): string {
  return `${success ? "OK" : "FAILED"} (${code}): ${showUnsafe(message)}`;
}

/** A message's first line, for a list where each has one line. */
function singleLine(message: string): string {
  return clip(showUnsafe(message), 300);
}

/** One entry a line: the name, a tab, the size in bytes; a folder ends in `/`. */
function entryLine(entry: ListedEntry): string {
  const quoted = quoteForDisplay(entry.path);
  const plain = quoted === `"${entry.path}"` && entry.path.trim() === entry.path ? entry.path : quoted;
  const notes = [
    ...(entry.sizeBytes === undefined ? [] : [String(entry.sizeBytes)]),
    ...(entry.special === undefined ? [] : [entry.special]),
    ...(entry.openable ? [] : ["cannot be opened by name"]),
  ];
  const leads = entry.leadsTo === undefined ? "" : ` -> ${escapeForDisplay(entry.leadsTo)}`;
  return [entry.isDirectory ? `${plain}/` : `${plain}${leads}`, ...notes].join("\t");
}

/**
 * The frame around a file's text: one header line, the raw text, and the closing marker glued to its end,
 * so that no newline is invented. Neither marker occurs in any text of the reply; names are quoted. A
 * frame can therefore be neither closed nor forged from inside.
 */
interface FileFrame {
  readonly state: FileState;
  readonly shown: Shown;
}

/** A frame, and where the raw text, or each window of it, begins in it (UTF-16). */
interface WrittenFrame {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Writes one frame. `suffix` must come from `chooseSuffix` over all texts of the reply. */
function writeFrame({ state, shown }: FileFrame, suffix: FrameSuffix): WrittenFrame {
  const attributes = headerAttributes(state, shown.kind === "full");
  if (shown.kind === "full") {
    const { text, start } = frameText(attributes, shown.content, suffix);
    return { text, starts: [start] };
  }
  const windows = shown.kind === "windows" ? shown.windows : [];
  let text = `<file${suffix}${attributes} shown="${windows.length === 0 ? "no" : "changed lines"}"/>`;
  const starts: number[] = [];
  for (const { from, to, text: lines } of windows) {
    text += `\n<lines${suffix} from="${from}" to="${to}">\n`;
    starts.push(text.length);
    text += `${lines}</lines${suffix}>`;
  }
  return { text, starts };
}

/**
 * Where the lines of a frame stand.
 *
 * @param starts of the frame's raw texts within the frame, in their order.
 * @param at where the frame begins.
 */
function linesOfShown(
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
function linesOfNumbered(
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
