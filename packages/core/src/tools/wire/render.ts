import type { ReferredLines } from "../../conversation/values/index.js";
import { allOf, type LineSpan, type ShownLines } from "../../files/seen/index.js";
import { type FileState, libraryWords, say, type Vocabulary } from "../../files/values/index.js";
import { clip, cutVisibly, defined, escapeInJson } from "../../text/index.js";
import { writeJson } from "./json.js";
import { cutAt } from "./looking.js";
import { answerBudgetChars, type HostLimits, pageChars, type WireOptions } from "./options.js";
import { type PageRoom, pageWithin } from "./page.js";
import type { FilePart, LinesBlock, ListCut, Reply, ReplyBlock, TextBlock } from "./reply.js";
import { replyOf } from "./reply-of.js";
import type { ToolReply, ToolResult } from "./result.js";
import type { Shown } from "./shown.js";
import { lengthNumbered, speak } from "./spoken.js";
import { quotedLines, type WrittenReply, writeText } from "./text.js";

/** Turns a tool's result into what goes on the wire. Pure: the same result gives the same bytes. */
export function renderResult(result: ToolResult, options: WireOptions): ToolReply {
  const { within } = options;
  const mostChars = result.kind === "read" && result.isPage === true ? pageChars : answerBudgetChars;
  const most = options.budgetChars ?? answerBudgetChars;
  const fitsOne = (rest: string) => {
    if (rest.length > most) return false;
    // As long as with numbers of lines, and with what else is said.
    const text = `${rest}${"\n".repeat(130)}`.replaceAll("\n", "\n       ");
    return jsonText(text).length < most && excessOf({ text, json: null }, within ?? {}) < 1;
  };
  // What one script prints is cut as a whole: there no call side by side has room of its own.
  const fits = (texts: readonly string[]) =>
    (texts.length === 1 || within?.printedBytes === undefined) && texts.every(fitsOne);
  let budgetChars = Math.min(most, mostChars);
  for (;;) {
    const reply = renderWithin(result, { ...options, budgetChars }, fits);
    const excess = within === undefined ? 0 : excessOf(reply, within);
    if (excess <= 1 || budgetChars <= leastChars) return reply;
    // What is left out is not like the rest: the next budget is a little less than the share that fits.
    const fitting = Math.floor((Math.min(budgetChars, reply.text.length) / excess) * 0.98);
    budgetChars = Math.max(leastChars, fitting);
  }
}

/** Less than this no budget is cut to for a host's own limits: an answer has to say that it was cut. */
const leastChars = 500;

/** How many times the text is what the host lets through. */
function excessOf(
  reply: Pick<ToolReply, "text" | "json">,
  { bytes = Infinity, lines = Infinity, printedBytes }: HostLimits,
): number {
  const { text } = reply;
  const printed = printedBytes === undefined ? 0 : printedSize(reply) / printedBytes;
  return Math.max(sizeOf(text) / bytes, (text.split("\n").length + 1) / lines, printed);
}

/** How much a script prints that shows all of an answer, in bytes: text and facts, each written as JSON. */
export function printedSize({ text, json }: Pick<ToolReply, "text" | "json">): number {
  return sizeOf(jsonText(text)) + sizeOf(jsonText(factsOf(json)));
}

