import { built } from "./machine.mjs";
import { findServer, startCluster } from "./postgres/cluster.mjs";
import { durableAppends } from "./postgres/durable.mjs";
import { runRace } from "./postgres/race.mjs";
import { unreadableTexts } from "./postgres/unreadable.mjs";

/** @typedef {import("./contract.mjs").Part} Part */
/** @typedef {import("./contract.mjs").Row} Row */
/** @typedef {import("./postgres/race.mjs").Race} Race */

const whole = { turns: 100, crashes: 12, appends: 500 };
const quickly = { turns: 2, crashes: 1, appends: 20 };

/** Eight processes on one PostgreSQL server, what a durable append costs there, and what is too large to be read. @type {Part} */
export const part = {
  name: "postgres",
  title: "PostgreSQL",
  async run({ quick, print }) {
    const bin = findServer();
    if (bin === undefined) return [noServer];
    const { turns, crashes, appends } = quick ? quickly : whole;
    const cluster = await startCluster(bin);
    /** @type {Row[]} */
    const rows = [];
    const race = async (
      /** @type {string} */ figure,
      /** @type {string} */ what,
      /** @type {Partial<Race> & Pick<Race, "sessions" | "turns">} */ how,
    ) => {
      const schema = `race_${rows.length}`;
      const result = await runRace({ cluster, room: built.postgres, schema, processes: 8, ...how });
      const { bad, ...row } = rowOf(figure, what, result, how.trouble !== undefined);
      const { "busy at flush": busy = 0, "conflict at flush": conflicts = 0 } = result.refusals;
      const contended = figure === "P2" ? { "no lease passed on": busy + conflicts === 0 ? 1 : 0 } : {};
      rows.push({ ...row, bad: { ...bad, ...contended } });
      print(`${what}: ${row.seen}`);
    };
    try {
      await race("P1", "8 processes into the same session", { sessions: "same", turns });
      await race("P1", "8 processes, each into its own", { sessions: "own", turns });
      await race("P1", "8 processes, in turn into the same and its own", { sessions: "both", turns });
      const short = { leaseMs: 1, thinkMs: 20, turns: Math.ceil(turns / 5) };
      await race("P2", "the same session, leases of 1 ms that pass on within a turn", {
        sessions: "same",
        ...short,
      });
      const trouble = (/** @type {Promise<unknown>} */ over) => crash(cluster, over);
      await race("P3", "the server crashes again and again", {
        sessions: "both",
        turns: crashes,
        leaseMs: 2_000,
        trouble,
      });
      rows.push(await durableAppends(cluster, appends));
      rows.push(await unreadableTexts(cluster));
    } finally {
      await cluster.dispose();
    }
    return rows;
  },
};

/** @type {Row} */
const noServer = {
  figure: "P1",
  what: "8 processes on one PostgreSQL server",
  tried: 0,
  bad: {},
  notHad: "no PostgreSQL server (Debian's package postgresql)",
};

/**
 * @param {string} figure
 * @param {string} what
 * @param {import("./postgres/race.mjs").Result} result
 * @param {boolean} mayStand where the server was away, nobody could tell what had become of a turn
 * @returns {Row}
 */
function rowOf(figure, what, result, mayStand) {
  const { tried, lost, doubled, forked, gaps, strangers, standing, retried, tries, refusals, ms } = result;
  const codes = Object.entries(refusals).map(([code, count]) => `${count} ${code}`);
  const rate = ((tried / ms) * 1_000).toFixed(0);
  const bad = {
    lost,
    doubled,
    forked,
    gaps,
    strangers,
    ...(mayStand ? {} : { "refused, yet there": standing }),
  };
  const seen = `${retried} turns retried, ${tries} tries (${codes.join(", ") || "no refusals"}), ${rate} turns/s`;
  return { figure, what, tried, bad, seen };
}

/** @param {import("./postgres/cluster.mjs").Cluster} cluster @param {Promise<unknown>} over */
async function crash(cluster, over) {
  let isOver = false;
  const end = over.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 1_200))]);
    await cluster.stop("immediate");
    await cluster.start();
  }
}
