import { hasProgram } from "./machine.mjs";
import { bundle } from "./rooms.mjs";
import { damage } from "./store/damage.mjs";
import { killTalks } from "./store/follow.mjs";
import { fillStores } from "./store/full.mjs";
import { takeTurns } from "./store/leases.mjs";
import { cutSessions } from "./store/power-cuts.mjs";
import { sweepRepairs } from "./store/repairs.mjs";
import { measure } from "./store/speed.mjs";
import { sweepStore } from "./store/sweep.mjs";

/** @type {import("./contract.mjs").Part} */
export const part = {
  name: "store",
  title: "Sessions",
  run: async ({ quick, print }) => {
    const turn = bundle("store/turn.mjs");
    const points = quick ? 2 : Number.POSITIVE_INFINITY;
    const swept = hasProgram("strace", ["-V"])
      ? [
          ...(await sweepStore(turn, { points, print })),
          ...(await sweepRepairs(bundle("store/repairer.mjs"), { points, print })),
        ]
      : [notHad("system calls under strace", "strace is not installed")];
    return [
      ...swept,
      ...(await damage({ quick })),
      ...(await fillStores({ quick })),
      await cutSessions(bundle("store/writer.mjs"), { cuts: quick ? 2 : 200, print }),
      await killTalks(bundle("store/talker.mjs"), { kills: quick ? 3 : killCount(), print }),
      await takeTurns(bundle("store/taker.mjs"), { turns: quick ? 10 : 500 }),
      ...(await measure(bundle("store/opener.mjs"), { quick })),
    ];
  },
};

/** HOLDFAST_KILLS asks for more kills of a session with files, or fewer. */
function killCount() {
  return Number(process.env.HOLDFAST_KILLS ?? 1_000);
}

/** @param {string} what @param {string} why @returns {import("./contract.mjs").Row} */
function notHad(what, why) {
  return { figure: "F6", what, tried: 0, bad: {}, notHad: why };
}
