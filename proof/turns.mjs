import { longSession } from "./turns/session.mjs";

/** @typedef {import("./contract.mjs").Part} Part */

/** A1: an agent works turn after turn in one session, while another process writes into the same files. Times are shown and never fail. @type {Part} */
export const part = {
  name: "turns",
  title: "A long session",
  async run({ quick, print }) {
    const row = await longSession(quick ? 60 : 500, print);
    return [row];
  },
};
