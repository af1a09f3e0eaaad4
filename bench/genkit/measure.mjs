import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { textOf } from "../mcp/changes.mjs";
import { eatmydata } from "../mcp/servers.mjs";
import { installInto } from "../patch/machine.mjs";
import { median, tableOf } from "../patch/table.mjs";

/**
 * @typedef {{ readonly label: string, readonly tools: "holdfast" | "stock" | "nothing", readonly preload?: string }} Way
 * @typedef {import("./player.mjs").Spent} Spent
 * @typedef {{ readonly way: Way, readonly path: string, readonly player: import("node:child_process").ChildProcess,
 *   readonly spent: Spent[] }} Run
 * @typedef {{ readonly lines: number, readonly kind: "edit" | "append" }} Task
 */
const home = fileURLToPath(new URL("./", import.meta.url));
const player = join(home, "player.mjs");

/** @type {readonly Way[]} */
const ways = [
  { label: "holdfast, `edit_file`", tools: "holdfast" },
  ...(eatmydata === undefined
    ? []
    : [
        /** @type {const} */ ({
          label: "holdfast, fsync switched off under it",
          tools: "holdfast",
          preload: eatmydata,
        }),
      ]),
  { label: "stock, `search_and_replace`", tools: "stock" },
  { label: "Genkit alone: a tool that does nothing", tools: "nothing" },
];

/** @type {readonly Task[]} */
const tasks = [200, 2_000, 50_000].flatMap((lines) => [
  { lines, kind: "edit" },
  { lines, kind: "append" },
]);

/**
 * Changes by a scripted model inside Genkit: our middleware beside Genkit's own, each in a process of its
 * own, in turn within every round.
 *
 * @param {{ short: boolean, task: string, print: (line: string) => void }} options `task`: only those whose
 *   name holds this
 */
export async function measureGenkit({ short, task: wanted, print }) {
  const missing = install();
  const rows = [];
  for (const task of tasks) {
    const what = task.kind === "edit" ? "exact replacement" : "append of a line, by replacing the last";
    const label = `${task.lines.toLocaleString("en")} lines, ${what}`;
    if (!label.includes(wanted)) continue;
    print(`Genkit: ${label}`);
    rows.push(
      ...(missing === undefined
        ? (await measure(task, short)).map((row) => [label, ...row])
        : [[label, `not to be had here: ${missing}`, "–", "–", "–", "–"]]),
    );
  }
  return [
    `## Inside Genkit${missing === undefined ? ` ${versionOf("genkit")}` : ""}\n`,
    `Stock: \`filesystem\` of \`@genkit-ai/middleware\`${missing === undefined ? ` ${versionOf("@genkit-ai/middleware")}` : ""}. A scripted model reads the file once and then changes it once a turn. Milliseconds: the median from its request of the tool to its next turn, Genkit's own work included. CPU: of the whole process, per change. Neither has a tool that appends, so both replace the last line by itself and the new one.\n`,
    tableOf(["task", "tools", "median ms", "CPU ms", "RSS MiB", "peak MiB"], rows),
  ].join("\n");
}

/** @returns {string | undefined} why Genkit is missing, if it is */
function install() {
  const missing = installInto(home, ["genkit", "@genkit-ai/middleware"]);
  if (missing !== undefined) return missing;
  const linked = spawnSync(process.execPath, ["../../examples/link.mjs"], { cwd: home, encoding: "utf8" });
  return linked.status === 0 ? undefined : linked.stderr;
}

/** @param {Task} task @param {boolean} short */
async function measure(task, short) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  /** @type {Run[]} */
  const runs = [];
  try {
    for (const [at, way] of ways.entries()) runs.push(await start(way, join(folder, `w${at}`), task));
    const [warm, rounds] = roundsOf(task.lines, short);
    for (let round = 0; round < warm + rounds; round++) {
      for (const run of round % 2 === 0 ? runs : runs.toReversed()) {
        const spent = await ask(run.player, round);
        if (round >= warm) run.spent.push(spent);
      }
    }
    for (const run of runs) await end(run.player);
    mustBeEqual(runs);
    return runs.map(rowOf);
  } finally {
    for (const run of runs) await stop(run.player);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Warming up, and measured. @param {number} lines @param {boolean} short @returns {readonly [number, number]} */
function roundsOf(lines, short) {
  if (short) return [1, 2];
  return lines > 2_000 ? [10, 40] : [50, 150];
}

/** Returns when the model has read the file. @param {Way} way @param {string} root @param {Task} task @returns {Promise<Run>} */
async function start(way, root, { lines, kind }) {
  const path = join(root, "file.ts");
  mkdirSync(root);
  writeFileSync(path, textOf(lines));
  const child = spawn(process.execPath, [player, way.tools, root, `${root}-state`, String(lines), kind], {
    cwd: home,
    env: { ...process.env, ...(way.preload === undefined ? {} : { LD_PRELOAD: way.preload }) },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await heard(child);
  return { way, path, player: child, spent: [] };
}

/** @param {import("node:child_process").ChildProcess} child @param {number} round @returns {Promise<Spent>} */
function ask(child, round) {
  const answer = heard(child);
  child.send(round);
  return answer;
}

/** The next message; throws where the process ends instead. @param {import("node:child_process").ChildProcess} child */
async function heard(child) {
  const ended = new AbortController();
  const options = { signal: ended.signal };
  try {
    const [message] = await Promise.race([
      once(child, "message", options),
      once(child, "exit", options).then(([code]) => {
        throw new Error(`a player ended before it answered, with ${code}`);
      }),
    ]);
    return message;
  } finally {
    ended.abort();
  }
}

/** @param {import("node:child_process").ChildProcess} child */
async function end(child) {
  const exit = once(child, "exit");
  child.send("end");
  const [code] = await exit;
  if (code !== 0) throw new Error(`a player failed at its end, with ${code}`);
}

/** Returns when the process is gone, and so writes nothing any more. @param {import("node:child_process").ChildProcess} child */
async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill();
  await exit;
}

/** The same wishes must have come to the same bytes, and to others than those before. @param {readonly Run[]} runs */
function mustBeEqual(runs) {
  const files = runs.map(({ path }) => readFileSync(path));
  const changed = files.filter((_, at) => runs[at]?.way.tools !== "nothing");
  const [first] = changed;
  const untouched = files[runs.findIndex(({ way }) => way.tools === "nothing")];
  if (first === undefined || untouched?.equals(first) || !changed.every((file) => file.equals(first)))
    throw new Error("the tools did not make the same change");
}

/** @param {Run} run */
function rowOf({ way, spent }) {
  const last = spent.at(-1);
  const cpuMs = spent.reduce((sum, one) => sum + one.cpuMs, 0) / spent.length;
  return [
    way.label,
    median(spent.map(({ ms }) => ms)).toFixed(2),
    cpuMs.toFixed(2),
    (last?.rssMiB ?? Number.NaN).toFixed(0),
    (last?.peakMiB ?? Number.NaN).toFixed(0),
  ];
}

/** @param {string} name @returns {string} */
function versionOf(name) {
  return JSON.parse(readFileSync(join(home, "node_modules", name, "package.json"), "utf8")).version;
}
