import type { Line } from "../lines/spans.js";
import {
  appendMarkdown,
  emptyMarkdown,
  endMarkdown,
  type MarkdownState,
  openBlock,
} from "../markdown/stream.js";
import { blockLines, brokenLine, type Finished, type Highlighted } from "./rows.js";

/** Words of a model that are not committed yet. */
export interface OpenProse {
  readonly markdown: MarkdownState;
  /** What they are, for a look at the whole. */
  readonly text: string;
}

/** No words. */
export const noProse: OpenProse = { markdown: emptyMarkdown(), text: "" };

/** More words: what is finished by them, and what stays open. Pure. */
export function addProse({ markdown, text }: OpenProse, more: string) {
  const { state, finished } = appendMarkdown(markdown, more.replaceAll("\t", "    "));
  const open: OpenProse = { markdown: state, text: text + more };
  return { open, commit: finished.map((block): Finished => ({ kind: "block", block })) };
}

/** All that is open, as nothing follows it. */
export function endedProse({ markdown }: OpenProse): readonly Finished[] {
  return endMarkdown(markdown).map((block) => ({ kind: "block", block }));
}

/** What is open, in rows as the terminal will break them once it is committed: nothing moves by that. */
export function proseRows(
  { markdown }: OpenProse,
  columns: number,
  highlight?: Highlighted,
): readonly Line[] {
  const block = openBlock(markdown);
  if (block === undefined) return [];
  return blockLines(block, columns - 1, highlight).flatMap((line) => brokenLine(line, columns));
}
