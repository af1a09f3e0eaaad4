import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeRun, optionsOf, publish } from "../page.mjs";
import { measureCache } from "./cache.mjs";
import { contendersWith, keeping } from "./contenders.mjs";
import { runFault } from "./fault-runs.mjs";
import { faults } from "./faults.mjs";
import { longName } from "./long-session.mjs";
import { measure } from "./measure.mjs";
import { versions } from "./peers.mjs";
import { sessions, threeTurns } from "./sessions.mjs";
import { cacheTable, costTable, faultTable, sentTable, turnsTable, windowTable } from "./table.mjs";
import { measureTurns } from "./turns.mjs";
import { measureWindow } from "./window.mjs";

/**
 * `npm run bench:agent`: ours beside five others, headless, with a script on loopback for a model. Prints Markdown. `--rounds 3` of
 * the timed session, after one that is not counted; `--only` some of the parts; `--who holdfast` takes those whose name has this
 * in it, `--fault 429` such faults, `--jobs` so many at once.
 */
const values = optionsOf({
  rounds: { type: "string" },
  only: { type: "string" },
  who: { type: "string" },
  fault: { type: "string", default: "" },
  jobs: { type: "string", default: "4" },
});
const { short } = values;
/** What they are not asked: opencode and pi stand for no further API. */
const faultless = ["opencode", "pi"];
const [mostMs, mostSilentMs] = [60_000, 400_000];
/** Those of the short form. */
const shortFaults = ["stream cut between events"];
const turnCount = short ? 5 : 200;
const rounds = Number(values.rounds ?? (short ? 0 : 5));
/** Whatever was not as it should be. @type {string[]} */
const flawed = [];

const parts = (values.only ?? (short ? "cost,faults,turns" : "cost,sent,faults,window,turns,cache")).split(
  ",",
);
const print = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
const isChosen = (/** @type {{ readonly name: string }} */ { name }) =>
  name.includes(values.who ?? (short ? "holdfast" : ""));
/** Why a peer takes no part. @type {Map<string, string>} */
const missing = new Map();
const all = contendersWith("auto-edit").filter(isChosen);
for (const { name, client } of all) {
  const installed = client.install();
  if (installed.kind === "missing") missing.set(name, installed.reason);
}
const isHere = (/** @type {{ readonly name: string }} */ { name }) =>
  isChosen({ name }) && !missing.has(name);
const chosen = all.filter(isHere);

const sections = [];
if (parts.includes("cost")) sections.push(costTable(threeTurns.name, await timed(), [...missing]));
if (parts.includes("sent"))
  for (const session of sessions) sections.push(sentTable(session.name, await sent(session)));
if (parts.includes("faults"))
  sections.push(faultTable(`${faults.length} faults: who goes on`, await broken()));
if (parts.includes("window"))
  sections.push(windowTable("a window of 16,384 tokens: ten files of 80 KB, in pages", await windowed()));
if (parts.includes("turns")) sections.push(await turned());
if (parts.includes("cache")) sections.push(cacheTable(longName, await cached()));
const head = describeRun("bench:agent", [
  [
    "peers",
    Object.entries(versions)
      .map((peer) => peer.join("@"))
      .join(", "),
  ],
]);
publish("bench:agent", "agent-bench.md", [head, ...sections].join("\n"));
if (short && flawed.length > 0) throw new Error(flawed.join("\n"));

/** @param {string} line @param {{ readonly flaws: readonly string[] }} cost */
function note(line, { flaws }) {
  print(line);
  for (const flaw of flaws) print(`  not sound: ${flaw}`);
  flawed.push(...flaws.map((flaw) => `${line}: ${flaw}`));
}

