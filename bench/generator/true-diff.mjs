import { joinLines, splitLines } from "./lines.mjs";

/**
 * One line of a hunk. `at` is the old line (from 0) that it truly is, for an added one the line that it stands
 * before; a damaged line has lost it. `bare` lines
 * are printed without their sign; `unended` ones are followed by "\ No newline at end of file".
 * @typedef {{ readonly sign: " " | "-" | "+", readonly text: string, readonly at?: number | undefined,
 *   readonly bare?: boolean, readonly unended?: boolean }} HunkLine
 * @typedef {{ readonly oldStart: number, readonly newStart: number, readonly lines: readonly HunkLine[],
 *   readonly header?: string }} Hunk
 * @typedef {{ readonly path: string, readonly lines: readonly import("./lines.mjs").Line[],
 *   readonly edits: readonly import("./texts.mjs").Edit[], readonly hunks: readonly Hunk[],
 *   readonly base: string, readonly truth: string, readonly context: number }} Change
 */

/**
 * The true diff of a text and its edits, with `context` lines around each change.
 *
 * @param {{ path: string, base: string, edits: readonly import("./texts.mjs").Edit[], context: number,
 *   merge?: boolean, interleave?: boolean }} request `merge: false` gives every edit a hunk of its own
 * @returns {Change | undefined} nothing where the edits touch a missing last newline in a way we do not write
 */
export function makeChange({ path, base, edits, context, merge = true, interleave = false }) {
  const lines = splitLines(base);
  if (edits.length === 0 || touchesBareEnd(lines, edits)) return undefined;
  const truth = joinLines(applyEdits(lines, edits));
  const groups = groupEdits(edits, merge ? 2 * context : -1);
  let growth = 0;
  const hunks = groups.map((group) => {
    const hunk = makeHunk(lines, group, context, growth, interleave);
    growth += group.reduce((sum, edit) => sum + edit.add.length - edit.del, 0);
    return hunk;
  });
  return { path, lines, edits, hunks, base, truth, context };
}

/** The lines after the edits; an added line ends as its neighbours do. @param {readonly import("./lines.mjs").Line[]} lines @param {readonly import("./texts.mjs").Edit[]} edits */
export function applyEdits(lines, edits) {
  /** @type {import("./lines.mjs").Line[]} */
  const out = [];
  let done = 0;
  for (const { at, del, add } of edits) {
    out.push(...lines.slice(done, at));
    for (const [n, text] of add.entries()) {
      const last = at + del === lines.length && n === add.length - 1;
      const model = lines[Math.min(at + Math.min(n, Math.max(del - 1, 0)), lines.length - 1)];
      const eol = model?.eol || lines[0]?.eol || "\n";
      out.push({ text, eol: last && lines.at(-1)?.eol === "" ? "" : eol });
    }
    done = at + del;
  }
  return [...out, ...lines.slice(done)];
}

/** A diff as git writes it, or with other lines above the first hunk. @param {Change} change @param {readonly Hunk[]} hunks */
export function printDiff(change, hunks = change.hunks, head = headOf(change.path)) {
  return [...head, ...hunks.flatMap(printHunk)].map((line) => `${line}\n`).join("");
}

/** @param {string} path */
export function headOf(path) {
  return [`--- a/${path}`, `+++ b/${path}`];
}

/** @param {Hunk} hunk @returns {string[]} */
export function printHunk(hunk) {
  const body = hunk.lines.flatMap(({ sign, text, bare, unended }) => {
    const line = bare ? text : sign + text;
    return unended ? [line, "\\ No newline at end of file"] : [line];
  });
  return [hunk.header ?? trueHeader(hunk), ...body];
}

/** @param {Hunk} hunk */
export function trueHeader(hunk) {
  const { oldCount, newCount } = countsOf(hunk);
  return writeHeader(hunk.oldStart, oldCount, hunk.newStart, newCount);
}

/** Starts count from 0; a side without lines names the line before, as git does. @param {number} oldStart @param {number} oldCount @param {number} newStart @param {number} newCount */
export function writeHeader(oldStart, oldCount, newStart, newCount) {
  const side = (/** @type {number} */ start, /** @type {number} */ count) =>
    `${Math.max(0, count === 0 ? start : start + 1)}${count === 1 ? "" : `,${count}`}`;
  return `@@ -${side(oldStart, oldCount)} +${side(newStart, newCount)} @@`;
}

/** @param {Hunk} hunk */
export function countsOf({ lines }) {
  const oldCount = lines.filter(({ sign }) => sign !== "+").length;
  return { oldCount, newCount: lines.filter(({ sign }) => sign !== "-").length };
}

/** @param {readonly import("./texts.mjs").Edit[]} edits @param {number} gap @returns {import("./texts.mjs").Edit[][]} */
function groupEdits(edits, gap) {
  /** @type {import("./texts.mjs").Edit[][]} */
  const groups = [];
  for (const edit of edits) {
    const before = groups.at(-1)?.at(-1);
    if (before !== undefined && edit.at - (before.at + before.del) <= gap) groups.at(-1)?.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

/**
 * @param {readonly import("./lines.mjs").Line[]} lines
 * @param {readonly import("./texts.mjs").Edit[]} group
 * @param {number} context
 * @param {number} growth
 * @param {boolean} interleave
 * @returns {Hunk}
 */
function makeHunk(lines, group, context, growth, interleave) {
  const [first, last] = [group[0], group.at(-1)];
  const oldStart = Math.max(0, (first?.at ?? 0) - context);
  const end = Math.min(lines.length, (last?.at ?? 0) + (last?.del ?? 0) + context);
  /** @type {HunkLine[]} */
  const out = [];
  const old = (/** @type {" " | "-"} */ sign, /** @type {number} */ at) => {
    const line = lines[at];
    return { sign, text: line?.text ?? "", at, ...(line?.eol === "" ? { unended: true } : {}) };
  };
  const keep = (/** @type {number} */ from, /** @type {number} */ to) => {
    for (let at = from; at < to; at++) out.push(old(" ", at));
  };
  let done = oldStart;
  for (const edit of group) {
    keep(done, edit.at);
    done = edit.at + edit.del;
    const removed = Array.from({ length: edit.del }, (_, n) => old("-", edit.at + n));
    const ended = done === lines.length && lines.at(-1)?.eol === "";
    const added = edit.add.map((text, n) => {
      const open = ended && n === edit.add.length - 1;
      return { sign: /** @type {const} */ ("+"), text, at: done, ...(open ? { unended: true } : {}) };
    });
    out.push(...(interleave ? weave(removed, added) : [...removed, ...added]));
  }
  keep(done, end);
  return { oldStart, newStart: oldStart + growth, lines: out };
}

/** @param {readonly HunkLine[]} removed @param {readonly HunkLine[]} added */
function weave(removed, added) {
  if (removed.length !== added.length) return [...removed, ...added];
  return removed.flatMap((line, n) => [line, /** @type {HunkLine} */ (added[n])]);
}

/** @param {readonly import("./lines.mjs").Line[]} lines @param {readonly import("./texts.mjs").Edit[]} edits */
function touchesBareEnd(lines, edits) {
  const last = edits.at(-1);
  if (lines.at(-1)?.eol !== "" || last === undefined || last.at + last.del < lines.length) return false;
  return last.del === 0 || last.add.length === 0;
}
