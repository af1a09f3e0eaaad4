import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { installInto } from "../patch/machine.mjs";
import { formatMs, median, tableOf } from "../patch/table.mjs";
import { postgresVersion, startPostgres } from "./postgres-server.mjs";

/**
 * The same turns, kept by us and by LangGraph's checkpoints.
 *
 * @typedef {import("./keepers.mjs").Keeper} Keeper
 * @typedef {{ readonly keeper: Keeper, readonly times: number[], readonly marks: Map<number, Mark>,
 *   spent: number, over: boolean }} Run
 * @typedef {{ readonly bytes: number, readonly load: number }} Mark at so many turns
 */
const peers = [
  "@langchain/core",
  "@langchain/langgraph-checkpoint",
  "@langchain/langgraph-checkpoint-postgres",
  "pg",
];

const connected =
  "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()";

/** Turns that one keeper adds before the next one's turn comes. */
const blockSize = 50;

/** @param {{ readonly short: boolean, readonly folder: string, readonly turns: number, readonly note: (line: string) => void }} options */
export async function measurePeers({ short, folder, turns, note }) {
  const heading = "## Beside LangGraph's checkpoints\n";
  const missing =
    installInto(fileURLToPath(new URL("..", import.meta.url)), peers) ??
    (postgresVersion() === undefined ? "no PostgreSQL server (Debian package postgresql)" : undefined);
  if (missing !== undefined) return `${heading}\nNot measured here: ${missing}.\n`;
  const { ask, openKeepers } = await import("./keepers.mjs");
  const server = await startPostgres();
  try {
    const keepers = await openKeepers({ url: server.url, folder });
    const marks = short ? [10] : turns > 0 ? [turns] : [100, 500, 1_000, 5_000];
    const runs = keepers.map((keeper) => newRun(keeper));
    const most = marks.at(-1) ?? 0;
    for (let from = 0; from < most; from += blockSize) {
      for (const run of runs.filter(({ over }) => !over)) {
        // What the one before left to be written is not for this one to pay.
        await ask(server.url, "checkpoint");
        await playBlock(run, from, Math.min(from + blockSize, most), marks);
        if (run.spent > (short ? 20_000 : 150_000)) await finish(run);
      }
      note(`peers: ${from + blockSize} turns`);
    }
    for (const { keeper } of runs) await keeper.close();
    // A pool says that it has ended before its connections have.
    while (Number((await ask(server.url, connected))[0]?.count) > 0) await pause(20);
    return [heading, explanation, turnTable(runs, marks), "", stateTable(runs, marks)].join("\n");
  } finally {
    await server.stop();
  }
}

const explanation = [
  "Milliseconds until a turn is acknowledged: the median of the ten before the count named. Stored: journal and blobs, or tables with indexes and what PostgreSQL keeps out of line. Loaded: the last state, until the list of messages or contents stands that a model is sent; the median of three. A keeper that has taken 150 s is not asked for more; its row says how far it came.\n",
].join("\n");

/** @param {Keeper} keeper @returns {Run} */
function newRun(keeper) {
  return { keeper, times: [], marks: new Map(), spent: 0, over: false };
}

/** @param {Run} run @param {number} from @param {number} to @param {readonly number[]} marks */
async function playBlock(run, from, to, marks) {
  for (let at = from; at < to; at += 1) {
    const begun = performance.now();
    await run.keeper.turn(at);
    const time = performance.now() - begun;
    run.times.push(time);
    run.spent += time;
    if (marks.includes(at + 1)) run.marks.set(at + 1, await look(run));
  }
}

/** It has had its time: what it holds is measured where it stands. @param {Run} run */
async function finish(run) {
  run.over = true;
  run.marks.set(run.times.length, await look(run));
}

/** @param {Run} run @returns {Promise<Mark>} */
async function look({ keeper, times }) {
  const loads = [];
  for (let round = 0; round < 3; round += 1) {
    const begun = performance.now();
    const turns = await keeper.load();
    loads.push(performance.now() - begun);
    if (turns !== times.length)
      throw new Error(`${keeper.name} holds ${turns} turns instead of ${times.length}`);
  }
  return { bytes: await keeper.bytes(), load: median(loads) };
}

/** @param {readonly Run[]} runs @param {readonly number[]} marks */
function turnTable(runs, marks) {
  const rows = runs.map(({ keeper, times, spent }) => [
    keeper.name,
    ...marks.map((mark) =>
      times.length < mark ? "–" : formatMs(median(times.slice(Math.max(0, mark - 10), mark))),
    ),
    formatMs(median(times.slice(-10))),
    times.length.toLocaleString("en"),
    formatMs(spent),
  ]);
  const head = [
    "a turn",
    ...marks.map((mark) => `at ${mark.toLocaleString("en")}`),
    "at its end",
    "turns",
    "all of them",
  ];
  return tableOf(head, rows);
}

/** @param {readonly Run[]} runs @param {readonly number[]} marks */
function stateTable(runs, marks) {
  const rows = runs.map(({ keeper, times, marks: seen }) => {
    const last = seen.get(times.length);
    return [
      keeper.name,
      ...marks.flatMap((mark) => {
        const found = seen.get(mark);
        return found === undefined ? ["–", "–"] : [mebibytes(found.bytes), formatMs(found.load)];
      }),
      last === undefined ? "–" : `${(last.bytes / times.length / 1024).toFixed(1)} KiB`,
    ];
  });
  const head = marks.flatMap((mark) => [`stored at ${mark.toLocaleString("en")}`, "loaded"]);
  return tableOf(["the last state", ...head, "a turn, at its end"], rows);
}

/** @param {number} bytes */
function mebibytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(bytes < 100 * 2 ** 20 ? 1 : 0)} MiB`;
}

/** @returns {string[][]} */
export function describePeers() {
  const require = createRequire(new URL("../package.json", import.meta.url));
  const versions = peers.map((peer) => `\`${peer}\` ${versionOf(require, peer)}`);
  return [
    ["peer", versions.join(", ")],
    ["server", `${postgresVersion() ?? "none"}, its own configuration, on the loopback and the same disk`],
  ];
}

/** @param {NodeJS.Require} require @param {string} name */
function versionOf(require, name) {
  try {
    return /** @type {{ version: string }} */ (require(`${name}/package.json`)).version;
  } catch {
    return "not installed";
  }
}
