import { joinLines } from "../lines.mjs";
import { changeBody, changeOwn, makeTwins, standsAt } from "../twins.mjs";
import { printFor, textAfter } from "./outcome.mjs";

/**
 * Hunks that are equal to the letter, between hunks that stand in one place. Without numbers only the order of
 * the file can place them; all placements in order are tried, and the label is what they come to.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../contract.mjs").Draft} Draft
 * @typedef {import("../random.mjs").Random} Random
 * @typedef {import("../twins.mjs").Twins} Twins
 * @typedef {{ readonly hunk: import("../true-diff.mjs").Hunk, readonly edit: import("../texts.mjs").Edit }} Piece
 */

/** @type {readonly ErrorClass[]} */
export const equalHunks = [
  {
    name: "equal_hunks_pinned_by_order",
    make: (random) => {
      const scene = weave(random);
      return scene?.texts.length === 1
        ? { ...scene.draft, expect: { kind: "one_right_text", text: scene.texts[0] ?? "" } }
        : undefined;
    },
  },
  {
    name: "equal_hunks_not_pinned",
    refusal: "the order of the hunks leaves several copies",
    make: (random) => {
      const scene = weave(random);
      return scene !== undefined && scene.texts.length > 1
        ? { ...scene.draft, expect: { kind: "must_refuse" } }
        : undefined;
    },
  },
  {
    name: "equal_hunks_one_for_each_copy",
    make: (random) => {
      const scene = repeat(random);
      if (scene === undefined) return undefined;
      const { twins, piece, places } = scene;
      const text = textAfter(
        twins,
        places.map((place) => moved(piece, place)),
      );
      return {
        ...draftOf(
          twins,
          places.map(() => piece),
        ),
        expect: { kind: "one_right_text", text },
      };
    },
  },
  {
    name: "equal_hunks_fewer_than_copies",
    refusal: "there is a copy more than there are hunks",
    make: (random) => {
      const scene = repeat(random);
      if (scene === undefined) return undefined;
      const { twins, piece, places } = scene;
      return {
        ...draftOf(
          twins,
          places.slice(1).map(() => piece),
        ),
        expect: { kind: "must_refuse" },
      };
    },
  },
  {
    name: "equal_hunks_more_than_copies",
    refusal: "there is a hunk more than there are copies",
    make: (random) => {
      const scene = repeat(random);
      if (scene === undefined) return undefined;
      const { twins, piece, places } = scene;
      return { ...draftOf(twins, [piece, ...places.map(() => piece)]), expect: { kind: "must_refuse" } };
    },
  },
  {
    name: "equal_hunks_one_copy",
    make: (random) => {
      const twins = makeTwins(random, {});
      const piece = changeOwn(twins, random.below(twins.sections.length), "fresh");
      const text = textAfter(twins, [piece.edit]);
      const pieces = Array.from({ length: random.between(2, 3) }, () => piece);
      return { ...draftOf(twins, pieces), expect: { kind: "one_right_text", text } };
    },
  },
];

/** A change that fits every section alike, where the copies do not overlap. @param {Random} random */
function repeat(random) {
  const twins = makeTwins(random, { count: random.between(2, 4), gap: random.pick([0, 0, 30, 460]) });
  const piece = changeBody(random, twins, 0, { kinds: ["replace", "insert"] });
  const places = standsAt(twins, piece.hunk);
  return places.length === twins.sections.length ? { twins, piece, places } : undefined;
}

/** Unique hunks in the order of the file, and equal ones anywhere between them. @param {Random} random */
function weave(random) {
  const twins = makeTwins(random, { count: random.between(2, 4), gap: random.pick([0, 0, 30]) });
  const same = changeBody(random, twins, 0, { context: random.between(0, 2), kinds: ["replace", "insert"] });
  const places = standsAt(twins, same.hunk);
  if (places.length !== twins.sections.length) return undefined;
  /** @type {Piece[]} */
  const pieces = [];
  for (let which = 0; which < twins.sections.length; which++) {
    if (random.chance(0.75)) pieces.push(changeOwn(twins, which, "fresh"));
    if (random.chance(0.55)) pieces.push(same);
  }
  const equal = pieces.filter((piece) => piece === same).length;
  if (equal === 0 || equal === pieces.length) return undefined;
  const texts = placeAll(twins, pieces, same, places);
  return texts.length === 0 ? undefined : { draft: draftOf(twins, pieces), texts };
}

/**
 * All texts that the pieces come to in the order given, each piece at one of its places, disjoint. The line that
 * only a section has stands above its body, so pieces never share a line.
 * @param {Twins} twins @param {readonly Piece[]} pieces @param {Piece} same @param {readonly number[]} places
 */
function placeAll(twins, pieces, same, places) {
  /** @type {import("../texts.mjs").Edit[][]} */
  let ways = [[]];
  for (const piece of pieces) {
    const edits = piece === same ? places.map((place) => moved(piece, place)) : [piece.edit];
    ways = ways.flatMap((way) => {
      const last = way.at(-1);
      return edits.flatMap((edit) =>
        last === undefined || edit.at >= last.at + Math.max(1, last.del) ? [[...way, edit]] : [],
      );
    });
  }
  return [...new Set(ways.map((way) => textAfter(twins, way)))];
}

/** @param {Piece} piece @param {number} place */
function moved({ hunk, edit }, place) {
  return { ...edit, at: edit.at + place - hunk.oldStart };
}

/** @param {Twins} twins @param {readonly Piece[]} pieces */
function draftOf(twins, pieces) {
  const hunks = pieces.map(({ hunk }) => ({ ...hunk, header: "@@" }));
  return { base: joinLines(twins.lines), diff: printFor(twins, hunks) };
}
