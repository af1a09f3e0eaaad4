import { joinLines } from "../lines.mjs";
import { applyEdits } from "../true-diff.mjs";
import {
  changeBody,
  changeOwn,
  hunkOf,
  makeTwins,
  numberOfNone,
  resultsDiffer,
  standsAt,
} from "../twins.mjs";
import { headerAt, printFor, textAfter } from "./outcome.mjs";

/**
 * Equal places at any distance from each other, and one place at any distance from its number. A place is unique
 * in the whole text or it is not unique; how far away the other one is says nothing.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../contract.mjs").Draft} Draft
 * @typedef {import("../random.mjs").Random} Random
 * @typedef {import("../twins.mjs").Twins} Twins
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {import("../true-diff.mjs").HunkLine} HunkLine
 */

/** @type {readonly ErrorClass[]} */
export const distance = [
  {
    name: "copies_at_a_distance",
    refusal: "the old lines stand at several places, and no number names one of them",
    make: (random) => {
      const twins = makeTwins(random, { gap: pickGap(random) });
      const { hunk, edit } = changeBody(random, twins, random.below(twins.sections.length), {
        context: random.between(0, 3),
      });
      const places = standsAt(twins, hunk);
      if (places.length < 2 || !resultsDiffer(twins, hunk, edit, places)) return undefined;
      return mustRefuse(random, twins, hunk, places);
    },
  },
  {
    name: "copies_at_a_distance_damaged",
    refusal: "what is left of the context stands at several places alike",
    // One context line is skipped, another one or made up. All other lines of the hunk belong to the copies, so
    // whatever reading there is at one of them is there at the others.
    make: (random) => {
      const twins = makeTwins(random, { gap: pickGap(random) });
      const which = random.below(twins.sections.length);
      const { hunk, edit } = changeBody(random, twins, which, { context: random.between(2, 4) });
      const places = standsAt(twins, hunk);
      const damaged = damageContext(random, hunk);
      if (damaged === undefined || places.length < 2) return undefined;
      if (!resultsDiffer(twins, hunk, edit, places) || standsAt(twins, damaged).length > 0) return undefined;
      return mustRefuse(random, twins, damaged, places);
    },
  },
  {
    name: "difference_of_copies_damaged",
    refusal: "the one line that would tell the copies apart is not the file's",
    // The hunk begins with the line that only its section has, and just this line is misremembered.
    make: (random) => {
      const twins = makeTwins(random, { gap: pickGap(random) });
      const which = random.below(twins.sections.length);
      const section = twins.sections[which];
      const { hunk, edit } = changeBody(random, twins, which, { context: random.between(1, 5) });
      if (section === undefined || hunk.oldStart !== section.body) return undefined;
      const places = standsAt(twins, hunk);
      if (places.length < 2 || !resultsDiffer(twins, hunk, edit, places)) return undefined;
      const text = foreignFor(random, twins.lines[section.own]?.text ?? "");
      const damaged = {
        ...hunk,
        oldStart: section.own,
        lines: [{ sign: /** @type {const} */ (" "), text }, ...hunk.lines],
      };
      return mustRefuse(
        random,
        twins,
        damaged,
        places.flatMap((place) => [place, place - 1]),
      );
    },
  },
  {
    name: "stretched_to_one_of_several",
    refusal:
      "only the lines right above the insertion say where it belongs, and they stand at several places",
    make: (random) => {
      const made = stretch(random, random.between(2, 3));
      return made && { ...made, expect: { kind: "must_refuse" } };
    },
  },
  {
    name: "stretched_over_a_section",
    refusal: "number and section name one part of the file, the only fitting lines stand in another",
    make: (random) => {
      const made = stretch(random, 1);
      return made && { ...made, expect: { kind: "must_refuse" } };
    },
  },
  {
    name: "inserted_over_the_end_of_a_section",
    refusal:
      "the lines beside the insertion begin in one section and go on in the next; it may be meant for either",
    make: (random) => {
      const made = overTheEnd(random);
      return made && { ...made, expect: { kind: "must_refuse" } };
    },
  },
  {
    name: "whole_and_once_far_from_its_number",
    // All old lines stand in one place, byte for byte; number and section name another one.
    make: (random) => {
      const twins = makeTwins(random, { gap: pickGap(random) });
      const which = random.below(twins.sections.length);
      const other = twins.sections[(which + 1) % twins.sections.length];
      const { own } = /** @type {import("../twins.mjs").Section} */ (twins.sections[which]);
      const at = random.between(own, own + 1);
      const edit = { at, del: 1, add: [`${twins.lines[at]?.text ?? ""} fresh`] };
      const hunk = hunkOf(twins, edit, random.between(own - 1, own), random.between(own + 2, own + 4));
      if (other === undefined || standsAt(twins, hunk).length !== 1) return undefined;
      const number = random.pick([other.head + 2, other.body, random.between(1, 2 * twins.lines.length)]) + 1;
      const section = random.chance(0.6) ? ` ${other.name}` : "";
      const header = headerAt(hunk, number) + section;
      return right(twins, [edit], [{ ...hunk, header }]);
    },
  },
  {
    name: "exact_old_number_new_number_lies",
    // The old number names one copy; the new one is off, as where the hunk was cut from a larger diff.
    make: (random) => {
      const twins = makeTwins(random, { gap: random.pick([0, 0, 30]) });
      const { hunk, edit } = changeBody(random, twins, random.below(twins.sections.length));
      const places = standsAt(twins, hunk);
      if (places.length < 2 || !resultsDiffer(twins, hunk, edit, places)) return undefined;
      const off = random.between(1, 60) * random.pick([-1, 1]);
      if (hunk.oldStart + off < 0) return undefined;
      return right(twins, [edit], [{ ...hunk, header: headerAt(hunk, hunk.oldStart + 1, off) }]);
    },
  },
  {
    name: "exact_old_number_other_numbers_lie",
    refusal: "numbers that are wrong where it can be seen may be wrong where it cannot",
    // No shift that the other hunks show would take the number from one copy to another.
    make: (random) =>
      withLiar(random, (places, hunk) => {
        const off = random.between(1, 60) * random.pick([-1, 1]);
        return places.includes(hunk.oldStart - off) ? undefined : { off, number: hunk.oldStart };
      }),
  },
  {
    name: "numbers_shifted_onto_a_copy",
    refusal:
      "the number names one copy as it stands, and another if it is off by what the other number is off",
    // The other hunk stands in one place and shows by how much its number is off: two copies, and a witness for each.
    // Both are tried. Where both keep the order of the file nobody can know; where the number as it stands does not,
    // the other copy is right, and so is a refusal.
    make: (random) =>
      withLiar(
        random,
        (places, hunk) => {
          const other = random.pick(places.filter((place) => place !== hunk.oldStart));
          return { off: other - hunk.oldStart, number: other };
        },
        true,
      ),
  },
];

