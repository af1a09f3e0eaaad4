import { applyDiff } from "@holdfast/core/patch";
import { classNames, generate, seeds } from "../../bench/generator/index.mjs";
import { judgeOurs, requestOf } from "../../bench/patch/score.mjs";
import { sha256 } from "../ground.mjs";
import { goldenPool } from "../pool.mjs";

const count = 40;

/** What becomes of each case of the error-model generator. A limit of time may never decide here. @type {import("../run.mjs").Scene["default"]} */
export default async function generator() {
  const pool = goldenPool();
  const rows = classNames.flatMap((name) => {
    const verdicts = { right: 0, refused: 0, wrong: 0 };
    const cases = generate(seeds.judge, count, [name], pool).map((made) => {
      const outcome = applyDiff({ ...requestOf(made), limitMs: 600_000 });
      // The judge knows the outcome by less than it holds.
      const verdict = judgeOurs(
        made,
        /** @type {import("../../bench/patch/engine.mjs").Outcome} */ (outcome),
      );
      verdicts[verdict] += 1;
      const hash = sha256(JSON.stringify(outcome)).slice(0, 8);
      return `${made.seed} ${outcome.code} ${hash}${verdict === "right" ? "" : ` ${verdict}`}`;
    });
    const { right, refused, wrong } = verdicts;
    return [`# ${name}: ${right} exact, ${refused} refused, ${wrong} wrong`, ...cases];
  });
  return { "generator.txt": `${rows.join("\n")}\n` };
}
