import { libraryWords, say, type Vocabulary } from "../../files/index.js";
import { cutVisibly } from "../../text/index.js";
import { pageWithin } from "./page.js";
import type { FilePart, LinesBlock, Reply, ReplyBlock, TextBlock } from "./reply.js";
import type { Shown } from "./shown.js";
import { lengthNumbered } from "./spoken.js";

/**
 * A reply within its budget: blocks are cut by rank, the least important first: content and listings, then
 * the windows of what changed, then where it landed, then what is said of it, then the status. What is cut
 * says so, and counts as not shown.
 *
 * @param lengthOf the length of the reply as it is written, in characters (UTF-16 units).
 */
export function fitReply(
  reply: Reply,
  budgetChars: number,
  lengthOf: (reply: Reply) => number,
  words: Vocabulary = libraryWords,
): Reply {
  let fitted = reply;
  for (const rank of ranks) {
    // A pass can fall short by the notes that it adds; more than a few are never needed.
    for (let pass = 0; pass < mostPasses; pass++) {
      const over = lengthOf(fitted) - budgetChars;
      if (over <= 0) return fitted;
      const cut = cutBlocks(fitted.blocks, { rank, words, left: over + noteChars });
      if (cut === undefined) break;
      fitted = { ...fitted, blocks: cut };
    }
  }
  return fitted;
}

const ranks = ["content", "windows", "report", "text", "file", "frame", "status"] as const;
type Rank = (typeof ranks)[number];
const mostPasses = 6;
/** For a sentence that says what was cut. */
const noteChars = 300;

interface Cutting {
  readonly rank: Rank;
  readonly words: Vocabulary;
  /** Characters that are still to be cut. */
  left: number;
}

/** The blocks without so many characters, from the last; undefined where none of this rank is left to cut. */
function cutBlocks<Block extends ReplyBlock>(
  blocks: readonly Block[],
  cutting: Cutting,
): readonly Block[] | undefined {
  const kept: Block[] = [];
  let isCut = false;
  for (const block of blocks.toReversed()) {
    const cut = cutting.left > 0 ? cutBlock(block, cutting) : block;
    if (cut !== block) isCut = true;
    // The cast: what is cut keeps its kind.
    if (cut !== undefined) kept.push(cut as Block);
  }
  return isCut ? kept.toReversed() : undefined;
}

/** @returns undefined where the whole block goes; the block itself where it is not of this rank. */
function cutBlock(block: ReplyBlock, cutting: Cutting): ReplyBlock | undefined {
  const { rank } = cutting;
  if (block.kind === "file") {
    if (rank === "file") return dropped(block.path.length, cutting);
    const blocks: readonly FilePart[] | undefined = cutBlocks(block.blocks, cutting);
    return blocks === undefined ? block : { ...block, blocks };
  }
  switch (rank) {
    case "content":
      return cutContent(block, cutting);
    case "windows":
      if (block.kind !== "lines" || block.shown.kind !== "windows") return block;
      return dropWindows(block, cutting);
    case "report":
      return block.kind === "report" ? dropped(noteChars, cutting) : block;
    case "text":
      return block.kind === "text" ? cutTextBlock(block, cutting) : block;
    case "frame":
      return block.kind === "lines" || block.kind === "refers" ? dropped(noteChars, cutting) : block;
    case "status": {
      if (block.kind !== "status" || block.message === "") return block;
      const message = cutVisibly(block.message, Math.max(0, block.message.length - cutting.left));
      return { ...block, message: message.length < block.message.length ? message : "" };
    }
    case "file":
      return block;
    default:
      return rank satisfies never;
  }
}

function dropped(chars: number, cutting: Cutting): undefined {
  cutting.left -= chars;
  return undefined;
}

function cutContent(block: ReplyBlock, cutting: Cutting): ReplyBlock | undefined {
  switch (block.kind) {
    case "lines":
      return block.shown.kind === "full" ? pageOf(block, block.shown.content, cutting) : block;
    case "entries": {
      const entries = cutList(block.entries, ({ path }) => path.length + 2, cutting);
      return entries === undefined ? block : { ...block, entries, more: "answer" };
    }
    case "matches": {
      const size = ({ text, before, after }: (typeof block.matches)[number]) =>
        [text, ...before, ...after].reduce((sum, line) => sum + line.length, 0);
      const matches = cutList(block.matches, size, cutting);
      if (matches !== undefined) return { ...block, matches, more: "answer" };
      const files = cutList(block.files ?? [], ({ path }) => path.length + 8, cutting);
      return files === undefined ? block : { ...block, files, more: "answer" };
    }
    case "left_out": {
      const files = cutList(block.files, ({ path }) => path.length + 2, cutting);
      return files === undefined ? block : { ...block, files };
    }
    default:
      return block;
  }
}

/** The beginning of a list; undefined where nothing is left to cut. */
function cutList<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  cutting: Cutting,
): readonly Item[] | undefined {
  let end = items.length;
  for (; end > 0 && cutting.left > 0; end--) {
    const last = items[end - 1];
    if (last !== undefined) cutting.left -= sizeOf(last);
  }
  return end === items.length ? undefined : items.slice(0, end);
}

/** The first page of the lines; where not even one of them fits, none of them. */
function pageOf(block: LinesBlock, content: string, cutting: Cutting): LinesBlock {
  const written = block.form === "numbered" ? lengthNumbered(content) : content.length;
  // Of numbered lines the same part of the text fits as of the lines with their numbers.
  const roomChars = Math.floor(((written - cutting.left) * content.length) / written);
  const room = { roomChars, words: cutting.words };
  const page = pageWithin(block.state, content, room);
  const { omission } = page;
  const shown: Shown =
    page.kind === "page" ? { kind: "full", content: page.state.content } : { kind: "too_large" };
  cutting.left -= content.length - (page.kind === "page" ? page.state.content.length : 0);
  return page.kind === "page"
    ? { ...block, state: page.state, shown, omission }
    : { ...block, shown, omission };
}

function dropWindows(block: LinesBlock, cutting: Cutting): LinesBlock {
  if (block.shown.kind !== "windows") return block;
  const windows = cutList(block.shown.windows, ({ text }) => text.length, cutting);
  if (windows === undefined) return block;
  const omitted = block.shown.omitted + block.shown.windows.length - windows.length;
  const template = "$omitted more changed places are too long to show[; read them with {read}, {window}].";
  const omission = say({ template, facts: { omitted } }, cutting.words);
  return { ...block, shown: { kind: "windows", windows, omitted }, omission };
}

function cutTextBlock(block: TextBlock, cutting: Cutting): TextBlock | undefined {
  const room = block.text.length - cutting.left;
  if (room <= 0) return dropped(block.text.length, cutting);
  const text = cutVisibly(block.text, room);
  cutting.left -= block.text.length - text.length;
  const { quotes, since: _, ...rest } = block;
  const lines =
    quotes?.lines.filter((_, at) => (quotes.lines[at + 1]?.start ?? block.text.length) <= room) ?? [];
  return { ...rest, text, ...(quotes === undefined ? {} : { quotes: { ...quotes, lines } }) };
}
