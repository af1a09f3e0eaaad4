import { joinLines, loosen } from "../lines.mjs";
import { placesOf } from "../proof.mjs";
import { applyEdits, printDiff, trueHeader } from "../true-diff.mjs";
import { hunkOf, makeTwins, standsAt } from "../twins.mjs";
import { headerAt, printFor } from "./outcome.mjs";

/**
 * Changes that the file has already, and what shows it: fitting context, or the exact number. Without either the
 * new line may stand there for another reason.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../contract.mjs").World} World
 * @typedef {import("../random.mjs").Random} Random
 */

/** @type {readonly ErrorClass[]} */
export const standing = [
  {
    name: "made_without_a_witness",
    refusal: "the new line stands in the file, but neither context nor number says that it is this change",
    make: (random, world) => {
      const scene = findReplacement(world);
      if (scene === undefined) return undefined;
      const { change, hunk } = scene;
      const wrong = hunk.oldStart + 1 + random.between(2, 30) * random.pick([-1, 1]);
      const header = random.pick(["@@", "", wrong < 1 ? "@@" : headerAt(hunk, wrong)]);
      const printed = printDiff(change, [{ ...hunk, header }], header === "" ? [] : undefined);
      const diff = printed.replace(/^\n/, "");
      return { base: change.truth, diff, expect: { kind: "must_refuse" } };
    },
  },
  {
    name: "made_at_the_exact_number",
    make: (_random, world) => {
      const scene = findReplacement(world);
      if (scene === undefined) return undefined;
      return {
        base: scene.change.truth,
        diff: printDiff(scene.change),
        made: [1],
        expect: { kind: "already_applied" },
      };
    },
  },
  {
    name: "made_beside_one_line_of_context",
    make: (random, world) => {
      const scene = findReplacement(world);
      if (scene === undefined) return undefined;
      const { change, hunk } = scene;
      const [edit] = change.edits;
      if (edit === undefined) return undefined;
      const above = random.chance(0.5);
      const at = above ? edit.at - 1 : edit.at + edit.del;
      const text = change.lines[at]?.text ?? "";
      if (!/\w{3}/.test(text)) return undefined;
      const line = { sign: /** @type {const} */ (" "), text, at };
      const lines = above ? [line, ...hunk.lines] : [...hunk.lines, line];
      const fresh = lines.filter(({ sign }) => sign !== "-").map((one) => loosen(one.text));
      if (placesOf(change.truth.split("\n").map(loosen), fresh).length !== 1) return undefined;
      const diff = printDiff(change, [{ ...hunk, lines, header: "@@" }]);
      return { base: change.truth, diff, made: [1], expect: { kind: "already_applied" } };
    },
  },
  {
    name: "deletion_made_equal_line_elsewhere",
    refusal: "the removed line may be gone, or misquoted",
    // The line is gone from one section, whose own line the hunk quotes; the other sections still have it. To
    // remove one of those is wrong.
    make: (random) => {
      const twins = makeTwins(random, { gap: random.pick([0, 0, 30, 460]) });
      const which = random.below(twins.sections.length);
      const section = twins.sections[which];
      if (section === undefined) return undefined;
      const at = section.body + random.between(0, twins.bodyLength - 2);
      if (twins.lines[at]?.text.trim() === "") return undefined;
      const edit = { at, del: 1, add: [] };
      const end = Math.min(at + 1 + random.between(1, 3), section.body + twins.bodyLength);
      const hunk = hunkOf(twins, edit, random.between(section.head, section.own), end);
      const lines = applyEdits(twins.lines, [edit]);
      const fresh = hunk.lines.filter(({ sign }) => sign !== "-").map((line) => line.text);
      const texts = lines.map((line) => line.text);
      if (standsAt({ lines }, hunk).length > 0 || placesOf(texts, fresh).length !== 1) return undefined;
      const base = joinLines(lines);
      const header = random.pick(["@@", trueHeader(hunk), headerAt(hunk, random.between(1, lines.length))]);
      const diff = printFor(twins, [{ ...hunk, header }]);
      return { base, diff, made: [1], expect: { kind: "right_text_or_refusal", text: base } };
    },
  },
];

/**
 * One replacement without context, whose removed lines are nowhere in the new text and whose added lines stand
 * there once.
 * @param {World} world
 */
function findReplacement(world) {
  const change = world.change({ context: [0, 0], edits: [1, 1] });
  const [hunk] = change?.hunks ?? [];
  const [edit] = change?.edits ?? [];
  if (change === undefined || hunk === undefined || edit === undefined) return undefined;
  if (edit.del === 0 || edit.add.length === 0) return undefined;
  const truth = change.truth.split("\n").map(loosen);
  const gone = hunk.lines.filter(({ sign }) => sign === "-").map(({ text }) => loosen(text));
  const fresh = hunk.lines.filter(({ sign }) => sign === "+").map(({ text }) => loosen(text));
  if (![...gone, ...fresh].every((text) => /\w{3}/.test(text)) || gone.some((text) => truth.includes(text)))
    return undefined;
  const known = change.lines.map(({ text }) => loosen(text));
  if (fresh.some((text) => known.includes(text)) || placesOf(truth, fresh).length !== 1) return undefined;
  return { change, hunk };
}