/** Round by round, so that what else the machine does meets all of them. */
async function timed() {
  /** @type {Map<string, import("./measure.mjs").Cost[]>} */
  const all = new Map(chosen.map(({ name }) => [name, []]));
  const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));
  const kept = chosen.map((contender, at) => keeping(contender, join(folder, `${at}`)));
  for (let round = 0; round <= rounds; round++) {
    for (const contender of kept) {
      const cost = await judged(contender, threeTurns);
      // The first finds programs on the disk that the others find in memory, and keeps compiled code for them.
      if (round > 0 || rounds === 0) all.get(contender.name)?.push(cost);
    }
  }
  rmSync(folder, { recursive: true });
  return [...all].map(([name, costs]) => ({ name, costs }));
}

/** @param {import("./sessions.mjs").Session} session */
async function sent(session) {
  const rows = [];
  for (const contender of chosen)
    rows.push({ name: contender.name, costs: [await judged(contender, session)] });
  return rows;
}

async function cached() {
  const rows = [];
  // The caches of two providers are simulated, and the script needs tools that pi's has no words for.
  const both = contendersWith("yolo").filter(
    ({ wire, name }) => /anthropic|gemini/.test(wire) && name !== "pi",
  );
  for (const contender of both.filter(isHere)) {
    const cost = await measureCache(contender);
    note(`${longName}: ${contender.name}: ${cost.requests} requests, ${cost.steps} steps`, cost);
    rows.push({ name: contender.name, cost });
  }
  return rows;
}

/** Each fault in each of them, some at a time: they wait more than they work. */
async function broken() {
  const asked = chosen.filter(({ name }) => !faultless.includes(name));
  const named = faults.filter(({ name }) => name.includes(values.fault));
  const wanted = short ? named.filter(({ name }) => shortFaults.includes(name)) : named;
  // What lasts longest is begun first.
  const byTime = wanted.toSorted((a, b) => Number(b.name === "silence") - Number(a.name === "silence"));
  const open = byTime.flatMap((fault) => asked.map((contender) => ({ fault, contender })));
  /** @type {Map<string, import("./fault-runs.mjs").FaultRun>} */
  const runs = new Map();
  const work = async () => {
    for (let one = open.shift(); one !== undefined; one = open.shift()) {
      const { fault, contender } = one;
      // Ours takes a silence of two minutes for a broken stream, Codex one of five.
      const run = await runFault(contender, fault, fault.name === "silence" ? mostSilentMs : mostMs);
      runs.set(`${fault.name} ${contender.name}`, run);
      print(
        `${fault.name}: ${contender.name}: ${run.outcome}${run.isKilled ? ", killed" : ""}, ${run.requests} requests`,
      );
      if (run.outcome !== "finished")
        flawed.push(`${fault.name}: ${contender.name}: ${run.outcome}: ${run.words}`);
      if (run.outcome !== "finished") print(`  ${run.words}`);
      for (const complaint of run.malformed) print(`  not sound: ${complaint}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  const names = asked.map(({ name }) => name);
  return wanted.map(({ name }) => ({
    name,
    runs: names.map((who) => ({ who, run: runs.get(`${name} ${who}`) })),
  }));
}

async function windowed() {
  const rows = [];
  for (const contender of chosen.filter(({ isOurs }) => isOurs)) {
    const cost = await measureWindow(contender);
    note(`window: ${contender.name}: ${cost.pages} pages, ${cost.requests} requests`, cost);
    rows.push({ name: contender.name, cost });
  }
  return rows;
}

async function turned() {
  const contender = chosen.find(({ isOurs }) => isOurs);
  if (contender === undefined) return "";
  const cost = await measureTurns(contender, turnCount, print);
  note(contender.name, cost);
  return turnsTable(`${turnCount} turns in one process: ${contender.name}`, cost);
}

/** @param {import("./contenders.mjs").Contender} contender @param {import("./sessions.mjs").Session} session */
async function judged(contender, session) {
  const cost = await measure(contender, session);
  const { wallMs, cpuMs, peakMiB, requests, bytes } = cost;
  note(
    `${session.name}: ${contender.name}: ${wallMs.toFixed(0)} ms, CPU ${cpuMs.toFixed(0)} ms, ${peakMiB.toFixed(0)} MiB, ${requests} requests, ${bytes} B`,
    cost,
  );
  return cost;
}
