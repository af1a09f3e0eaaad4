import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { buildWorker, cache } from "./build.mjs";
import { corpusFolder, isFound, readInput, readInputs, replaceFound, writeInput } from "./corpus.mjs";

/**
 * `npm run fuzz -- --minutes N [--only diff,envelope] [--seed S]`: feeds every reader with what nobody would write.
 * Prints Markdown; the exit code is 1 where a promise was broken, and says how to break it again.
 *
 * @typedef {{ readonly input: string, readonly message: string, readonly at: string }} Found
 * @typedef {{ kind: "report", executions: number, corpus: number, edgesOfCorpus: number, reached: readonly number[],
 *   features: number, kept: readonly string[], found: readonly Found[] }} Report
 * @typedef {{ kind: "repeated", failure: string | undefined }} Repeated
 */
const names = [
  "diff",
  "sections",
  "envelope",
  "journal",
  "import",
  "ignore",
  "glob",
  "path",
  "settings",
].concat(["hook", "page", "state", "mcp"]);
/** Has a fault on purpose, so that the fuzzer itself can be tried. */
const planted = "planted";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    runs: { type: "string" },
    only: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** Puts what was found into the corpus of the repository, the smallest set that reaches as much. */
    keep: { type: "boolean", default: false },
    repeat: { type: "string" },
    findings: { type: "string", default: join(cache, "findings") },
  },
});
const wanted = values.only?.split(",") ?? names;
const unknown = wanted.filter((name) => name !== planted && !names.includes(name));
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const runs = values.runs === undefined ? undefined : Number(values.runs);
if (unknown.length > 0 || !(minutes > 0) || !Number.isSafeInteger(seed) || !((runs ?? 0) >= 0)) {
  console.error(
    `Usage: npm run fuzz -- [--minutes N | --runs N] [--only ${names.join(",")}] [--seed N] [--keep]`,
  );
  process.exit(2);
}

/** An input that takes longer than this hangs. No time below it judges anything. */
const hangSeconds = 60;
const lanes = Math.min(wanted.length, availableParallelism());
const { worker, edges } = await buildWorker({ ours: wanted.some((name) => name !== planted) });
try {
  process.exitCode = values.repeat === undefined ? await fuzzAll() : await repeatOne(values.repeat);
} finally {
  rmSync(worker, { force: true });
}

/** @returns {Promise<number>} the exit code */
async function fuzzAll() {
  const begun = performance.now();
  /** @type {Map<string, Report>} */
  const reports = new Map();
  const queue = wanted.values();
  const lane = async () => {
    for (const name of queue) {
      reports.set(name, await fuzzOne(name));
      process.stderr.write(`${name}: done\n`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = Math.round((performance.now() - begun) / 1_000);
  console.log(`# Fuzzing, seed ${seed}, Node ${process.version}, ${seconds} s\n\n${tableOf(reports)}`);
  let count = 0;
  for (const name of wanted) {
    for (const found of reports.get(name)?.found ?? []) {
      count += 1;
      tell(name, found);
    }
  }
  console.log(count === 0 ? "No finding." : `**${count} findings.**`);
  return count === 0 ? 0 : 1;
}

/** @param {string} name @returns {Promise<Report>} */
async function fuzzOne(name) {
  const folder = join(corpusFolder, name);
  const inputs = readInputs(folder);
  const own = inputs.filter(({ name: file }) => !isFound(file)).map(({ input }) => input);
  const cached = join(cache, "corpus", name);
  // With a number of runs the same is done each time: only what the repository has.
  const earlier = runs === undefined ? readInputs(cached) : [];
  const found = [...inputs.filter(({ name: file }) => isFound(file)), ...earlier].map(({ input }) => input);
  const fixed = own.length === 0 ? [""] : own;
  const amount = runs === undefined ? { seconds: (minutes * 60 * lanes) / wanted.length } : { runs };
  const report = await ask(name, { fixed, found: [...new Set(found)], ...amount, keep: values.keep });
  if (report.kind === "repeated") throw new Error("a run was asked for");
  if (values.keep) replaceFound(folder, report.kept);
  else if (runs === undefined) for (const input of report.kept) writeInput(cached, input);
  return report;
}

/** @param {string} path @returns {Promise<number>} the exit code */
async function repeatOne(path) {
  const [name = ""] = wanted;
  const answer = await ask(name, { fixed: [], found: [], repeat: readInput(path), keep: false });
  const failure = answer.kind === "repeated" ? answer.failure : answer.found[0]?.message;
  console.log(failure === undefined ? `${name}: every promise held.` : `${name}: ${failure}`);
  return failure === undefined ? 0 : 1;
}

/**
 * Runs one target in a thread of its own, which is ended where an input hangs.
 *
 * @param {string} name @param {object} order @returns {Promise<Report | Repeated>}
 */
function ask(name, order) {
  const present = new SharedArrayBuffer(8 + 2 * 6_000);
  const counter = new Int32Array(present, 0, 2);
  const thread = new Worker(worker, { workerData: { name, edges, seed, present, ...order } });
  return new Promise((resolve, reject) => {
    let [last, idle] = [0, 0];
    const watch = setInterval(() => {
      idle = counter[0] === last ? idle + 1 : 0;
      last = counter[0] ?? 0;
      if (idle < hangSeconds || last === 0) return;
      clearInterval(watch);
      void thread.terminate();
      resolve(hung(presentInput(present, counter[1] ?? 0), last));
    }, 1_000);
    thread.on("message", (answer) => {
      clearInterval(watch);
      resolve(answer);
    });
    thread.on("error", (error) => {
      clearInterval(watch);
      reject(new Error(`${name}: ${error}, with ${JSON.stringify(presentInput(present, counter[1] ?? 0))}`));
    });
  });
}

/** @param {SharedArrayBuffer} present @param {number} length */
function presentInput(present, length) {
  return String.fromCharCode(...new Uint16Array(present, 8, length));
}

/** @param {string} input @param {number} executions @returns {Report} */
function hung(input, executions) {
  const found = [{ input, message: `no end within ${hangSeconds} s`, at: "" }];
  return {
    kind: "report",
    executions,
    corpus: 0,
    edgesOfCorpus: 0,
    reached: [],
    features: 0,
    kept: [],
    found,
  };
}

/** @param {string} name @param {Found} found */
function tell(name, { input, message, at }) {
  const path = writeInput(join(values.findings, name), input);
  console.log(`## ${name}: ${message}\n\n${at}\n`);
  console.log(`    npm run fuzz -- --only ${name} --repeat ${relative(process.cwd(), path)}\n`);
}

/** @param {ReadonlyMap<string, Report>} reports */
function tableOf(reports) {
  const reached = new Set([...reports.values()].flatMap((report) => [...report.reached]));
  const rows = wanted.map((name) => {
    const report = reports.get(name);
    if (report === undefined) return "";
    const { executions, corpus, edgesOfCorpus, features, kept, found } = report;
    const edgesNow = report.reached.length;
    const cells = [name, corpus, executions.toLocaleString("en"), edgesOfCorpus, edgesNow, features];
    return `| ${[...cells, kept.length, found.length].join(" | ")} |`;
  });
  const share = ((100 * reached.size) / edges).toFixed(0);
  return [
    "| target | corpus | executions | edges of the corpus | edges | kinds of answers | kept | findings |",
    "|---|--:|--:|--:|--:|--:|--:|--:|",
    ...rows,
    "",
    `Together ${reached.size} of the ${edges} edges of the sources that are loaded (${share} %).`,
    "",
  ].join("\n");
}
