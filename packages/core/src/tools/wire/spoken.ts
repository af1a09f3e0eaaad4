import { countLines, escapeForDisplay, quoteForDisplay, showUnsafe, splitLines } from "../../text/index.js";
import type { Spoken } from "./options.js";
import type { EntriesBlock, LinesBlock, Reply, ReplyBlock, StatusBlock } from "./reply.js";

/** The reply as the vendor would say it; what the JSON form and the caller's knowledge are made of stays. */
export function speak(reply: Reply, spoken: Spoken): Reply {
  const blocks = reply.blocks.map((block) => speakBlock(block, spoken));
  const { success, code } = reply;
  if (blocks.some(({ kind }) => kind === "status")) return { ...reply, blocks };
  const status: StatusBlock = { kind: "status", success, code, message: "" };
  return { ...reply, blocks: [speakBlock(status, spoken), ...blocks] };
}

function speakBlock(block: ReplyBlock, { head, lines, entriesUnder }: Spoken): ReplyBlock {
  switch (block.kind) {
    case "status":
      return { ...block, spoken: sayAll(head, block, entriesUnder === undefined) };
    case "lines":
      return speakLines(block, lines);
    case "entries":
      return entriesUnder === undefined ? block : { ...block, under: entriesUnder };
    default:
      return block;
  }
}

/** The vendor's sentence; after a success ours, which may say what no vendor's does: what was found beside it. */
function sayAll(head: string, { success, message }: StatusBlock, withOurs: boolean): string {
  const lines = success && withOurs && message !== "" ? [...head.split("\n"), message] : head.split("\n");
  return lines.map(showUnsafe).join("\n");
}

function speakLines(block: LinesBlock, lines: Spoken["lines"]): LinesBlock {
  const isShown = block.shown.kind !== "none";
  if (lines === "framed" && isShown) return block;
  if (lines === "numbered" && isShown) return { ...block, form: "numbered" };
  const { omission: _, ...rest } = block;
  return { ...rest, shown: { kind: "none" }, form: "left_out" };
}

/** Lines of a file with their own terminators, each behind its number. */
export interface NumberedLines {
  readonly text: string;
  /** Where each of them begins in the text, in UTF-16 units, and how long it is. */
  readonly places: readonly { readonly start: number; readonly length: number }[];
}

/**
 * Numbers lines as `cat -n` does.
 *
 * @param count how many lines of its file the content is: alone it does not say what a lone `\r` is (`splitLines`).
 */
export function numberLines(content: string, first: number, count: number): NumberedLines {
  const split = splitLines(content);
  const lines =
    split.contents.length === count
      ? split.contents.map((line, at) => line + (split.endings[at] ?? ""))
      : (content.match(/[^\n]*\n|[^\n]+$/g) ?? []);
  const places: { start: number; length: number }[] = [];
  let text = "";
  for (const [at, line] of lines.entries()) {
    text += `${String(first + at).padStart(numberWidth)}\t`;
    places.push({ start: text.length, length: line.length });
    text += line;
  }
  return { text, places };
}

/** How long a text is with a number before each line, in UTF-16 units. */
export function lengthNumbered(content: string): number {
  return content.length + countLines(content) * (numberWidth + 1);
}

/** For 999,999 lines, the most that Anthropic's memory shows. */
const numberWidth = 6;

/** The names in a folder, each behind its size; the folder itself first. Hidden names are left out, as documented. */
export function sizedEntries({ entries, under }: EntriesBlock): readonly string[] {
  const shown = entries.filter(({ path }) => !path.split("/").some((part) => hidden.test(part)));
  return shown.map(({ path, isDirectory, sizeBytes }) => {
    const inside = shown.filter((one) => one.path.startsWith(`${path}/`));
    const size = isDirectory ? totalSize(inside) : (sizeBytes ?? 0);
    return `${sizeInWords(size)}\t${nameUnder(path, under)}${isDirectory ? "/" : ""}`;
  });
}

function nameUnder(path: string, under: EntriesBlock["under"]): string {
  if (under === undefined) return quoteForDisplay(path);
  const inside = path.startsWith(`${under.folder}/`) ? path.slice(under.folder.length + 1) : path;
  return escapeForDisplay(`${under.named}/${inside}`);
}

const hidden = /^\.(?!$|\.$)|^node_modules$/;

/** The size of files together, in bytes. */
export function totalSize(entries: EntriesBlock["entries"]): number {
  return entries.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
}

/** A size as `du -h` writes it. */
export function sizeInWords(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** step;
  return `${Number.isInteger(size) ? size : size.toFixed(1)}${units[step] ?? ""}`;
}

const units = ["B", "K", "M", "G"];
