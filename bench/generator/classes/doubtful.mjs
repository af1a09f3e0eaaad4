import { collectWords, inventLine } from "../edits.mjs";
import { indentOf, isBlank, joinLines, loosen } from "../lines.mjs";
import { isForeign, oldLines, placesOf, standOnceLoosely } from "../proof.mjs";
import { applyEdits, makeChange, printDiff, trueHeader } from "../true-diff.mjs";
import { hunkOf, makeTwins } from "../twins.mjs";
import { anyHeader, headerAt, printFor, rightOrRefused } from "./outcome.mjs";

/**
 * Damaged context beside changes that little holds: of blank lines, at the edge of a hunk, made already while a copy
 * stands elsewhere. The truth is known, since the diff was made from it; a careful reader may or may not know it, so
 * that a refusal is right, too. What is never right is another text.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../contract.mjs").World} World
 * @typedef {import("../random.mjs").Random} Random
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 */

const why = "what is left of the context holds the change nowhere, or as well if it was made already";

/** @type {readonly ErrorClass[]} */
export const doubtful = [
  {
    name: "blank_line_replaced_beside_damage",
    refusal: why,
    make: (random, world) => {
      const change = changeBlank(random, world);
      const [hunk] = change?.hunks ?? [];
      if (change === undefined || hunk === undefined) return undefined;
      const removed = hunk.lines.findIndex(({ sign }) => sign === "-");
      // The line between the blank one that goes and the one that comes was left out.
      const between = hunk.lines[removed + 1];
      if (between?.sign !== " " || hunk.lines[removed + 2]?.sign !== "+") return undefined;
      return damagedCase(random, change, { ...hunk, lines: hunk.lines.toSpliced(removed + 1, 1) });
    },
  },
  {
    name: "insertion_at_the_edge_of_swapped_context",
    refusal: why,
    make: (random, world) => {
      const change = world.change({ context: [2, 5], edits: [1, 1] });
      const [hunk] = change?.hunks ?? [];
      if (change === undefined || hunk === undefined || hunk.lines.some(({ sign }) => sign === "-"))
        return undefined;
      const above = random.chance(0.5);
      const first = hunk.lines.findIndex(({ sign }) => sign === "+");
      const last = hunk.lines.findLastIndex(({ sign }) => sign === "+");
      const context = above ? hunk.lines.slice(0, first) : hunk.lines.slice(last + 1);
      const beyond = above ? hunk.lines[last + 1] : hunk.lines[first - 1];
      const edge = above ? context.at(-1) : context[0];
      if (beyond === undefined || edge === undefined || context.length < 2) return undefined;
      if (isBlank(beyond.text) || isBlank(edge.text) || beyond.text === edge.text) return undefined;
      // The line beside the insertion and the one on its other side changed places, and that side was cut off.
      const swapped = context.map((line) =>
        line === edge ? { ...beyond, sign: /** @type {const} */ (" ") } : line,
      );
      const added = hunk.lines.slice(first, last + 1);
      const lines = above ? [...swapped, ...added] : [...added, ...swapped];
      const cut = { ...hunk, oldStart: above ? hunk.oldStart : hunk.oldStart + first, lines };
      return damagedCase(random, change, { ...cut, header: random.chance(0.5) ? "@@" : trueHeader(cut) });
    },
  },
  {
    name: "deletion_made_beside_a_twin",
    refusal: why,
    make: (random) => {
      const twins = makeTwins(random, { count: 2 });
      const which = random.below(2);
      const section = twins.sections[which];
      if (section === undefined) return undefined;
      const at = section.body + random.between(1, twins.bodyLength - 2);
      const edit = {
        at,
        del: random.between(1, Math.min(2, section.body + twins.bodyLength - 1 - at)),
        add: [],
      };
      const from = Math.max(section.head, at - random.between(2, 4));
      const hunk = hunkOf(
        twins,
        edit,
        from,
        Math.min(twins.lines.length, at + edit.del + random.between(1, 3)),
      );
      const change = { ...twins, base: joinLines(twins.lines) };
      const first = hunk.lines.findIndex(({ sign }) => sign === "-");
      const isFull = (/** @type {HunkLine} */ line) => line.sign === " " && !isBlank(line.text);
      const sides = [hunk.lines.slice(0, first), hunk.lines.slice(first)].map((side) => side.filter(isFull));
      // What closed the gap shows only between two lines that the file has.
      const damaged = pickContext(random, hunk, (line) =>
        sides.some((side) => side.length > 1 && side.includes(line)),
      );
      const text =
        damaged === undefined ? undefined : foreignLine(random, change, hunk.lines[damaged]?.text ?? "");
      if (damaged === undefined || text === undefined) return undefined;
      const base = joinLines(applyEdits(twins.lines, [edit]));
      const lines = hunk.lines.with(damaged, { sign: " ", text });
      const old = lines.filter(({ sign }) => sign !== "+").map((line) => line.text);
      // Without the damaged line the hunk would stand somewhere else to the letter: that is another class.
      if (placesOf(base.split(/\r?\n/), old).length > 0) return undefined;
      const header = random.pick([
        trueHeader(hunk),
        "@@",
        headerAt(hunk, random.between(1, twins.lines.length)),
      ]);
      const diff = printFor(twins, [{ ...hunk, lines, header }]);
      return { base, diff, made: [1], expect: { kind: "right_text_or_refusal", text: base } };
    },
  },
  {
    name: "one_of_two_changes_made",
    refusal: why,
    make: (random, world) => {
      const change = world.change({ context: [2, 6], edits: [2, 2] });
      const [hunk, other] = change?.hunks ?? [];
      if (change === undefined || hunk === undefined || other !== undefined) return undefined;
      // Lines that are doubled are what context cannot tell apart.
      const [edit, next] = change.edits;
      if (edit === undefined || next === undefined || edit.at === 0 || next.at - edit.at - edit.del < 2)
        return undefined;
      const line = change.lines[edit.at - 1]?.text ?? "";
      if (isBlank(line)) return undefined;
      const doubled = makeChange({
        path: change.path,
        base: change.base,
        edits: [{ at: edit.at, del: 0, add: [line] }, next],
        context: random.between(2, 4),
      });
      if (doubled === undefined || doubled.hunks.length !== 1) return undefined;
      const base = joinLines(applyEdits(change.lines, [{ at: edit.at, del: 0, add: [line] }]));
      const old = oldLines(/** @type {Hunk} */ (doubled.hunks[0])).map(({ text }) => text);
      if (placesOf(base.split(/\r?\n/), old).length > 0) return undefined;
      return {
        base,
        diff: printDiff(doubled),
        expect: { kind: "right_text_or_refusal", text: doubled.truth },
      };
    },
  },
  {
    name: "wrapped_already",
    refusal: why,
    make: (random, world) => {
      const change = world.change({ edits: [1, 1] });
      if (change === undefined) return undefined;
      const full = change.lines.flatMap(({ text }, at) => (/\w{3}/.test(text) ? [at] : []));
      if (full.length === 0) return undefined;
      const at = random.pick(full);
      const del = random.between(1, Math.min(4, change.lines.length - at));
      const texts = change.lines.slice(at, at + del).map(({ text }) => text);
      const indent = indentOf(texts[0] ?? "");
      if (texts.some((text) => isBlank(text) || !text.startsWith(indent))) return undefined;
      const unit = indent.includes("\t") ? "\t" : "  ";
      const name = `ready_${random.between(10, 999)}`;
      const add = [`${indent}if (${name}) {`, ...texts.map((text) => unit + text), `${indent}}`];
      const wrapped = makeChange({
        path: change.path,
        base: change.base,
        edits: [{ at, del, add }],
        context: 0,
      });
      const [hunk] = wrapped?.hunks ?? [];
      if (wrapped === undefined || hunk === undefined) return undefined;
      const lines = wrapped.truth.split(/\r?\n/);
      if (placesOf(lines, texts).length > 0 || placesOf(lines, add).length !== 1) return undefined;
      const header = random.pick(["@@", headerAt(hunk, random.between(1, lines.length))]);
      const diff = printDiff(wrapped, [{ ...hunk, header }]);
      return {
        base: wrapped.truth,
        diff,
        made: [1],
        expect: { kind: "right_text_or_refusal", text: wrapped.truth },
      };
    },
  },
  {
    name: "made_near_its_number_and_a_copy_elsewhere",
    refusal: why,
    make: (random) => {
      const twins = makeTwins(random, { count: 2, gap: random.between(0, 40) });
      const which = random.below(2);
      const section = twins.sections[which];
      if (section === undefined) return undefined;
      const full = Array.from({ length: twins.bodyLength - 1 }, (_, n) => section.body + n).filter((at) =>
        /\w{3}/.test(twins.lines[at]?.text ?? ""),
      );
      if (full.length === 0) return undefined;
      const at = random.pick(full);
      const add = [`${indentOf(twins.lines[at]?.text ?? "")}fresh_${random.between(100, 9_999)}`];
      const edit = { at, del: 1, add };
      // Its leading context was dropped; the number is still that of the whole hunk.
      const hunk = hunkOf(
        twins,
        edit,
        at,
        Math.min(section.body + twins.bodyLength, at + random.between(2, 4)),
      );
      const base = joinLines(applyEdits(twins.lines, [edit]));
      const old = oldLines(hunk).map(({ text }) => text);
      const lines = base.split(/\r?\n/);
      const number = at + 1 - random.between(1, 3);
      if (number < 1 || placesOf(lines, old).length !== 1 || placesOf(lines, old)[0] === number - 1)
        return undefined;
      if (Math.abs((placesOf(lines, old)[0] ?? 0) - (number - 1)) < 8) return undefined;
      const diff = printFor(twins, [{ ...hunk, header: headerAt(hunk, number) }]);
      return { base, diff, made: [1], expect: { kind: "right_text_or_refusal", text: base } };
    },
  },
];

