import { diffTexts } from "../patch/index.js";
import { clip, joinLines, splitLines, type TextLines } from "../text/index.js";
import type { LedgerRecord } from "./ledger.js";
import { type LineSpan, moveSpans, outsideSpans } from "./line-spans.js";
import { type Refusal, refuse } from "./outcome.js";

/** Lines that a change touches and that were not shown, with the refusal that shows them. */
export interface Unseen {
  readonly refusal: Refusal<"unseen_lines">;
  /** Those that the refusal shows; from now on they are seen. */
  readonly shown: readonly LineSpan[];
}

/**
 * Holds a change against what was shown of the state that it changes. Where lines are only added, a line
 * beside them must have been shown.
 */
export function findUnseen(
  before: string,
  after: string,
  record: LedgerRecord | undefined,
): Unseen | undefined {
  if (record?.shownWhole === true) return undefined;
  const old = splitLines(before);
  const unseen: LineSpan[] = [];
  for (const { oldFrom, oldTo } of diffTexts(before, after, 500)) {
    if (oldFrom < oldTo)
      unseen.push(...outsideSpans({ from: oldFrom + 1, to: oldTo }, record?.shownLines ?? []));
    else unseen.push(...besideInsertion(oldFrom, old.contents.length, record?.shownLines ?? []));
  }
  return unseen.length === 0 ? undefined : show(old, unseen);
}

/**
 * The lines of a new text that its caller knows: those it was shown of the old one, and those it changed.
 *
 * @returns none where nothing of the old text was shown: who adds to a file has not read it.
 */
export function linesStillSeen(
  before: string,
  after: string,
  seen: readonly LineSpan[],
): readonly LineSpan[] {
  if (seen.length === 0) return [];
  const changes = diffTexts(before, after, 500);
  const changed = changes.map(({ newFrom, newTo }) => ({ from: newFrom + 1, to: newTo }));
  return [...moveSpans(seen, changes), ...changed];
}

function besideInsertion(at: number, total: number, seen: readonly LineSpan[]): readonly LineSpan[] {
  const neighbours = [at, at + 1].filter((line) => line >= 1 && line <= total);
  const isSeen = (line: number) => outsideSpans({ from: line, to: line }, seen).length === 0;
  if (neighbours.length === 0 || neighbours.some(isSeen)) return [];
  return [{ from: neighbours[0] ?? 1, to: neighbours.at(-1) ?? 1 }];
}

function show(old: TextLines, unseen: readonly LineSpan[]): Unseen {
  const shown: LineSpan[] = [];
  const parts: string[] = [];
  let units = 0;
  for (const span of unseen) {
    const to = Math.min(span.to, span.from + mostLines - 1);
    const text = joinLines(old, span.from - 1, to);
    units += text.length;
    if (units > mostUnits || shown.length === mostSpans) break;
    shown.push({ from: span.from, to });
    parts.push(`lines ${span.from}-${to}:\n${text}`);
  }
  const all = unseen.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
  const head = `The change touches lines that this session was not shown of this state: ${clip(all, 200)}.`;
  const isWhole = shown.length === unseen.length && shown.every(({ to }, at) => to === unseen[at]?.to);
  const next = isWhole
    ? "They follow; if the change is still right, repeat the call. Nothing was written."
    : "The first of them follow; read the others with read_file, offset and limit. Nothing was written.";
  return { refusal: refuse("unseen_lines", `${head} ${next}\n${parts.join("\n")}`), shown };
}

const mostLines = 200;
const mostSpans = 20;
const mostUnits = 16 * 1024;