/**
 * A hunk that stands in one place with a number that lies by `off`, and one that stands at copies, with the
 * number given (from 0).
 * @param {Random} random
 * @param {(places: readonly number[], hunk: Hunk) => { off: number, number: number } | undefined} choose
 * @param {boolean} [isOpen] whether the copy of the number may be meant as well as the true one
 * @returns {Draft | undefined}
 */
function withLiar(random, choose, isOpen = false) {
  const twins = makeTwins(random, { count: 3, gap: random.pick([0, 0, 30]) });
  const which = random.below(3);
  const { hunk, edit } = changeBody(random, twins, which);
  const places = standsAt(twins, hunk);
  if (places.length < 2 || !resultsDiffer(twins, hunk, edit, places)) return undefined;
  const liar = changeOwn(twins, random.below(3), "fresh");
  const chosen = choose(places, hunk);
  if (chosen === undefined || liar.hunk.oldStart + chosen.off < 0) return undefined;
  const both = [
    { edit, hunk: { ...hunk, header: headerAt(hunk, chosen.number + 1) } },
    {
      edit: liar.edit,
      hunk: { ...liar.hunk, header: headerAt(liar.hunk, liar.hunk.oldStart + chosen.off + 1) },
    },
  ].sort((one, other) => one.edit.at - other.edit.at);
  const text = textAfter(
    twins,
    both.map((one) => one.edit),
  );
  const diff = printFor(
    twins,
    both.map((one) => one.hunk),
  );
  const base = joinLines(twins.lines);
  const named = { ...edit, at: edit.at + chosen.number - hunk.oldStart };
  const keepsOrder = edit.at < liar.edit.at ? named.at + named.del <= liar.edit.at : named.at > liar.edit.at;
  if (isOpen && keepsOrder) return { base, diff, expect: { kind: "must_refuse" } };
  return { base, diff, expect: { kind: "right_text_or_refusal", text } };
}