/** The JSON form of an answer without the content of files, which stands in the text form. */
export function factsOf(json: unknown): unknown {
  const isText = (key: string, value: unknown) => key === "content" && typeof value === "string";
  return JSON.parse(JSON.stringify(json, (key, value) => (isText(key, value) ? undefined : value)));
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function renderWithin(result: ToolResult, options: WireOptions, fits: Door["fits"]): ToolReply {
  const { budgetChars = answerBudgetChars, wire, vocabulary, isStructured = false, spoken } = options;
  // Most replies fit at once: then what was measured is what is sent.
  let written = emptyReply;
  const lengthOf = (reply: Reply) => {
    if (written.reply !== reply) written = { reply, ...writeReply(reply, wire) };
    const { length } = written.text;
    return isStructured && !bearsContent(reply)
      ? Math.max(length, jsonText(writeJson(reply)).length)
      : length;
  };
  const whole = { ...replyOf(result, options), ...defined({ ignored: options.ignored }) };
  const said = spoken === undefined || wire === "json" ? whole : speak(whole, spoken);
  const reply = fitReply(said, budgetChars, lengthOf, { words: vocabulary ?? libraryWords, fits });
  if (lengthOf(reply) > budgetChars || reply.blocks.length === 0) return smallestReply(reply, options);
  const { success, code } = reply;
  const { text, shows } = written;
  const json = writeJson(reply);
  const shown = reply.blocks.flatMap(linesShown);
  const refers = reply.blocks.flatMap(linesReferred);
  return { success, code, text, shows, json, bearsContent: bearsContent(reply), shown, refers };
}

const emptyReply: WrittenReply & { readonly reply?: Reply } = { text: "", shows: [] };

/** Not even a header fits into so small a budget: how it went, and why there is no more. */
function smallestReply({ success, code }: Reply, options: WireOptions): ToolReply {
  const { budgetChars = answerBudgetChars, wire, isStructured = false } = options;
  const message = `The answer does not fit into its budget of ${budgetChars} characters.`;
  const candidates = [{ success, code, message }, { success, code }, {}];
  const json = candidates.find((one) => jsonText(one).length <= budgetChars) ?? {};
  const line = clip(`${success ? "OK" : "FAILED"} (${code}): ${message}`, budgetChars);
  const written = wire === "json" || isStructured ? jsonText(json) : line;
  const text = written.slice(0, budgetChars);
  return { success, code, text, shows: [], json, bearsContent: false, shown: [], refers: [] };
}

function jsonText(value: unknown): string {
  return escapeInJson(JSON.stringify(value));
}

/** In JSON line breaks are escapes: nothing of a file stands there verbatim. */
function writeReply(reply: Reply, wire: WireOptions["wire"]): WrittenReply {
  return wire === "json" ? { text: jsonText(writeJson(reply)), shows: [] } : writeText(reply);
}

/** The lines that a block speaks of without showing them. */
function linesReferred(block: ReplyBlock | FilePart): readonly ReferredLines[] {
  if (block.kind === "file") return block.blocks.flatMap(linesReferred);
  if (block.kind !== "refers" || block.state.sha256 === null) return [];
  const { path, sha256, lines, facts } = block.state;
  const { from, to } = lines ?? { from: 1, to: facts?.totalLines ?? 0 };
  return [{ path, sha256, from, to }];
}

/** The lines of files that a block shows. */
function linesShown(block: ReplyBlock | FilePart): readonly ShownLines[] {
  switch (block.kind) {
    case "file":
      return block.blocks.flatMap(linesShown);
    case "lines": {
      const { state, shown } = block;
      if (shown.kind === "full") return allOf(state);
      return shown.kind === "windows" ? someOf(state, shown.windows) : [];
    }
    case "text":
      return quotedIn(block);
    default:
      return [];
  }
}

/** The lines that a message quotes; with them, what a whole difference tells of all others. */
function quotedIn(block: TextBlock): readonly ShownLines[] {
  const { quotes, since } = block;
  if (quotes === undefined) return [];
  const lines = quotedLines(block, 0);
  if (since === undefined) return someOf(quotes.state, lines);
  const [shown] = someOf(quotes.state, lines, true);
  return shown === undefined ? [] : [{ ...shown, since }];
}

function someOf(
  { path, sha256, facts }: FileState,
  spans: readonly LineSpan[],
  evenNone = false,
): readonly ShownLines[] {
  if (sha256 === null || (spans.length === 0 && !evenNone)) return [];
  const lines = spans.map(({ from, to }) => ({ from, to }));
  return [{ path, sha256, lines, ...(facts === undefined ? {} : { total: facts.totalLines }) }];
}

/** Whether the reply is more than a small acknowledgement. */
function bearsContent({ success, form, blocks }: Reply): boolean {
  const parts = blocks.flatMap((block): readonly (ReplyBlock | FilePart)[] =>
    block.kind === "file" ? block.blocks : [block],
  );
  switch (form) {
    case "list":
    case "find":
    case "search":
      return success;
    case "read_many":
      return parts.some(({ kind }) => kind === "lines" || kind === "refers");
    default:
      return parts.some(
        (part) =>
          part.kind === "lines" &&
          (part.shown.kind === "full" || (part.shown.kind === "windows" && part.shown.windows.length > 0)),
      );
  }
}

/**
 * A reply within its budget: blocks are cut by rank, the least important first: content and listings, then
 * the windows of what changed, then where it landed, then what is said of it, then the status. What is cut
 * says so, and counts as not shown.
 *
 * @param lengthOf the length of the reply as it is written, in characters (UTF-16 units).
 */
function fitReply(reply: Reply, budgetChars: number, lengthOf: (reply: Reply) => number, door: Door): Reply {
  let fitted = reply;
  for (const rank of ranks) {
    // A pass can fall short by the notes that it adds; more than a few are never needed.
    for (let pass = 0; pass < mostPasses; pass++) {
      const over = lengthOf(fitted) - budgetChars;
      if (over <= 0) return fitted;
      const cut = cutBlocks(fitted.blocks, { ...door, rank, left: over + noteChars });
      if (cut === undefined) break;
      fitted = { ...fitted, blocks: rank === "file" ? behindFiles(cut, door.words) : cut };
    }
  }
  return fitted;
}

const ranks = ["content", "windows", "report", "text", "file", "frame", "status"] as const;
type Rank = (typeof ranks)[number];
const mostPasses = 6;
/** For a sentence that says what was cut. */
const noteChars = 300;

type Door = Required<Pick<PageRoom, "words" | "fits">>;

interface Cutting extends Door {
  readonly rank: Rank;
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
    if (rank === "file") return dropped(noteChars, cutting);
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
      return entries === undefined ? block : { ...block, entries, ...cutBehind(entries, cutting) };
    }
    case "matches": {
      const size = ({ text, before, after }: (typeof block.matches)[number]) =>
        [text, ...before, ...after].reduce((sum, line) => sum + line.length, 0);
      const matches = cutList(block.matches, size, cutting);
      if (matches !== undefined) return { ...block, matches, ...cutBehind(matches, cutting) };
      const files = cutList(block.files ?? [], ({ path }) => path.length + 8, cutting);
      return files === undefined ? block : { ...block, files, ...cutBehind(files, cutting) };
    }
    case "left_out": {
      const files = cutList(block.files, ({ path }) => path.length + 2, cutting);
      return files === undefined ? block : { ...block, files };
    }
    default:
      return block;
  }
}

/** Files that are not even named any more are asked for behind the last one that is. */
function behindFiles(blocks: readonly ReplyBlock[], words: Vocabulary): readonly ReplyBlock[] {
  const after = blocks.findLast((block) => block.kind === "file")?.path;
  const cut = cutAt({ more: "answer", after }, words);
  return blocks.map((block) => (block.kind === "left_out" ? { ...block, files: [], ...cut } : block));
}

/** Behind what is left of a list the call goes on; of lines, behind the last one. */
function cutBehind(
  shown: readonly { readonly path: string; readonly line?: number }[],
  { words }: Cutting,
): ListCut | Record<string, never> {
  const { path, line } = shown.at(-1) ?? {};
  return cutAt({ more: "answer", after: line === undefined ? path : `${path}:${line}` }, words);
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
  const page = pageWithin(block.state, content, { ...cutting, roomChars });
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
