import { join } from "node:path";
import { contract, hold, official, ours } from "./compat/contract.mjs";
import { installPeers } from "./machine.mjs";

const officialServer = "@modelcontextprotocol/server-filesystem";

/** What clients rely on in a filesystem server, held against the official one and ours. @type {import("./contract.mjs").Part} */
export const part = {
  name: "compat",
  title: "In the place of the filesystem server",
  run: async ({ quick, print }) => {
    const rows = [await rowOf("K1", ours, print)];
    const figure = "K2";
    if (quick)
      return [...rows, { figure, what: officialServer, tried: 0, bad: {}, notHad: "left to the full run" }];
    const installed = installPeers("filesystem-server", { [officialServer]: "2026.8.31" });
    if (installed.kind === "missing")
      return [...rows, { figure, what: officialServer, tried: 0, bad: {}, notHad: installed.reason }];
    const entry = join(installed.folder, "node_modules", officialServer, "dist", "index.js");
    return [...rows, await rowOf(figure, official(entry), print)];
  },
};

/**
 * @param {string} figure
 * @param {import("./compat/contract.mjs").ContractProgram} server
 * @param {(line: string) => void} print
 * @returns {Promise<import("./contract.mjs").Row>}
 */
async function rowOf(figure, server, print) {
  let broken = 0;
  for (const promised of contract) {
    try {
      await hold(server, promised);
    } catch (error) {
      broken += 1;
      print(`${server.name}: ${promised.name}: ${String(error).slice(0, 1_000)}`);
    }
  }
  return { figure, what: `the contract, by ${server.name}`, tried: contract.length, bad: { broken } };
}
