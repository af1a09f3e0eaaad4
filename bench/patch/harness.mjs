import { createRandom } from "../generator/random.mjs";
import { applyDiff } from "./engine.mjs";
import { judgeApplied, placeExactly } from "./oracle.mjs";
import { tableOf } from "./table.mjs";

/**
 * Very small texts of very few distinct lines, so that nearly everything stands twice; random edits, random
 * damage of numbers, counts, context and order; and every answer held against all placements there are
 * (`oracle.mjs`). Shares nothing with the generator of the error classes, nor with the engine.
 *
 * @typedef {import("./oracle.mjs").TinyHunk} TinyHunk
 * @typedef {import("./oracle.mjs").TinyCase} TinyCase
 * @typedef {import("../generator/random.mjs").Random} Random
 */

/** @param {{ readonly seed: string, readonly count: number }} request */
export function runHarness({ seed, count }) {
  /** @type {Map<string, { count: number, example: string }>} */
  const wrong = new Map();
  /** @type {Map<string, number>} */
  const tally = new Map();
  const note = (/** @type {string} */ what) => tally.set(what, (tally.get(what) ?? 0) + 1);
  for (let n = 0; n < count; n++) {
    const made = makeTiny(createRandom(`${seed}/harness/${n}`));
    if (made === undefined) continue;
    const outcome = applyDiff({ base: textOf(made.lines), diff: printTiny(made) });
    if (outcome.kind === "refusal") {
      const texts = placeExactly(made);
      note(
        texts.size === 1
          ? `refused, though all exact placements come to one text (${outcome.code})`
          : `refused (${outcome.code})`,
      );
      continue;
    }
    note(outcome.code);
    const verdict = judgeApplied(made, outcome);
    if (verdict === undefined) continue;
    const size = made.lines.length + printTiny(made).length;
    const known = wrong.get(verdict);
    const example = JSON.stringify({
      n,
      base: textOf(made.lines),
      diff: printTiny(made),
      got: outcome.text,
      code: outcome.code,
      size,
    });
    if (known === undefined) wrong.set(verdict, { count: 1, example });
    else {
      known.count++;
      if (size < JSON.parse(known.example).size) known.example = example;
    }
  }
  return describe(count, tally, wrong);
}

/** @param {number} count @param {Map<string, number>} tally @param {Map<string, { count: number, example: string }>} wrong */
function describe(count, tally, wrong) {
  const rows = [...tally].sort((one, other) => other[1] - one[1]).map(([what, n]) => [what, String(n)]);
  const bad = [...wrong].map(([what, one]) => [what, String(one.count)]);
  const sum = [...wrong.values()].reduce((all, one) => all + one.count, 0);
  return [
    "## Small texts, all placements tried\n",
    `${count} diffs, ${sum} answers that no placement explains.\n`,
    tableOf(["answer", "cases"], rows),
    ...(bad.length === 0 ? [] : [tableOf(["wrong", "cases"], bad)]),
    ...[...wrong].map(([what, one]) => `${what}: \`${one.example}\`\n`),
  ].join("\n");
}

/** @param {Random} random @returns {TinyCase | undefined} */
function makeTiny(random) {
  const words = ["alpha", "beta", "gamma", "delta"].slice(0, random.between(1, 4));
  const sections = random.chance(0.2);
  const indent = sections ? "    " : "";
  const word = () => indent + random.pick(words);
  const lines = Array.from({ length: random.between(1, 12) }, word);
  if (sections) {
    lines.unshift("class One:");
    if (lines.length > 3) lines.splice(random.between(2, lines.length - 1), 0, "class Two:");
  }
  const fresh = () => (random.chance(0.6) ? `${indent}new_${random.between(1, 99)}` : word());
  /** @type {TinyHunk[]} */
  const hunks = [];
  let from = 0;
  let growth = 0;
  for (let n = random.between(1, 3); n > 0 && from < lines.length; n--) {
    const at = random.between(from, lines.length);
    const del = Math.min(random.below(3), lines.length - at);
    const add = Array.from({ length: random.between(del === 0 ? 1 : 0, 2) }, fresh);
    if (add.join() === lines.slice(at, at + del).join()) continue;
    const start = Math.max(random.chance(0.8) ? from : 0, at - random.below(4));
    const end = Math.min(lines.length, at + del + random.below(4));
    if (end - start === 0) continue;
    hunks.push({
      old: start + 1,
      new: start + 1 + growth,
      section: sections && random.chance(0.4) ? headingAbove(lines, start) : undefined,
      lines: [
        ...lines.slice(start, at).map((text) => ({ sign: /** @type {const} */ (" "), text })),
        ...lines.slice(at, at + del).map((text) => ({ sign: /** @type {const} */ ("-"), text })),
        ...add.map((text) => ({ sign: /** @type {const} */ ("+"), text })),
        ...lines.slice(at + del, end).map((text) => ({ sign: /** @type {const} */ (" "), text })),
      ],
    });
    growth += add.length - del;
    from = at + del + (random.chance(0.8) ? 1 : 0);
  }
  if (hunks.length === 0) return undefined;
  return { lines, hunks: damage(random, lines, hunks, word) };
}

