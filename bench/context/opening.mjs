import { rmSync } from "node:fs";
import { join } from "node:path";
import { formatMiB, formatMs, median, tableOf } from "../patch/table.mjs";
import { runCase } from "./case.mjs";
import { must } from "./engine.mjs";
import { journalBytes, journalFile, openJournals, startConversation } from "./journals.mjs";
import { player } from "./turns.mjs";

/**
 * What opening a stored session costs.
 *
 * @typedef {import("./opening-case.mjs").Opening} Opening
 */

/** @param {{ readonly short: boolean, readonly folder: string, readonly note: (line: string) => void }} options */
export async function measureOpening({ short, folder, note }) {
  const sizes = short ? [200] : [10_000, 100_000];
  const rows = [];
  for (const records of sizes) {
    for (const shape of /** @type {const} */ (["linear", "branchy"])) {
      note(`opening: ${shape}, ${records} records`);
      const stateDir = join(folder, `opening-${shape}-${records}`);
      const id = await writeSession(stateDir, records, shape);
      const args = [stateDir, id, journalFile(stateDir, id)];
      /** @type {Opening[]} */
      const openings = [];
      for (let round = 0; round < (short ? 1 : 5); round += 1)
        openings.push(await runCase("opening-case.mjs", args));
      const name = `${shape}, ${openings[0]?.records.toLocaleString("en")} records, ${openings[0]?.nodes.toLocaleString("en")} nodes`;
      rows.push([name, ...timesOf(openings), ...sizesOf(journalBytes(stateDir), openings)]);
      rmSync(stateDir, { recursive: true });
    }
  }
  return [
    "## Opening a session\n",
    `Journal files, the cache of the system warm, each time in a fresh process${short ? "" : ": the median of five"}. *Open*: take the lease, read all lines, check their checksums and shapes. *Floor*: the same file read as text, split, and each line given to \`JSON.parse\`, in the same process afterwards. CPU is of all threads, collection included: it depends less on what else the machine does. *Rendered*: the first prompt, from scratch.\n`,
    tableOf(
      ["session", "open", "replay", "both", "CPU", "floor", "CPU", "rendered", "RSS", "stored", "a record"],
      rows,
    ),
  ].join("\n");
}

/** @param {readonly Opening[]} openings */
function timesOf(openings) {
  /** @param {(opening: Opening) => number} pick */
  const middle = (pick) => formatMs(median(openings.map(pick)));
  return [
    middle(({ decode }) => decode),
    middle(({ replay }) => replay),
    middle(({ decode, replay }) => decode + replay),
    middle(({ cpu }) => cpu),
    middle(({ floor }) => floor),
    middle(({ floorCpu }) => floorCpu),
    middle(({ render }) => render),
  ];
}

/** @param {number} bytes @param {readonly Opening[]} openings */
function sizesOf(bytes, openings) {
  const records = openings[0]?.records ?? 1;
  return [
    formatMiB(median(openings.map(({ rssMiB }) => rssMiB)) * 2 ** 20),
    `${(bytes / 2 ** 20).toFixed(1)} MiB`,
    `${(bytes / records).toFixed(0)} B`,
  ];
}

/** @param {string} stateDir @param {number} records @param {import("./turns.mjs").Shape} shape */
async function writeSession(stateDir, records, shape) {
  const store = await openJournals(stateDir);
  const stored = await startConversation(store);
  let written = 1;
  stored.manager.subscribe(() => {
    written += 1;
  });
  const { play } = player(stored.manager, shape);
  for (let turn = 1; written < records; turn += 1) {
    play();
    if (turn % 250 === 0) must(await stored.manager.flush());
  }
  must(await stored.close());
  await store.close();
  return stored.session.id;
}
