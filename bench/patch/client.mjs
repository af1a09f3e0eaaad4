import { applyDiff } from "./engine.mjs";
import { repairDiff } from "./mechanical-client.mjs";
import { judgeOurs, requestOf } from "./score.mjs";
import { tableOf } from "./table.mjs";

/**
 * How many refusals whose right text is known the mechanical client takes to that text in one retry, by class.
 *
 * @typedef {import("../generator/contract.mjs").Case} Case
 * @typedef {{ refused: number, landed: number, wrong: number, again: number }} Tally
 */
export function openClient() {
  /** @type {Map<string, Tally>} */
  const rows = new Map();
  /** @type {unknown[]} */
  const failures = [];
  return {
    /** @param {readonly Case[]} cases */
    add: (cases) => {
      for (const made of cases) {
        if (made.expect.kind === "must_refuse") continue;
        const first = applyDiff(requestOf(made));
        if (first.kind !== "refusal") continue;
        const row = rows.get(made.class) ?? newTally();
        rows.set(made.class, row);
        const { end, next } = retry(made, first.message);
        row.refused++;
        row[end]++;
        if (end !== "landed" && row.refused - row.landed <= 5)
          failures.push({ ...made, verdict: `client: ${end}`, got: first, next });
      }
    },
    text: () => describe(rows),
    failures,
  };
}

/** @param {Case} made @param {string} message @returns {{ end: "landed" | "wrong" | "again", next: string | undefined }} */
export function retry(made, message) {
  const next = repairDiff(made.base, made.diff, message, made.made);
  if (next === undefined) return { end: "again", next };
  const { expect, base } = made;
  const known =
    expect.kind === "already_applied" ? base : expect.kind === "must_refuse" ? undefined : expect.text;
  if (next === "") return { end: base === known ? "landed" : "wrong", next };
  const outcome = applyDiff({ ...requestOf(made), diff: next });
  if (outcome.kind === "refusal") return { end: "again", next };
  if (expect.kind === "already_applied") return { end: outcome.text === base ? "landed" : "wrong", next };
  return { end: judgeOurs(made, outcome) === "right" ? "landed" : "wrong", next };
}

/** @param {Map<string, Tally>} rows */
function describe(rows) {
  const total = newTally();
  for (const row of rows.values()) {
    for (const key of /** @type {const} */ (["refused", "landed", "wrong", "again"])) total[key] += row[key];
  }
  const share = (/** @type {Tally} */ { landed, refused }) =>
    refused === 0 ? "–" : `${((100 * landed) / refused).toFixed(1)} %`;
  const body = [...rows, /** @type {const} */ (["all", total])].map(([name, tally]) =>
    [name, tally.refused, tally.landed, tally.again, tally.wrong, share(tally)].map(String),
  );
  return [
    "## A mechanical client\n",
    "Refusals whose right text is known, answered once by a client that has the text, its diff, the words of the refusal, and the memory of what it made before (`bench/patch/mechanical-client.mjs`).\n",
    tableOf(["class", "refused", "landed", "refused again", "wrong", "share"], body),
  ].join("\n");
}

/** @returns {Tally} */
function newTally() {
  return { refused: 0, landed: 0, wrong: 0, again: 0 };
}
