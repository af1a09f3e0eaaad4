import { type Line, span } from "../spans.js";
import { brokenLine, type CommitLine, shownText } from "./rows.js";

/** Words of a model that are not committed yet. */
export interface OpenProse {
  readonly text: string;
}

/** No words. */
export const noProse: OpenProse = { text: "" };

/** More words: what is finished by them, and what stays open. Pure. */
export function addProse({ text }: OpenProse, more: string) {
  const lines = (text + more).split("\n");
  const open: OpenProse = { text: lines.pop() ?? "" };
  return { open, commit: lines.map(proseLine) };
}

/** All that is open, as nothing follows it. */
export function endedProse({ text }: OpenProse): readonly CommitLine[] {
  return text === "" ? [] : [proseLine(text)];
}

/** What is open, in rows. */
export function proseRows({ text }: OpenProse, cells: number): readonly Line[] {
  return text === "" ? [] : brokenLine([span(shownText(text))], cells);
}

function proseLine(text: string): CommitLine {
  return { line: [span(text.replaceAll("\t", "    ").replace(/\r$/u, ""))], isCut: false };
}
