import { applyDiff } from "./engine.mjs";
import { repairDiff } from "./mechanical-client.mjs";
import { judgeOurs } from "./score.mjs";
import { tableOf } from "./table.mjs";

/** How many refusals the mechanical client lands in one retry. @param {readonly import("../generator/contract.mjs").Case[]} cases */
export async function measureClient(cases) {
  /** @type {Map<string, { refused: number, landed: number, wrong: number, again: number }>} */
  const rows = new Map();
  const total = { refused: 0, landed: 0, wrong: 0, again: 0 };
  for (const made of cases) {
    if (made.expect.kind === "must_refuse") continue;
    const first = applyDiff(made);
    if (first.kind !== "refusal") continue;
    const row = rows.get(made.class) ?? { refused: 0, landed: 0, wrong: 0, again: 0 };
    rows.set(made.class, row);
    const end = retry(made, first.message);
    for (const tally of [row, total]) {
      tally.refused++;
      tally[end]++;
    }
  }
  const share = (/** @type {typeof total} */ { landed, refused }) =>
    refused === 0 ? "–" : `${((100 * landed) / refused).toFixed(1)} %`;
  const body = [...rows, /** @type {const} */ (["all", total])].map(([name, tally]) =>
    [name, tally.refused, tally.landed, tally.again, tally.wrong, share(tally)].map(String),
  );
  return [
    "## A mechanical client\n",
    "Refusals whose right text is known, answered once by a client that has the text, its diff and the words of the refusal (`bench/patch/mechanical-client.mjs`).\n",
    tableOf(["class", "refused", "landed", "refused again", "wrong", "share"], body),
  ].join("\n");
}

/** @param {import("../generator/contract.mjs").Case} made @param {string} message @returns {"landed" | "wrong" | "again"} */
export function retry(made, message) {
  const next = repairDiff(made.base, made.diff, message);
  if (next === undefined) return "again";
  if (next === "") return made.expect.kind === "already_applied" ? "landed" : "wrong";
  const outcome = applyDiff({ base: made.base, diff: next });
  const verdict = judgeOurs(made, outcome);
  if (outcome.kind === "refusal") return "again";
  if (made.expect.kind === "already_applied") return outcome.text === made.base ? "landed" : "wrong";
  return verdict === "right" ? "landed" : "wrong";
}
