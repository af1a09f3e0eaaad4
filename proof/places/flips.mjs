import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { asked } from "./asked.mjs";
import { instrument } from "./instrument.mjs";

/**
 * A case of `decisions.json`: what a diff does to a text.
 * @typedef {{ readonly name: string, readonly base: string, readonly diff: string, readonly code: string,
 *   readonly text?: string, readonly repairs?: readonly string[], readonly says?: readonly string[] }} Decision
 * @typedef {import("./instrument.mjs").Flip} Flip
 * @typedef {import("../../bench/patch/engine.mjs").Request} Request
 * @typedef {{ readonly kind: "success", readonly code: string, readonly text: string, readonly repairs: readonly { readonly kind: string, readonly detail: string }[] }
 *   | { readonly kind: "refusal", readonly code: string, readonly message: string }} Outcome
 */

const home = fileURLToPath(new URL("../../", import.meta.url));
const core = `${home}packages/core`;

/** The cases that hold the decisions, in order. @returns {readonly Decision[]} */
export function readDecisions() {
  return JSON.parse(readFileSync(`${core}/test/patch/locate/decisions.json`, "utf8"));
}

/**
 * A copy of the built core whose `patch/locate` can be flipped; below `node_modules`, so that it finds what it imports.
 *
 * @returns {Promise<{ flips: readonly Flip[], applyDiff: (request: Request) => Outcome }>}
 */
export async function openFlips() {
  const folder = `${home}node_modules/.cache/holdfast/flips`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(`${core}/dist`, `${folder}/dist`, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }\n');
  const flips = instrument(`${core}/src/patch/locate`, `${folder}/dist/patch/locate`);
  asked.seen = new Uint8Array(flips.length);
  const { applyDiff } = await import(`${folder}/dist/patch/index.js`);
  return { flips, applyDiff };
}

/**
 * Applies a case with a flip, or with none.
 * @param {(request: Request) => Outcome} applyDiff @param {Decision} decision @param {number} flip -1 for none
 * @returns {{ outcome: Outcome | undefined, seen: Uint8Array, steps: number }} no outcome where it threw, or ran without an end
 */
export function applyFlipped(applyDiff, { base, diff }, flip, mostSteps = Number.POSITIVE_INFINITY) {
  Object.assign(asked, { flipped: flip, steps: 0, mostSteps });
  asked.seen.fill(0);
  let outcome;
  try {
    outcome = applyDiff({ base, diff });
  } catch {}
  asked.flipped = -1;
  return { outcome, seen: asked.seen, steps: asked.steps };
}

/** Whether a case ends as it is stored. @param {Decision} decision @param {Outcome | undefined} outcome */
export function holds({ code, text, repairs, says = [] }, outcome) {
  if (outcome?.code !== code) return false;
  const repaired = outcome.kind === "success" ? outcome.repairs : [];
  const told = outcome.kind === "refusal" ? outcome.message : repaired.map(({ detail }) => detail).join("\n");
  if (!says.every((part) => told.includes(part))) return false;
  if (outcome.kind === "refusal") return true;
  const kinds = [...new Set(repaired.map(({ kind }) => kind))].sort();
  return outcome.text === text && (repairs === undefined || kinds.join() === repairs.join());
}

/**
 * Flips each condition, one at a time, and gives those that no case notices.
 * @returns {Promise<{ count: number, broken: readonly string[], survivors: readonly Flip[] }>} `broken`: cases that do not
 *   hold as the code stands
 */
export async function findSurvivors() {
  const { flips, applyDiff } = await openFlips();
  /** @type {string[]} */
  const broken = [];
  const runs = readDecisions().map((decision) => {
    const { outcome, seen, steps } = applyFlipped(applyDiff, decision, -1);
    if (!holds(decision, outcome)) broken.push(decision.name);
    return { decision, seen: seen.slice(), mostSteps: 100_000 + 30 * steps };
  });
  const survivors = flips.filter(
    ({ id }) =>
      !runs.some(
        ({ decision, seen, mostSteps }) =>
          seen[id] === 1 && !holds(decision, applyFlipped(applyDiff, decision, id, mostSteps).outcome),
      ),
  );
  return { count: flips.length, broken, survivors };
}
