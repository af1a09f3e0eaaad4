import { join } from "node:path";
import { median, tableOf } from "../patch/table.mjs";
import { prepare, tasks } from "./changes.mjs";
import { disksHere, disksNamed, diskWords, makeDisk } from "./disks.mjs";
import { openServer, serverNames } from "./servers.mjs";

/**
 * Round trips through the same client, one at a time, the servers in turn within every round, so that a
 * busy moment of the machine meets all of them alike.
 *
 * @param {{ quick: boolean, task: string, disks: string, print: (line: string) => void }} options `task`: only those
 *   whose name holds this; `disks`: see `disks.mjs`, separated by commas
 */
export async function measureRoundTrips({ quick, task: wanted, disks: named, print }) {
  const disks = disksHere(disksNamed(named), print);
  const rows = [];
  for (const task of tasks) {
    const label = `${task.lines.toLocaleString("en")} lines, ${task.name}`;
    if (!label.includes(wanted)) continue;
    for (const disk of disks) {
      print(`${label}, ${disk}`);
      rows.push(...rowsOf([label, disk], await measure(task, disk, quick)));
    }
  }
  return [
    "## Round trips\n",
    "Per second and milliseconds: the median round trip when warm, seen by the client. CPU: user and system time of the server's process, all threads, per round trip: of its first 50 (20 at 50,000 lines), which is what a session of an agent has, and warm, after 150 (20). Memory: of the server's process after the last round trip, and its peak. Every task has a fresh disk and fresh servers.\n",
    `${disks.map((disk) => `- **${disk}**: ${diskWords[disk]}`).join("\n")}\n`,
    tableOf(columns, rows),
  ].join("\n");
}

const columns = [
  ...["task", "disk", "server", "per second", "median ms"],
  ...["CPU ms, first", "CPU ms, warm", "RSS MiB", "peak MiB"],
];

/** @param {import("./changes.mjs").Task} task @param {import("./disks.mjs").DiskName} diskName @param {boolean} quick */
async function measure(task, diskName, quick) {
  const disk = makeDisk(diskName);
  /** @type {import("./servers.mjs").OpenServer[]} */
  const servers = [];
  try {
    for (const [at, name] of serverNames.entries())
      servers.push(await openServer(name, join(disk.folder, `w${at}`)));
    return await goRound(servers, task, quick);
  } finally {
    for (const server of servers) await server.close();
    disk.remove();
  }
}

/** @param {readonly import("./servers.mjs").OpenServer[]} servers @param {import("./changes.mjs").Task} task @param {boolean} quick */
async function goRound(servers, task, quick) {
  const runs = await Promise.all(
    servers.map(async (server) => ({
      server,
      performer: await prepare(server, task),
      /** @type {number[]} */
      times: [],
    })),
  );
  const costs = () => servers.map((server) => server.cost().cpuMs);
  const [warm, rounds] = roundsOf(task.lines, quick);
  const early = Math.min(50, warm);
  const begun = costs();
  let afterEarly = begun;
  let whenWarm = begun;
  for (let round = 0; round < warm + rounds; round++) {
    if (round === early) afterEarly = costs();
    if (round === warm) whenWarm = costs();
    for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
      const asked = performance.now();
      await run.performer.once(round);
      if (round >= warm) run.times.push(performance.now() - asked);
    }
  }
  mustBeEqual(runs.map((run) => run.performer.bytes()));
  return runs.map(({ server, times }, at) => {
    const { cpuMs, rssMiB, peakMiB } = server.cost();
    const between = (/** @type {readonly number[]} */ from, /** @type {number} */ to) => to - (from[at] ?? 0);
    const firstMs = between(begun, afterEarly[at] ?? 0) / early;
    const warmMs = between(whenWarm, cpuMs) / rounds;
    return { name: server.name, ms: median(times), firstMs, warmMs, rssMiB, peakMiB };
  });
}

/** Warming up, and measured. @param {number} lines @param {boolean} quick @returns {readonly [number, number]} */
function roundsOf(lines, quick) {
  if (quick) return lines > 2_000 ? [3, 5] : [10, 20];
  return lines > 2_000 ? [20, 60] : [150, 300];
}

/** The same wish must have come to the same bytes everywhere. @param {readonly Buffer[]} files */
function mustBeEqual([first, ...others]) {
  if (first === undefined || others.some((other) => !other.equals(first)))
    throw new Error("the servers did not make the same change");
}

/**
 * @param {readonly string[]} labels
 * @param {readonly { name: string, ms: number, firstMs: number, warmMs: number, rssMiB: number, peakMiB: number }[]} runs
 */
function rowsOf(labels, runs) {
  return runs.map(({ name, ms, firstMs, warmMs, rssMiB, peakMiB }) => [
    ...labels,
    name,
    (1_000 / ms).toFixed(0),
    ms.toFixed(2),
    firstMs.toFixed(2),
    warmMs.toFixed(2),
    rssMiB.toFixed(0),
    peakMiB.toFixed(0),
  ]);
}