/** @param {readonly string[]} lines @param {number} start */
function headingAbove(lines, start) {
  return lines.slice(0, start + 1).findLast((text) => text.startsWith("class"));
}

/** @param {Random} random @param {readonly string[]} lines @param {readonly TinyHunk[]} hunks @param {() => string} word */
function damage(random, lines, hunks, word) {
  const mode = random.pick(["true", "true", "bare", "bare", "shifted", "random", "new lies", "one lies"]);
  const shift = random.between(-4, 4);
  const liar = random.below(hunks.length);
  const renumbered = hunks.map((hunk, at) => {
    const any = () => random.between(1, lines.length + 3);
    if (mode === "bare") return { ...hunk, old: undefined, new: undefined };
    if (mode === "shifted")
      return {
        ...hunk,
        old: Math.max(1, (hunk.old ?? 1) + shift),
        new: Math.max(1, (hunk.new ?? 1) + shift),
      };
    if (mode === "random") return { ...hunk, old: any(), new: any() };
    if (mode === "new lies") return { ...hunk, new: any() };
    return mode === "one lies" && at === liar ? { ...hunk, old: any(), new: any() } : hunk;
  });
  const damaged = renumbered.map((hunk) => (random.chance(0.3) ? damageContext(random, hunk, word) : hunk));
  const again = random.chance(0.06) ? [...damaged, /** @type {TinyHunk} */ (damaged[0])] : damaged;
  return random.chance(0.1) ? random.shuffle(again) : again;
}

/** @param {Random} random @param {TinyHunk} hunk @param {() => string} word @returns {TinyHunk} */
function damageContext(random, hunk, word) {
  const context = hunk.lines.flatMap(({ sign }, at) => (sign === " " ? [at] : []));
  const left = hunk.lines.filter(({ sign }) => sign !== "+").length;
  const text = random.chance(0.5) ? `${word().replace(/\S.*/, "")}foreign_${random.below(9)}` : word();
  const line = { sign: /** @type {const} */ (" "), text };
  const at = context.length === 0 ? 0 : random.pick(context);
  switch (random.below(4)) {
    case 0:
      return context.length > 0 && left > 1 ? { ...hunk, lines: hunk.lines.toSpliced(at, 1) } : hunk;
    case 1:
      return context.length > 0 ? { ...hunk, lines: hunk.lines.with(at, line) } : hunk;
    case 2:
      return { ...hunk, lines: hunk.lines.toSpliced(at, 0, line) };
    default:
      return { ...hunk, lines: hunk.lines.toSpliced(random.pick([0, hunk.lines.length]), 0, line) };
  }
}

/** @param {readonly string[]} lines */
function textOf(lines) {
  return lines.map((line) => `${line}\n`).join("");
}

/** @param {TinyCase} made */
function printTiny({ hunks }) {
  return hunks
    .map((hunk) => {
      const count = (/** @type {string} */ but) => hunk.lines.filter(({ sign }) => sign !== but).length;
      const numbers =
        hunk.old === undefined ? "" : ` -${hunk.old},${count("+")} +${hunk.new},${count("-")} @@`;
      const section = hunk.section === undefined ? "" : ` ${hunk.section}`;
      return `@@${numbers}${section}\n${hunk.lines.map(({ sign, text }) => `${sign}${text}\n`).join("")}`;
    })
    .join("");
}