/** A blank line that goes, and a line that comes below the next one. @param {Random} random @param {World} world */
function changeBlank(random, world) {
  const change = world.change({ edits: [1, 1] });
  if (change === undefined) return undefined;
  const texts = change.lines.map(({ text }) => text);
  const blanks = texts.flatMap((text, at) => (isBlank(text) && at > 1 && at < texts.length - 3 ? [at] : []));
  if (blanks.length === 0) return undefined;
  const at = random.pick(blanks);
  const add = [inventLine(random, texts, texts[at - 1] ?? "", collectWords([change.base]))];
  const edits = [
    { at, del: 1, add: [] },
    { at: at + 2, del: 0, add },
  ];
  return makeChange({ path: change.path, base: change.base, edits, context: random.between(2, 4) });
}

/** @param {Random} random @param {Hunk} hunk @param {(line: HunkLine) => boolean} fits */
function pickContext(random, { lines }, fits) {
  const places = lines.flatMap((line, at) => (line.sign === " " && fits(line) ? [at] : []));
  return places.length === 0 ? undefined : random.pick(places);
}

/** A line that the text has not. @param {Random} random @param {Pick<Change, "lines" | "base">} change @param {string} near */
function foreignLine(random, change, near) {
  const texts = change.lines.map(({ text }) => text);
  const text = inventLine(random, texts, near, collectWords([change.base]));
  return isForeign(/** @type {Change} */ (change), text) ? text : undefined;
}

/** The damaged hunk, unless it stands to the letter in the text: that would be what the diff says. @param {Random} random @param {Change} change @param {Hunk} hunk */
function damagedCase(random, change, hunk) {
  const old = oldLines(hunk).map(({ text }) => loosen(text));
  const base = change.lines.map(({ text }) => loosen(text));
  if (old.length === 0 || placesOf(base, old).length > 0 || standOnceLoosely(change, [hunk]))
    return undefined;
  const header = hunk.header ?? anyHeader(random, hunk);
  return rightOrRefused(change, printDiff(change, [{ ...hunk, header }]));
}
