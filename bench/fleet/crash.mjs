import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { formatMs, median, tableOf } from "../patch/table.mjs";

/**
 * Many processes serve turns while the server crashes again and again; then all that was acknowledged is looked for.
 *
 * @typedef {import("../../proof/postgres/cluster.mjs").Cluster} Cluster
 * @typedef {{ readonly session?: string, readonly node?: string, readonly code?: string, readonly ms: number }} Said
 * @typedef {{ readonly cluster: Cluster, readonly schema: string, readonly processes: number, readonly seconds: number,
 *   readonly sessions: readonly string[], readonly note: (line: string) => void,
 *   readonly ask: (sql: string) => Promise<readonly Record<string, unknown>[]> }} Fleet
 */

/** @param {Fleet} fleet */
export async function measureCrashes(fleet) {
  const { cluster, processes, seconds, sessions, note, ask, schema } = fleet;
  const workers = [];
  for (let at = 0; at < processes; at += 1) {
    workers.push(startWorker(fleet, `p${at}`));
    // All at once, nobody would come to begin.
    if (at % 4 === 3) await workers.at(-1)?.ready;
  }
  await Promise.all(workers.map(({ ready }) => ready));
  note(`crash: ${processes} processes begin`);
  const begun = performance.now();
  for (const { go } of workers) go();
  let isOver = false;
  const over = Promise.all(workers.map(({ said }) => said)).finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  let crashes = 0;
  while (!isOver && performance.now() - begun < seconds * 1_000) {
    await Promise.race([over, pause(Math.min(betweenCrashesMs, seconds * 400))]);
    if (isOver) break;
    await cluster.stop("immediate");
    await cluster.start();
    crashes += 1;
    note(`crash: ${crashes} restarts`);
  }
  const said = (await over).flat();
  const ms = performance.now() - begun;
  const told = said.filter(({ node }) => node !== undefined);
  const lost = await countLost(ask, schema, told);
  const gaps = await ask(
    `select count(*)::int as gaps from (select session_id, max(seq) - count(*) as missing from ${schema}.events group by session_id) e
     join ${schema}.sessions s on s.id = e.session_id where missing <> 0`,
  );
  if (lost > 0 || gaps[0]?.gaps !== 0) process.exitCode = 1;
  const times = told.map((one) => one.ms).sort((one, other) => one - other);
  return tableOf(
    ["fleet", "value"],
    [
      ["processes, sessions", `${processes}, ${sessions.length.toLocaleString("en")}`],
      ["crashes of the server (`stop -m immediate`, then start)", `${crashes}`],
      ["turns acknowledged", told.length.toLocaleString("en")],
      ["of these lost", `${lost}`],
      ["sessions with a gap in their events", `${gaps[0]?.gaps}`],
      ["turns refused", describeRefusals(said)],
      ["turns a second, crashes included", ((told.length / ms) * 1_000).toFixed(1)],
      [
        "a turn (open, add, flush, close): median, 95 %, longest",
        [median(times), times[Math.floor(times.length * 0.95)] ?? 0, times.at(-1) ?? 0]
          .map(formatMs)
          .join(", "),
      ],
    ],
  );
}

/** Long enough that turns are served between two of them. */
const betweenCrashesMs = 12_000;

/** @param {readonly Said[]} said */
function describeRefusals(said) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { code } of said) if (code !== undefined) counts[code] = (counts[code] ?? 0) + 1;
  return (
    Object.entries(counts)
      .map(([code, count]) => `${count} ${code}`)
      .join(", ") || "0"
  );
}

/** @param {Fleet} fleet @param {string} name */
function startWorker({ cluster, schema, seconds, sessions }, name) {
  const connection = { ...cluster.connection, max: 2 };
  const order = { connection, schema, name, ids: some(sessions), seconds };
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("worker.mjs", import.meta.url)), JSON.stringify(order)],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const lines = createInterface({ input: child.stdout });
  /** @type {Said[]} */
  const told = [];
  const ready = new Promise((resolve) => {
    lines.on("line", (line) => (line === "ready" ? resolve(undefined) : told.push(JSON.parse(line))));
  });
  const said = once(child, "close").then(([code]) => {
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
    return told;
  });
  said.catch(() => undefined);
  return { ready: Promise.race([ready, said]), go: () => void child.stdin.write("go\n"), said };
}

/** What fits into the arguments of a process, drawn anew for each: they meet in some sessions. @param {readonly string[]} all */
function some(all) {
  return Array.from(
    { length: Math.min(1_000, all.length) },
    () => all[Math.floor(Math.random() * all.length)] ?? "",
  );
}

/** @param {Fleet["ask"]} ask @param {string} schema @param {readonly Said[]} told */
async function countLost(ask, schema, told) {
  const rows = await ask(
    `select session_id || ' ' || ((body::json -> 'nodes' -> 0) ->> 'id') as place from ${schema}.events where body like '%"and its answer"%'`,
  );
  const there = new Set(rows.map(({ place }) => place));
  return told.filter(({ session, node }) => !there.has(`${session} ${node}`)).length;
}
