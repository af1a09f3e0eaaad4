import { makeEdits } from "./edits.mjs";
import { splitLines } from "./lines.mjs";
import { addsWhatIsNew } from "./proof.mjs";
import { makeChange } from "./true-diff.mjs";

/**
 * What a class asks for. `fromHistory: false` where the class builds on edits that history does not have.
 * @typedef {{ readonly context?: readonly [number, number], readonly edits?: readonly [number, number],
 *   readonly merge?: boolean, readonly shape?: (text: string) => string,
 *   readonly kinds?: readonly Kind[] }} Wish
 * @typedef {"history" | "packages" | "repetitive" | "forms"} Kind
 */

/**
 * A true change of a true text, as the class wishes it; nothing where this choice of text and edits gives none.
 *
 * @param {import("./random.mjs").Random} random
 * @param {import("./texts.mjs").Pool} pool
 * @param {Wish} wish
 * @returns {import("./true-diff.mjs").Change | undefined}
 */
export function findChange(random, pool, wish = {}) {
  const { context = [1, 10], edits: [fewest, most] = [1, 6], merge = true, shape, kinds } = wish;
  const source = pickSource(random, pool, kinds ?? allKinds);
  const window = source.edits === undefined ? cutWindow(random, source.text) : source.text;
  const base = shape === undefined ? window : shape(window);
  const wanted = random.between(fewest, most);
  const lines = splitLines(base).map(({ text }) => text);
  const edits =
    source.edits === undefined || shape !== undefined
      ? makeEdits(random, lines, wanted)
      : pickStretch(random, source.edits, wanted);
  if (edits.length < fewest) return undefined;
  const width = random.chance(0.5) ? 3 : random.between(context[0], context[1]);
  const change = makeChange({
    path: `src/${source.name.split("/").at(-1)}`,
    base,
    edits,
    context: Math.min(Math.max(width, context[0]), context[1]),
    merge,
    interleave: random.chance(0.15),
  });
  if (change === undefined || change.truth === base || !addsWhatIsNew(change, change.hunks)) return undefined;
  return change;
}

/** @param {import("./random.mjs").Random} random @param {import("./texts.mjs").Pool} pool @param {readonly Kind[]} kinds */
function pickSource(random, pool, kinds) {
  const weighted = kinds.flatMap((kind) =>
    Array.from({ length: pool[kind].length > 0 ? weights[kind] : 0 }, () => kind),
  );
  return random.pick(pool[random.pick(weighted)]);
}

/** Neighbouring edits of a true change; by themselves they are a true change, too. @template T @param {import("./random.mjs").Random} random @param {readonly T[]} edits @param {number} count */
function pickStretch(random, edits, count) {
  const from = random.below(Math.max(1, edits.length - count + 1));
  return edits.slice(from, from + count);
}

/** Files differ in length; so do cases. @param {import("./random.mjs").Random} random @param {string} text */
function cutWindow(random, text) {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (lines.length <= 60 || random.chance(0.6)) return text;
  const size = random.between(30, Math.min(lines.length, 300));
  const from = random.below(lines.length - size + 1);
  return lines.slice(from, from + size).join("");
}

const allKinds = /** @type {const} */ (["history", "packages", "repetitive", "forms"]);
const weights = { history: 6, packages: 7, repetitive: 3, forms: 6 };
