import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { freshFolder, remove } from "../rooms.mjs";
import { must, started, storeAt } from "./life.mjs";

/**
 * Four processes take the lease of one session in turn, turn by turn.
 *
 * @param {string} taker @param {{ turns: number }} options
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function takeTurns(taker, { turns }) {
  const top = freshFolder();
  try {
    const stateDir = join(top, "state");
    const store = storeAt(stateDir);
    const session = must(await store.create("s", [started("s")]));
    const second = await storeAt(stateDir).open("s", "write");
    const bad = { lost: 0, twice: 0, failed: 0, "not refused": second.kind === "refusal" ? 0 : 1 };
    await session.close();
    const begun = performance.now();
    const takers = ["a", "b", "c", "d"].map((name) =>
      spawn(process.execPath, [taker, stateDir, name, String(turns)], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    );
    for (const [status] of await Promise.all(takers.map((child) => once(child, "close"))))
      if (status !== 0) bad.failed += 1;
    const seconds = (performance.now() - begun) / 1_000;
    const { records, problems } = must(await store.open("s", "read"));
    const titles = records.map(({ event }) => (event.type === "renamed" ? event.title : ""));
    bad.lost += 4 * turns + 1 - new Set(titles).size;
    bad.twice += titles.length - new Set(titles).size + problems.length;
    return {
      figure: "F6",
      what: `4 processes take the lease in turn for ${turns} turns each`,
      tried: 4 * turns,
      bad,
      seen: `${records.length - 1} turns in the journal, ${seconds.toFixed(1)} s`,
    };
  } finally {
    remove(top);
  }
}
