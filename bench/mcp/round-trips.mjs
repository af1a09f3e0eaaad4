import { join } from "node:path";
import { median, tableOf } from "../patch/table.mjs";
import { prepare, tasks, textAfter } from "./changes.mjs";
import { disksHere, disksNamed, diskWords, makeDisk } from "./disks.mjs";
import { openServer, serverNames } from "./servers.mjs";

/**
 * Round trips through the same client, one at a time, the servers in turn within every round, so that a
 * busy moment of the machine meets all of them alike.
 *
 * @param {{ short: boolean, task: string, disks: string, print: (line: string) => void }} options `task`: only those
 *   whose name holds this; `disks`: see `disks.mjs`, separated by commas
 */
export async function measureRoundTrips({ short, task: wanted, disks: named, print }) {
  const disks = disksHere(disksNamed(named), print);
  const rows = [];
  for (const task of tasks) {
    const label = `${task.lines.toLocaleString("en")} lines, ${task.name}`;
    if (!label.includes(wanted) || (short && !isShort(task))) continue;
    for (const disk of disks) {
      print(`${label}, ${disk}`);
      rows.push(...rowsOf([label, disk], await measure(task, disk, short)));
    }
  }
  return [
    "## Round trips\n",
    "Milliseconds: the median round trip when warm, seen by the client. CPU: user and system time of the server's process, all threads, per round trip: of its first 50 (20 at 50,000 lines), which is what a session of an agent has, and warm, after 150 (20). Times: the warm CPU, ours by the peer's. Memory: of the server's process after the last round trip. Every task has a fresh disk and fresh servers.\n",
    `${disks.map((disk) => `- **${disk}**: ${diskWords[disk]}`).join("\n")}\n`,
    tableOf(columns, rows),
  ].join("\n");
}

const columns = [
  ...["task", "disk", "server", "ms, median", "peer", "CPU ms, first", "peer", "CPU ms, warm", "peer"],
  ...["times", "RSS MiB", "peer"],
];

/** @param {import("./changes.mjs").Task} task @param {import("./disks.mjs").DiskName} diskName @param {boolean} short */
async function measure(task, diskName, short) {
  const disk = makeDisk(diskName);
  /** @type {import("./servers.mjs").OpenServer[]} */
  const servers = [];
  try {
    for (const [at, name] of serverNames.entries())
      servers.push(await openServer(name, join(disk.folder, `w${at}`)));
    return await goRound(servers, task, short);
  } finally {
    for (const server of servers) await server.close();
    disk.remove();
  }
}

/** @param {readonly import("./servers.mjs").OpenServer[]} servers @param {import("./changes.mjs").Task} task @param {boolean} short */
async function goRound(servers, task, short) {
  const runs = await Promise.all(
    servers.map(async (server) => ({
      server,
      performer: await prepare(server, task),
      /** @type {number[]} */
      times: [],
    })),
  );
  const costs = () => servers.map((server) => server.cost().cpuMs);
  const [warm, rounds] = roundsOf(task.lines, short);
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
  const wanted = textAfter(task, warm + rounds);
  for (const { server, performer } of runs)
    if (performer.bytes().toString() !== wanted) throw new Error(`${server.name} made another change`);
  return runs.map(({ server, times }, at) => {
    const { cpuMs, rssMiB } = server.cost();
    const between = (/** @type {readonly number[]} */ from, /** @type {number} */ to) => to - (from[at] ?? 0);
    const firstMs = between(begun, afterEarly[at] ?? 0) / early;
    const warmMs = between(whenWarm, cpuMs) / rounds;
    return { name: server.name, ms: median(times), firstMs, warmMs, rssMiB };
  });
}

/** @param {import("./changes.mjs").Task} task */
function isShort({ kind, lines }) {
  return lines === 2_000 || (kind === "read" && lines > 2_000);
}

/** Warming up, and measured. @param {number} lines @param {boolean} short @returns {readonly [number, number]} */
function roundsOf(lines, short) {
  if (short) return [1, 3];
  return lines > 2_000 ? [20, 60] : [150, 300];
}

/**
 * One row for each of ours, beside the peer.
 *
 * @typedef {{ name: string, ms: number, firstMs: number, warmMs: number, rssMiB: number }} Measured
 * @param {readonly string[]} labels @param {readonly Measured[]} runs
 */
function rowsOf(labels, runs) {
  const peer = runs.find(({ name }) => name === "server-filesystem");
  const pair = (/** @type {Measured} */ own, /** @type {"ms" | "firstMs" | "warmMs" | "rssMiB"} */ what) =>
    [own, peer].map((one) => one?.[what].toFixed(what === "rssMiB" ? 0 : 2) ?? "–");
  return runs
    .filter((own) => own !== peer)
    .map((own) => [
      ...[...labels, own.name, ...pair(own, "ms"), ...pair(own, "firstMs"), ...pair(own, "warmMs")],
      ...[peer === undefined ? "–" : (own.warmMs / peer.warmMs).toFixed(2), ...pair(own, "rssMiB")],
    ]);
}
