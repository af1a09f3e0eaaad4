import { applyPatch } from "diff";
import { applyDiff } from "./engine.mjs";
import { regular } from "./inputs.mjs";

/**
 * Measures a small input in a warm process, both engines by turns: `warm-case.mjs LINES HUNKS`; answers in JSON.
 *
 * @typedef {{ readonly oursMs: number, readonly jsdiffMs: number, readonly oursUsualMs: number,
 *   readonly jsdiffUsualMs: number }} Warm the quickest tenth of the turns, and their median
 */
const callsOfTurn = 50;
const [, , lines = "200", hunks = "10"] = process.argv;
const { base, diff } = regular(Number(lines), Number(hunks), () => 0);
const ours = () => {
  const outcome = applyDiff({ base, diff });
  return outcome.kind === "success" && outcome.text;
};
const jsdiff = () => applyPatch(base, diff);
if (ours() !== jsdiff()) throw new Error("the two engines differ");
for (let n = 0; n < 10_000; n++) {
  ours();
  jsdiff();
}
/** @type {number[]} */
const oursMs = [];
/** @type {number[]} */
const jsdiffMs = [];
for (let n = 0; n < 400; n++) {
  oursMs.push(turn(ours));
  jsdiffMs.push(turn(jsdiff));
}
/** @type {Warm} */
const answer = {
  oursMs: quantile(oursMs, 0.1),
  jsdiffMs: quantile(jsdiffMs, 0.1),
  oursUsualMs: quantile(oursMs, 0.5),
  jsdiffUsualMs: quantile(jsdiffMs, 0.5),
};
process.stdout.write(JSON.stringify(answer));

/** @param {() => unknown} run */
function turn(run) {
  const start = performance.now();
  for (let n = 0; n < callsOfTurn; n++) run();
  return (performance.now() - start) / callsOfTurn;
}

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  return values.sort((one, other) => one - other)[Math.floor(share * values.length)] ?? Number.NaN;
}
