import type { ReferredLines } from "../../conversation/index.js";
import { allOf, type ShownLines } from "../../files/index.js";
import { fitReply } from "./fit.js";
import { writeJson } from "./json.js";
import { answerBudgetChars, type WireOptions } from "./options.js";
import type { FilePart, Reply, ReplyBlock, TextBlock } from "./reply.js";
import { replyOf } from "./reply-of.js";
import type { ShownDifference, ToolReply, ToolResult } from "./result.js";
import { type WrittenReply, writeText } from "./text.js";

/** Turns a tool's result into what goes on the wire. Pure: the same result gives the same bytes. */
export function renderResult(result: ToolResult, options: WireOptions): ToolReply {
  const { budgetChars = answerBudgetChars, wire, vocabulary } = options;
  const write = (reply: Reply) => writeReply(reply, wire);
  const lengthOf = (reply: Reply) => write(reply).text.length;
  const reply = fitReply(replyOf(result, options), budgetChars, lengthOf, vocabulary);
  const { success, code } = reply;
  const { text: written, shows } = write(reply);
  // Not even a header fits into so small a budget.
  const text = written.length > budgetChars ? written.slice(0, budgetChars) : written;
  const json = writeJson(reply);
  const parts = partsOf(reply);
  const shown = parts.flatMap(linesShown);
  const refers = parts.flatMap(linesReferred);
  const differences = parts.flatMap(differencesShown);
  return { success, code, text, shows, json, bearsContent: bearsContent(reply), shown, refers, differences };
}

/** In JSON line breaks are escapes: nothing of a file stands there verbatim. */
function writeReply(reply: Reply, wire: WireOptions["wire"]): WrittenReply {
  return wire === "json" ? { text: JSON.stringify(writeJson(reply)), shows: [] } : writeText(reply);
}

/** The blocks of a reply; those of its files one by one. */
function partsOf({ blocks }: Reply): readonly Part[] {
  return blocks.flatMap((block): readonly Part[] => (block.kind === "file" ? block.blocks : [block]));
}

type Part = Exclude<ReplyBlock | FilePart, { readonly kind: "file" }>;

/** The lines that a block speaks of without showing them. */
function linesReferred(block: Part): readonly ReferredLines[] {
  if (block.kind !== "refers" || block.state.sha256 === null) return [];
  const { path, sha256, lines, facts } = block.state;
  const { from, to } = lines ?? { from: 1, to: facts?.totalLines ?? 0 };
  return [{ path, sha256, from, to }];
}

function differencesShown(block: Part): readonly ShownDifference[] {
  if (block.kind !== "text" || block.difference === undefined) return [];
  const { since, state } = block.difference;
  return state.sha256 === null ? [] : [{ path: state.path, since, sha256: state.sha256 }];
}

/** The lines of files that a block shows. */
function linesShown(block: Part): readonly ShownLines[] {
  switch (block.kind) {
    case "lines": {
      const { state, shown } = block;
      if (shown.kind === "full") return allOf(state);
      return shown.kind === "windows" ? someOf(state, shown.windows) : [];
    }
    case "text":
      return block.quotes === undefined ? [] : someOf(block.quotes.state, block.quotes.lines);
    default:
      return [];
  }
}

type State = NonNullable<TextBlock["quotes"]>["state"];

function someOf({ path, sha256, facts }: State, spans: readonly ShownLines["lines"][number][]) {
  if (sha256 === null || spans.length === 0) return [];
  const lines = spans.map(({ from, to }) => ({ from, to }));
  return [{ path, sha256, lines, ...(facts === undefined ? {} : { total: facts.totalLines }) }];
}

/** Whether the reply is more than a small acknowledgement. */
function bearsContent(reply: Reply): boolean {
  const { success, form } = reply;
  const parts = partsOf(reply);
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
