import { existsSync } from "node:fs";

/** @typedef {import("./contract.mjs").Part} Part */

/** In the order of docs/lab/proof.md; each is a module of this folder that exports `part`. */
const order = [
  "faults",
  "disks",
  "store",
  "races",
  "repeats",
  "attacks",
  "walls",
  "fidelity",
  "commits",
  "places",
  "clients",
  "compat",
  "hosts",
  "postgres",
  "pings",
  "floods",
  "turns",
];

export const partNames = order.filter((name) => existsSync(new URL(`${name}.mjs`, import.meta.url)));

/** @param {string} name one of `partNames` @returns {Promise<Part>} */
export async function loadPart(name) {
  /** @type {{ readonly part: Part }} */
  const { part } = await import(`./${name}.mjs`);
  return part;
}
