import { join } from "node:path";
import { lacking } from "../disks/images.mjs";
import { cutsPerDisk, passTime, withCopy, withPool, withWriter } from "../disks/power-cuts.mjs";
import { lengthOf, must, nth, storeAt } from "./life.mjs";

const what = "the power is cut while sessions are made and turns are acknowledged; then the next start";

/**
 * @param {string} writer @param {{ cuts: number, print: (line: string) => void }} options
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function cutSessions(writer, { cuts, print }) {
  const notHad = lacking(["mkfs.btrfs", "mkfs.ext4"]);
  if (notHad !== undefined) return { figure: "F6", what, tried: 0, bad: {}, notHad };
  const total = { cuts: 0, acks: 0, torn: 0, bad: { lost: 0, wrong: 0, stuck: 0 } };
  while (total.cuts < cuts) {
    await withPool(async (pool) => {
      const disk = { image: join(pool, "image"), at: join(pool, "mounted") };
      const pause = total.cuts % (2 * cutsPerDisk) < cutsPerDisk ? "40" : "0";
      await withWriter(disk, 512, [writer, join(disk.at, "state"), pause], async (witness) => {
        const end = Math.min(cuts, total.cuts + cutsPerDisk);
        while (total.cuts < end) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 120));
          const acked = new Map(witness.acked);
          await withCopy(disk, witness, async () => judge(join(disk.at, "state"), acked, total));
          total.cuts += 1;
        }
        total.acks += witness.acks;
      });
    });
    print(`${total.cuts} cuts: ${JSON.stringify(total)}`);
  }
  const seen = `${total.acks} turns and sessions acknowledged; ${total.torn} torn tails cut off and told`;
  return { figure: "F6", what, tried: total.cuts, bad: total.bad, seen };
}

/** How many of the sessions that were written last are looked at. */
const lookedAt = 4;

/**
 * @param {string} stateDir @param {ReadonlyMap<string, number>} acked
 * @param {{ torn: number, bad: { lost: number, wrong: number, stuck: number } }} total
 */
async function judge(stateDir, acked, total) {
  passTime(stateDir);
  const store = storeAt(stateDir);
  for (const [id, length] of [...acked].slice(-lookedAt)) {
    const session = await store.open(id, "write");
    if (session.kind === "refusal") {
      total.bad.lost += 1;
      continue;
    }
    const found = lengthOf(session);
    total.torn += session.problems.filter(({ what }) => what === "torn_tail").length;
    if (found < 0 || session.problems.some(({ what }) => what !== "torn_tail")) total.bad.wrong += 1;
    else if (found < length) total.bad.lost += 1;
    session.append(nth(id, found + 1));
    if ((await session.flush()).kind === "refusal") total.bad.stuck += 1;
    await session.close();
    const again = must(await store.open(id, "read"));
    if (lengthOf(again) !== found + 1 || again.problems.length > 0) total.bad.stuck += 1;
  }
  await store.close();
}
