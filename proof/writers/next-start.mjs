import { join } from "node:path";
import { openPorts } from "@holdfast/core/node";
import { recordsIn, stagesIn, treeOf } from "../rooms.mjs";

/** @typedef {"lost" | "torn" | "half sets" | "strays"} Breach */

/**
 * The next start on what a cut or a kill left of a writer's disk: what was acknowledged stands before it and
 * after it, whole, and after it nothing of ours is left.
 *
 * @param {string} disk that holds the writer's `root` and `state`
 * @param {ReturnType<import("./witness.mjs").Witness["mark"]>} judge
 */
export async function startAgain(disk, judge) {
  const [root, stateDir] = [join(disk, "root"), join(disk, "state")];
  const before = treeOf(root);
  const ports = await openPorts({ roots: [root], stateDir });
  if (ports.kind === "refusal") throw new Error(ports.message);
  const after = treeOf(root);
  const history = await ports.history.entries(join(root, "replaced"));
  const stands = ports.digest(Buffer.from(after.replaced ?? "", "latin1"));
  await ports.close();
  const verdicts = [judge(before), judge(after)];
  /** @type {Breach[]} */
  const bad = [];
  if (verdicts.some(({ lost }) => lost > 0)) bad.push("lost");
  if (verdicts.some(({ torn }) => torn > 0)) bad.push("torn");
  if (after.set0 !== after.set1 || after.set1 !== after.set2) bad.push("half sets");
  if (stagesIn(after).length + recordsIn(stateDir).length > 0) bad.push("strays");
  const unrecorded = after.replaced !== undefined && history.at(-1)?.after !== stands;
  return { bad, stages: stagesIn(before).length, unrecorded };
}
