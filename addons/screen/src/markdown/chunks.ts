/**
 * A Markdown text that is still being written, cut where nothing that follows can change what stands before. Each line is
 * looked at once, so that the cuts are the same however the text arrives, and cost nothing of what came long before.
 */
export interface ChunkState {
  readonly kind: "none" | "text" | "list" | "fence";
  /** Whole lines of the open chunk, without their ends. */
  readonly lines: readonly string[];
  /** What has no line's end yet. */
  readonly rest: string;
  /** A code fence that is open, in the chunk or in one of its items. */
  readonly fence?: Fence;
  /** A blank line ends the open list unless its next line belongs to it. */
  readonly isBlank: boolean;
  /** The open chunk goes on what was cut off before it. */
  readonly goesOn: boolean;
  /** Header and rule of an open table, which each of its parts begins with. */
  readonly tableHead?: readonly string[];
}

/** A part of a Markdown text whose meaning is fixed. */
export interface Chunk {
  readonly source: string;
  /** It goes on the chunk before: no gap is between them. */
  readonly goesOn: boolean;
  /** A table that goes on has its header once more in the source, which is not shown again. */
  readonly repeatsHead: boolean;
  /** Lines of the code within a fence that was opened before. */
  readonly code?: Fence;
  /** Blanks that each line begins with, because it stands in a list of which a part was cut off. */
  readonly indent: number;
}

/** What opened a block of code. */
interface Fence {
  readonly sign: string;
  readonly language: string;
  readonly indent: number;
}

/** Before a text. */
export const noChunk: ChunkState = { kind: "none", lines: [], rest: "", isBlank: false, goesOn: false };

/** Takes more of the text. @returns the chunks that it ends. Pure. */
export function takeText(state: ChunkState, text: string): { state: ChunkState; chunks: readonly Chunk[] } {
  const lines = (state.rest + text).split("\n");
  const rest = piecesOf(lines.pop() ?? "");
  const last = rest.pop() ?? "";
  const cutter = new Cutter({ ...state, rest: last });
  for (const line of lines) for (const piece of piecesOf(line.replace(/\r$/u, ""))) cutter.take(piece);
  for (const piece of rest) cutter.take(piece);
  return { state: cutter.state, chunks: cutter.chunks };
}

/** A line without an end is cut at a blank: each word that comes would have it parsed again. */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > mostLineChars) {
    const at = rest.lastIndexOf(" ", mostLineChars - 1) + 1 || wholeCharsEnd(rest);
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
}

function wholeCharsEnd(text: string): number {
  const last = text.charCodeAt(mostLineChars - 1);
  return last >= 0xd800 && last <= 0xdbff ? mostLineChars - 1 : mostLineChars;
}

const mostLineChars = 4_000;

/** The open chunk as it stands; undefined where nothing is open. */
export function openChunk(state: ChunkState): Chunk | undefined {
  const { rest, lines, fence, kind } = state;
  const all = rest === "" ? lines : [...lines, rest];
  if (all.length === 0 || (kind === "none" && rest.trim() === "")) return undefined;
  return chunkOf({ ...state, lines: all, ...(fence && { fence }) });
}

/** Lines of one chunk, after which it is cut where that changes nothing. */
const mostLines = 40;
const mostRows = 200;

/** A chunk ends with such a line: the next would have it parsed again. */
function isLong(line: string): boolean {
  return line.length > mostLineChars / 2;
}

class Cutter {
  readonly chunks: Chunk[] = [];

  constructor(public state: ChunkState) {}

  take(line: string): void {
    switch (this.state.kind) {
      case "none":
        this.#begin(line);
        break;
      case "fence":
        this.#inFence(line);
        break;
      case "list":
        this.#inList(line);
        break;
      case "text":
        this.#inText(line);
        break;
      default:
        this.state.kind satisfies never;
    }
  }