/**
 * A hunk that begins with lines of one section and ends with lines that stand in others, and only adds lines
 * there, behind them; its number and section, if it has any, are those of the first.
 * @param {Random} random @param {number} copies of the others
 */
function stretch(random, copies) {
  const twins = makeTwins(random, { count: copies, gap: pickGap(random) });
  const [first] = twins.sections;
  const target = random.pick(twins.sections);
  if (first === undefined) return undefined;
  const stem = /^\s*/.exec(twins.lines[first.own]?.text ?? "")?.[0] ?? "";
  const between = random.pick([0, 0, 3, 200]);
  const start = [
    first.name.replace(/\w+(?=\W*$)/, "Start"),
    `${stem}begin_of_start`,
    `${stem}work_of_start`,
    ...(twins.tail.length > 0 ? twins.tail : [""]),
  ];
  if (start[0] === first.name) return undefined;
  const filler = Array.from({ length: between }, (_, n) => `apart_${n}`);
  const eol = twins.lines[0]?.eol ?? "\n";
  const shift = start.length + filler.length;
  const lines = [...[...start, ...filler].map((text) => ({ text, eol })), ...twins.lines];
  const body = target.body + shift;
  const from = body + random.between(0, 2);
  const to = from + random.between(1, 2);
  const texts = lines.map(({ text }) => text);
  const taken = random.between(1, 3);
  const head = texts.slice(0, taken).map((text) => ({ sign: /** @type {const} */ (" "), text }));
  const tail = texts.slice(from, to).map((text) => ({ sign: /** @type {const} */ (" "), text }));
  if (tail.at(-1)?.text.trim() === "" || texts[to] === undefined) return undefined;
  const fresh = {
    sign: /** @type {const} */ ("+"),
    text: `${/^\s*/.exec(tail.at(-1)?.text ?? "")?.[0]}fresh_line()`,
  };
  const hunk = { oldStart: 0, newStart: 0, lines: [...head, ...tail, fresh] };
  const tails = standsAt({ lines }, { ...hunk, lines: tail });
  if (standsAt({ lines }, hunk).length > 0 || tails.length !== copies) return undefined;
  const [section] = start;
  const named = [`${headerAt(hunk, 1)} ${section}`, `${headerAt(hunk, 2)} ${section}`, `@@ ${section}`];
  const header = copies > 1 ? random.pick(["@@", ...named]) : random.pick([...named, headerAt(hunk, 1)]);
  return { base: joinLines(lines), diff: printFor(twins, [{ ...hunk, header }]) };
}

/**
 * A hunk without number and section that only adds lines, above or below a line of one section, a line that both
 * sections have and lines of the next section. So the last lines of the one and the first of the other were left out.
 * @param {Random} random
 */
