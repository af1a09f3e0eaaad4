import { applyEdits } from "@holdfast/core/files";
import {
  keepLines,
  type LineEdit,
  lineEdits,
  moveEdits,
  namedLines,
  placeSteps,
} from "@holdfast/core/files/seen";
import { diffTexts } from "@holdfast/core/patch";
import type { TextEdit } from "./hook-event.js";
import { lfEdit, withLf } from "./host-text.js";

/**
 * Whether edits that were written for one text come to the very same on a newer one, whose host looks for their
 * old texts again: each stands once in both, at lines that nobody touched in between (docs/edits.md, on
 * mismatch; of what others changed, as under `rebase`).
 */
export function isCertainOn(base: string, present: string, edits: readonly TextEdit[]): boolean {
  const [before, now] = [withLf(base), withLf(present)];
  // Such an end of a line is not one for every host.
  if (before.includes("\r") || now.includes("\r")) return false;
  const [then, there] = [placeIn(before, edits), placeIn(now, edits)];
  if (then === undefined || there === undefined) return false;
  const since = [lineEdits(diffTexts(before, now, compareMs))];
  const moved = moveEdits(then.changes, since);
  if (moved.kind === "touched" || moveEdits(keepLines(then.named), since).kind === "touched") return false;
  return (
    moved.edits.length === there.changes.length &&
    moved.edits.every((edit, at) => isSame(edit, there.changes[at]))
  );
}

/** Whether each old text stands in a text as the edits need it: who quotes it knows it, and nothing else changes. */
export function isQuotedFrom(text: string, edits: readonly TextEdit[]): boolean {
  return edits.length > 0 && placeIn(withLf(text), edits) !== undefined;
}

/** A difference that takes longer is one large change. */
const compareMs = 200;

function placeIn(text: string, edits: readonly TextEdit[]) {
  const exact = edits.map(lfEdit).map(({ oldText, newText, all }) => ({
    oldString: oldText,
    newString: newText,
    replaceAll: all,
  }));
  const done = applyEdits(text, exact, { path: "" });
  if (done.kind !== "edited") return undefined;
  const [changes, named] = [placeSteps(done.steps)?.changes, namedLines(done.steps)];
  return changes === undefined || named === undefined ? undefined : { changes, named };
}

function isSame(one: LineEdit, other: LineEdit | undefined): boolean {
  return one.at === other?.at && one.removed === other.removed && one.added === other.added;
}
