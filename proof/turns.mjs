import { importedSession } from "./turns/imported.mjs";
import { killedAtCalls, killedAtRandom } from "./turns/killed.mjs";
import { longSession } from "./turns/session.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/**
 * A1: an agent works turn after turn in one session, while another process writes into the same files; its times are
 * shown and never fail. A2, A3: it is killed and resumed. A4: a session of another agent with our tools is imported.
 *
 * @type {Part}
 */
export const part = {
  name: "turns",
  title: "A long session",
  async run({ quick, print }) {
    return [
      await longSession(quick ? 60 : 500, print),
      await killedAtCalls(quick ? 10 : 60, print),
      await killedAtRandom(quick ? 10 : 200, print),
      importedSession(),
    ];
  },
};
