import { classes } from "./classes/index.mjs";
import { createRandom } from "./random.mjs";
import { loadPool } from "./texts.mjs";
import { findChange } from "./world.mjs";

/**
 * @typedef {import("./contract.mjs").Case} Case
 * @typedef {import("./contract.mjs").ErrorClass} ErrorClass
 */

export { loadPool };

/** The names of all classes, in the order of the tables. */
export const classNames = classes.map(({ name }) => name);

/** Why a refusal is right in a class, or all that can be had; for the table. */
export const refusals = new Map(
  classes.flatMap(({ name, refusal }) => (refusal === undefined ? [] : [[name, refusal]])),
);

/** The seed that the engine may be tuned on, and the one that judges it. */
export const seeds = { tune: "tune", judge: "judge" };

/**
 * Damaged diffs of true changes, `count` of each class. The same seed gives the same cases for the same pool,
 * whatever other classes are asked for; `case.seed` alone makes the case again (`regenerate`).
 *
 * @param {string | number} seed
 * @param {number} count
 * @param {readonly string[]} [names]
 * @param {import("./texts.mjs").Pool} [pool]
 * @returns {Case[]}
 */
export function generate(seed, count, names = classNames, pool = loadPool()) {
  return names.flatMap((name) => {
    const known = findClass(name);
    const cases = [];
    for (let n = 0; n < count; n++) {
      for (let attempt = 0; attempt < attemptLimit; attempt++) {
        const made = makeCase(known, `${seed}/${name}/${n}/${attempt}`, pool);
        if (made === undefined) continue;
        cases.push(made);
        break;
      }
    }
    return cases;
  });
}

/** One case again, by its seed. @param {string} seed @param {import("./texts.mjs").Pool} [pool] */
export function regenerate(seed, pool = loadPool()) {
  return makeCase(findClass(seed.split("/").at(-3) ?? ""), seed, pool);
}

/** @param {ErrorClass} known @param {string} seed @param {import("./texts.mjs").Pool} pool @returns {Case | undefined} */
function makeCase(known, seed, pool) {
  const random = createRandom(seed);
  const draft = known.make(random, { change: (wish) => findChange(random, pool, wish) });
  if (draft === undefined || draft.diff === "") return undefined;
  return relabel({ class: known.name, seed, ...draft });
}

/**
 * Where damage happens to leave the mark of a diff that was cut off (`cut_off_after_an_added_line`), a refusal is
 * right, too.
 * @param {Case} made @returns {Case}
 */
function relabel(made) {
  const { expect } = made;
  if (expect.kind !== "one_right_text" || !looksCutOff(made.diff)) return made;
  return { ...made, expect: { kind: "right_text_or_refusal", text: expect.text } };
}

/** The last hunk ends in an added line, and its header promises two more new lines and one more old one. @param {string} diff */
function looksCutOff(diff) {
  const lines = diff.replace(/\n+$/, "").split("\n");
  const at = lines.findLastIndex((line) => line.startsWith("@@"));
  const [, old, fresh] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines[at] ?? "") ?? [];
  const body = lines.slice(at + 1);
  if (at < 0 || (old ?? fresh) === undefined || !body.at(-1)?.startsWith("+")) return false;
  const count = (/** @type {string} */ but) => body.filter((line) => !line.startsWith(but)).length;
  return Number(old ?? 1) > count("+") && Number(fresh ?? 1) >= count("-") + 2;
}

/** @param {string} name @returns {ErrorClass} */
function findClass(name) {
  const known = classes.find((candidate) => candidate.name === name);
  if (known === undefined) throw new Error(`unknown class: ${name}`);
  return known;
}

const attemptLimit = 200;