function overTheEnd(random) {
  const twins = makeTwins(random, { count: 2 });
  const [first, second] = twins.sections;
  const shared = twins.lines[first?.body ?? -1]?.text ?? "";
  if (first === undefined || second === undefined || shared.trim() === "") return undefined;
  const kept = random.between(1, 2);
  const stem = /^\s*/.exec(shared)?.[0] ?? "";
  const eol = twins.lines[0]?.eol ?? "\n";
  const rest = ["then_go_on", "go_on_further"].map((text) => ({ text: `${stem}${text}`, eol }));
  const at = (/** @type {number} */ from, /** @type {number} */ to) => twins.lines.slice(from, to);
  const [end, of] = [first.body + twins.bodyLength, second.body];
  const lines = [
    ...at(0, first.body + kept),
    ...at(end, of + 1),
    ...rest,
    ...at(of + twins.bodyLength, Infinity),
  ];
  /** @type {readonly HunkLine[]} */
  const old = [first.own, first.body].map((one) => ({ sign: " ", text: lines[one]?.text ?? "" }));
  const below = rest.slice(0, random.between(1, 2));
  /** @type {readonly HunkLine[]} */
  const quoted = [...old, ...below.map(({ text }) => ({ sign: /** @type {const} */ (" "), text }))];
  const fresh = { sign: /** @type {const} */ ("+"), text: `${stem}fresh_line()` };
  const hunk = {
    oldStart: 0,
    newStart: 0,
    lines: random.chance(0.5) ? [fresh, ...quoted] : [...quoted, fresh],
  };
  if (standsAt({ lines }, hunk).length > 0) return undefined;
  return {
    base: joinLines(lines),
    diff: printFor(twins, [{ ...hunk, header: random.pick(["@@", "@@ ... @@"]) }]),
  };
}

/** @param {Random} random @param {Twins} twins @param {Hunk} hunk @param {readonly number[]} places @returns {Draft | undefined} */
function mustRefuse(random, twins, hunk, places) {
  const number = numberOfNone(random, places, twins.lines.length);
  if (number === undefined) return undefined;
  const header = random.pick(["@@", "@@", "@@ ... @@", headerAt(hunk, number)]);
  return {
    base: joinLines(twins.lines),
    diff: printFor(twins, [{ ...hunk, header }]),
    expect: { kind: "must_refuse" },
  };
}

/** @param {Twins} twins @param {readonly import("../texts.mjs").Edit[]} edits @param {readonly Hunk[]} hunks @returns {Draft} */
function right(twins, edits, hunks) {
  const text = joinLines(applyEdits(twins.lines, edits));
  return {
    base: joinLines(twins.lines),
    diff: printFor(twins, hunks),
    expect: { kind: "one_right_text", text },
  };
}

/** One context line skipped, replaced or made up; not at an insertion's very side. @param {Random} random @param {Hunk} hunk @returns {Hunk | undefined} */
function damageContext(random, hunk) {
  const inner = hunk.lines.flatMap((line, at) => (line.sign === " " && line.text.trim() !== "" ? [at] : []));
  if (inner.length < 2) return undefined;
  const at = random.pick(inner);
  const text = foreignFor(random, hunk.lines[at]?.text ?? "");
  const foreign = { sign: /** @type {const} */ (" "), text };
  const lines = random.pick([
    hunk.lines.toSpliced(at, 1),
    hunk.lines.toSpliced(at, 1, foreign),
    hunk.lines.toSpliced(at, 0, foreign),
  ]);
  return { ...hunk, lines };
}

/** A line that no text here has, as deep as this one. @param {Random} random @param {string} near */
function foreignFor(random, near) {
  return `${/^\s*/.exec(near)?.[0] ?? ""}${random.pick(["remember", "somewhere", "misread"])}_${random.between(10, 999)}()`;
}

/** How many lines of filler stand between equal sections. @param {Random} random */
function pickGap(random) {
  return random.pick([0, 0, 0, 30, 30, 120, 430, 460, 600, 610, 1_200, 5_000]);
}
