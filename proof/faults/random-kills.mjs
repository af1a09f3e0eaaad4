import { join } from "node:path";
import { eachOf, freshFolder, remove, treeOf } from "../rooms.mjs";
import { startAgain } from "../writers/next-start.mjs";
import { Witness } from "../writers/witness.mjs";

/** @typedef {import("../writers/next-start.mjs").Breach} Breach */

/**
 * F4: a process that writes without a pause is killed at any moment.
 *
 * @param {{ writer: string, plainWriter: string }} children
 * @param {{ kills: number, print: (line: string) => void }} options
 * @returns {Promise<import("../contract.mjs").Row[]>}
 */
export async function killAtRandom({ writer, plainWriter }, { kills, print }) {
  /** @type {Record<Breach, number>} */
  const bad = { lost: 0, torn: 0, "half sets": 0, strays: 0 };
  const total = { acks: 0, stages: 0 };
  const plain = { tried: 0, torn: 0 };
  await eachOf(Array.from({ length: kills }), async () => {
    const found = await killOne(
      (top) => [writer, join(top, "root"), join(top, "state"), "0", steps],
      startAgain,
    );
    for (const breach of found.answer.bad) bad[breach] += 1;
    total.acks += found.acks;
    total.stages += found.answer.stages;
  });
  print(`${kills} kills: ${JSON.stringify(bad)}`);
  await eachOf(Array.from({ length: Math.ceil(kills * 0.15) }), async () => {
    const inPlace = (/** @type {string} */ top) => [plainWriter, join(top, "root"), "0", "in-place"];
    const { answer } = await killOne(inPlace, async (top, judge) => judge(treeOf(join(top, "root"))));
    plain.tried += 1;
    plain.torn += Math.min(answer.torn, 1);
  });
  return [
    {
      figure: "F4",
      what: "a process that replaces, creates, changes together and undoes without a pause is killed at random; then the next start",
      tried: kills,
      bad,
      seen: `${total.acks} writes acknowledged; ${total.stages} stage files found and removed`,
      baseline: `writing in place (\`fs.writeFile\`): ${plain.torn} of ${plain.tried} torn`,
    },
  ];
}

const steps = "replace,create,set,undo";

/**
 * @template Answer
 * @param {(top: string) => readonly string[]} commandIn
 * @param {(top: string, judge: ReturnType<Witness["mark"]>) => Promise<Answer>} look
 */
async function killOne(commandIn, look) {
  const top = freshFolder();
  const witness = new Witness(commandIn(top));
  try {
    await witness.until(1);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    const killed = witness.kill();
    const judge = witness.mark();
    await killed;
    return { answer: await look(top, judge), acks: witness.acks };
  } finally {
    await witness.kill();
    remove(top);
  }
}
