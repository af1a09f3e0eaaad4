import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, tableOf } from "../patch/table.mjs";
import { prepare, tasks } from "./changes.mjs";
import { openServer, serverNames } from "./servers.mjs";

/**
 * Round trips through the same client, one at a time, the servers in turn within every round, so that a
 * busy moment of the machine meets all of them alike.
 *
 * @param {{ quick: boolean, task: string, print: (line: string) => void }} options `task`: only those whose
 *   name holds this
 */
export async function measureRoundTrips({ quick, task: wanted, print }) {
  const rows = [];
  for (const task of tasks) {
    const label = `${task.lines.toLocaleString("en")} lines, ${task.name}`;
    if (!label.includes(wanted)) continue;
    print(label);
    rows.push(...rowsOf(label, await measure(task, quick)));
  }
  return [
    "## Round trips\n",
    "Per second and milliseconds: the median round trip, seen by the client. CPU: user and system time of the server's process, all threads, per round trip. Memory: of the server's process after the last round trip, and its peak.\n",
    tableOf(["task", "server", "per second", "median ms", "CPU ms", "RSS MiB", "peak MiB"], rows),
  ].join("\n");
}

/** @param {import("./changes.mjs").Task} task @param {boolean} quick */
async function measure(task, quick) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const servers = [];
  try {
    for (const [at, name] of serverNames.entries())
      servers.push(await openServer(name, join(folder, `w${at}`)));
    const runs = await Promise.all(
      servers.map(async (server) => ({
        server,
        performer: await prepare(server, task),
        /** @type {number[]} */
        times: [],
      })),
    );
    const [warm, rounds] = roundsOf(task.lines, quick);
    let before = servers.map((server) => server.cost());
    for (let round = 0; round < warm + rounds; round++) {
      if (round === warm) before = servers.map((server) => server.cost());
      for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
        const begun = performance.now();
        await run.performer.once(round);
        if (round >= warm) run.times.push(performance.now() - begun);
      }
    }
    mustBeEqual(runs.map((run) => run.performer.bytes()));
    return runs.map(({ server, times }, at) => {
      const { cpuMs, rssMiB, peakMiB } = server.cost();
      const spent = (cpuMs - (before[at]?.cpuMs ?? 0)) / rounds;
      return { name: server.name, ms: median(times), cpuMs: spent, rssMiB, peakMiB };
    });
  } finally {
    for (const server of servers) await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
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

/** @param {string} label @param {readonly { name: string, ms: number, cpuMs: number, rssMiB: number, peakMiB: number }[]} runs */
function rowsOf(label, runs) {
  return runs.map(({ name, ms, cpuMs, rssMiB, peakMiB }) => [
    label,
    name,
    (1_000 / ms).toFixed(0),
    ms.toFixed(2),
    cpuMs.toFixed(2),
    rssMiB.toFixed(0),
    peakMiB.toFixed(0),
  ]);
}
