import { joinLines } from "../lines.mjs";
import { changeBody, makeTwins, resultsDiffer, standsAt } from "../twins.mjs";
import { headerAt, printFor, textAfter } from "./outcome.mjs";

/**
 * Equal places under sections with names of their own, and a header with a number and a section. The section
 * decides where its copy is also the nearest to the number; a number that names a copy is believed; where the
 * two disagree nobody can know.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../random.mjs").Random} Random
 * @typedef {{ readonly twins: import("../twins.mjs").Twins, readonly which: number,
 *   readonly hunk: import("../true-diff.mjs").Hunk, readonly edit: import("../texts.mjs").Edit,
 *   readonly places: readonly number[] }} Scene
 */

/** @type {readonly ErrorClass[]} */
export const witnesses = [
  {
    name: "section_against_nearer_number",
    refusal: "the section names one copy, the number is nearer to another",
    make: (random) => {
      const scene = makeScene(random);
      const number = scene && pickNumber(random, scene, (distance, others) => distance > Math.min(...others));
      if (scene === undefined || number === undefined) return undefined;
      return { ...draft(scene, number), expect: { kind: "must_refuse" } };
    },
  },
  {
    name: "section_with_nearest_number",
    refusal: "where a section ends is not certain in this language",
    make: (random) => {
      const scene = makeScene(random);
      const number =
        scene && pickNumber(random, scene, (distance, others) => 2 * distance < Math.min(...others));
      if (scene === undefined || number === undefined) return undefined;
      const text = textAfter(scene.twins, [scene.edit]);
      return { ...draft(scene, number), expect: { kind: "one_right_text", text } };
    },
  },
  {
    name: "section_against_exact_number",
    // Git itself writes the section above the hunk's first line, which may be another than that of the change. An
    // exact old number among copies is believed: its copy is the nearest to it, so the section decides nothing.
    make: (random) => {
      const scene = makeScene(random);
      if (scene === undefined || !scene.places.includes(scene.hunk.oldStart)) return undefined;
      const { twins, which, hunk, edit } = scene;
      const section = twins.sections[(which + 1) % twins.sections.length];
      const header = `${headerAt(hunk, hunk.oldStart + 1)} ${section?.name}`;
      const diff = printFor(twins, [{ ...hunk, header }]);
      const text = textAfter(twins, [edit]);
      return { base: joinLines(twins.lines), diff, expect: { kind: "one_right_text", text } };
    },
  },
  {
    name: "section_alone_among_copies",
    refusal: "where a section ends is not certain in this language",
    make: (random) => {
      const scene = makeScene(random);
      if (scene === undefined) return undefined;
      const { twins, which, hunk, edit } = scene;
      const header = `@@ ${twins.sections[which]?.name}${random.chance(0.5) ? " @@" : ""}`;
      const text = textAfter(twins, [edit]);
      const diff = printFor(twins, [{ ...hunk, header }]);
      return { base: joinLines(twins.lines), diff, expect: { kind: "one_right_text", text } };
    },
  },
];

/** One copy in each section, and a change of one of them. @param {Random} random @returns {Scene | undefined} */
function makeScene(random) {
  const twins = makeTwins(random, { gap: random.pick([0, 0, 10, 60, 470]), nested: true });
  const which = random.below(twins.sections.length);
  const { hunk, edit } = changeBody(random, twins, which);
  const places = standsAt(twins, hunk);
  if (places.length !== twins.sections.length || !resultsDiffer(twins, hunk, edit, places)) return undefined;
  return { twins, which, hunk, edit, places };
}

/**
 * A number (from 0) that names no copy, by its distance from the right copy and from the others.
 * @param {Random} random @param {Scene} scene @param {(distance: number, others: readonly number[]) => boolean} fits
 */
function pickNumber(random, { hunk, places, twins }, fits) {
  for (let attempt = 0; attempt < 30; attempt++) {
    const number = random.below(twins.lines.length + 10);
    const others = places.filter((place) => place !== hunk.oldStart).map((place) => Math.abs(place - number));
    if (!places.includes(number) && fits(Math.abs(hunk.oldStart - number), others)) return number;
  }
  return undefined;
}

/** @param {Scene} scene @param {number} number */
function draft({ twins, which, hunk }, number) {
  const header = `${headerAt(hunk, number + 1)} ${twins.sections[which]?.name}`;
  return { base: joinLines(twins.lines), diff: printFor(twins, [{ ...hunk, header }]) };
}
