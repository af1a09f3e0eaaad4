import type { ReferredLines } from "../../conversation/index.js";
import { allOf, type FileState, type LineSpan, type ShownLines } from "../../files/index.js";
import { clip, escapeInJson } from "../../text/index.js";
import { fitReply } from "./fit.js";
import { writeJson } from "./json.js";
import { answerBudgetChars, type HostLimits, type WireOptions } from "./options.js";
import type { FilePart, Reply, ReplyBlock, TextBlock } from "./reply.js";
import { replyOf } from "./reply-of.js";
import type { ToolReply, ToolResult } from "./result.js";
import { quotedLines } from "./shown-text.js";
import { speak } from "./spoken.js";
import { type WrittenReply, writeText } from "./text.js";

/** Turns a tool's result into what goes on the wire. Pure: the same result gives the same bytes. */
export function renderResult(result: ToolResult, options: WireOptions): ToolReply {
  const { within } = options;
  let { budgetChars = answerBudgetChars } = options;
  for (;;) {
    const reply = renderWithin(result, { ...options, budgetChars });
    const excess = within === undefined ? 0 : excessOf(reply.text, within);
    if (excess <= 1 || budgetChars <= leastChars) return reply;
    // What is left out is not like the rest: the next budget is a little less than the share that fits.
    const fitting = Math.floor((Math.min(budgetChars, reply.text.length) / excess) * 0.98);
    budgetChars = Math.max(leastChars, fitting);
  }
}

/** Less than this no budget is cut to for a host's own limits: an answer has to say that it was cut. */
const leastChars = 500;

/** How many times the text is what the host lets through. */
function excessOf(text: string, { bytes = Infinity, lines = Infinity }: HostLimits): number {
  return Math.max(new TextEncoder().encode(text).length / bytes, (text.split("\n").length + 1) / lines);
}

function renderWithin(result: ToolResult, options: WireOptions): ToolReply {
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
  const whole = replyOf(result, options);
  const said = spoken === undefined || wire === "json" ? whole : speak(whole, spoken);
  const reply = fitReply(said, budgetChars, lengthOf, vocabulary);
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