  #begin(line: string): void {
    if (line.trim() === "") {
      this.#set({ goesOn: false });
      return;
    }
    const fence = fenceOf(line);
    if (fence !== undefined) {
      this.#set({ kind: "fence", lines: [line], fence });
      return;
    }
    this.#set({ kind: isItem(line) ? "list" : "text", lines: [line] });
    if (isHeading(line) || isRule(line)) this.#end();
  }

  #inFence(line: string): void {
    const { fence, lines } = this.state;
    this.#push(line);
    if (fence === undefined) return;
    const isOver = closes(fence, line);
    if (!isOver && lines.length < mostLines) return;
    this.#end();
    if (!isOver) this.#set({ kind: "fence", fence, goesOn: true });
  }

  #inList(line: string): void {
    const { fence, isBlank, lines } = this.state;
    const first = blanksBefore(lines[0] ?? line);
    if (fence !== undefined) {
      this.#push(line);
      if (closes(fence, line)) this.#closeFence();
      else if (lines.length >= mostRows) {
        this.#end();
        this.#set({ kind: "fence", fence, goesOn: true });
      }
      return;
    }
    if (line.trim() === "") {
      if (!isBlank) this.#push("");
      this.#set({ isBlank: true });
      return;
    }
    const belongs = isItem(line) || /^\s{2,}/u.test(line) || (!isBlank && !interrupts(line));
    if (!belongs) {
      this.#endAnd(line);
      return;
    }
    const isOuter = isItem(line) && blanksBefore(line) <= first;
    const isCut = lines.length >= (isOuter ? mostLines : mostRows) || isLong(lines.at(-1) ?? "");
    if (isCut || (isOuter && blanksBefore(line) < first)) {
      this.#end();
      this.#set({ kind: "list", goesOn: true });
    }
    this.#push(line);
    const opened = fenceOf(line.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+/u, ""), Number.POSITIVE_INFINITY);
    this.#set({ isBlank: false, ...(opened && { fence: { ...opened, indent: blanksBefore(line) } }) });
  }

  #inText(line: string): void {
    const { lines, tableHead } = this.state;
    const [first = ""] = lines;
    const isSetext = /^ {0,3}-+\s*$/u.test(line) && !first.startsWith(">");
    if (line.trim() === "" || (!isSetext && interrupts(line, first))) {
      this.#endAnd(line);
      return;
    }
    this.#push(line);
    const isTable = lines.length === 1 && isDelimiter(line) && first.includes("|");
    if (isTable) this.#set({ tableHead: [first, line] });
    const after = this.state.lines;
    const mayGoOn = isTable || tableHead !== undefined || (after.length >= mostLines && hasOpenMark(after));
    if (after.length < (mayGoOn ? mostRows : mostLines) && !isLong(line)) return;
    this.#end();
    this.#set({ kind: "text", goesOn: true, ...(tableHead && { tableHead, lines: tableHead }) });
  }

  #endAnd(line: string): void {
    this.#end();
    this.#begin(line);
  }

  #end(): void {
    const { rest, kind } = this.state;
    const chunk = kind === "none" ? undefined : chunkOf(this.state);
    if (chunk !== undefined) this.chunks.push(chunk);
    this.state = { ...noChunk, rest };
  }

  #push(line: string): void {
    this.#set({ lines: [...this.state.lines, line] });
  }

  #closeFence(): void {
    const { fence: _, ...rest } = this.state;
    this.state = rest;
  }

  #set(changes: Partial<ChunkState>): void {
    this.state = { ...this.state, ...changes };
  }
}

function chunkOf({ lines, goesOn, fence, kind, tableHead }: ChunkState): Chunk | undefined {
  const isRest = kind === "fence" && goesOn && fence !== undefined;
  const isBare = tableHead !== undefined && goesOn && lines.length <= tableHead.length;
  if (isBare || (isRest && lines.length === 0)) return undefined;
  const repeatsHead = tableHead !== undefined && goesOn;
  const indent = isRest ? fence.indent : kind === "list" && goesOn ? blanksBefore(lines[0] ?? "") : 0;
  return { source: lines.join("\n"), goesOn, repeatsHead, indent, ...(isRest && { code: fence }) };
}

function blanksBefore(line: string): number {
  return line.length - line.trimStart().length;
}

/** @param mostIndent blanks before a fence: more make it code of its own, but in a list. */
function fenceOf(line: string, mostIndent = 3): Fence | undefined {
  const [, blanks = "", sign, info = ""] = /^( *)(`{3,}|~{3,})(.*)$/u.exec(line) ?? [];
  if (sign === undefined || blanks.length > mostIndent || (sign.startsWith("`") && info.includes("`")))
    return undefined;
  return { sign, language: info.trim().split(/[\s{]/u)[0]?.toLowerCase() ?? "", indent: blanks.length };
}

/** Whether a line ends the code of a fence. */
export function closes({ sign }: Pick<Fence, "sign">, line: string): boolean {
  const closing = line.trim();
  return closing.length >= sign.length && closing === (sign[0] ?? "`").repeat(closing.length);
}

/** Whether emphasis or code was opened in the lines that what follows may close: a cut would show its signs. */
function hasOpenMark(lines: readonly string[]): boolean {
  const marks =
    lines
      .join("\n")
      .replace(/\\./gu, "")
      .match(/`+|\*\*|__|~~|[*_]/gu) ?? [];
  const counts = new Map<string, number>();
  for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return [...counts.values()].some((count) => count % 2 === 1);
}

function isItem(line: string): boolean {
  return /^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/u.test(line) && !isRule(line);
}

function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}(?:\s|$)/u.test(line);
}

function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/u.test(line);
}

function isDelimiter(line: string): boolean {
  return line.includes("|") && /^[\s|:-]+$/u.test(line) && line.includes("-");
}

/** Whether a line begins something else, right below the lines of a paragraph. */
function interrupts(line: string, first = ""): boolean {
  const isQuote = /^ {0,3}>/u.test(line) && !/^ {0,3}>/u.test(first);
  const isList = /^ {0,3}(?:[-*+]|1[.)])\s+\S/u.test(line) && first !== "" && !first.startsWith(">");
  return isHeading(line) || isRule(line) || fenceOf(line) !== undefined || isQuote || isList;
}
