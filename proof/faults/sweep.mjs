import { eachOf, remove, spread, treeOf } from "../rooms.mjs";
import { breachesAfterRestart, breachesOfAnswer, breachesOnDisk } from "./judge.mjs";
import { newTrial } from "./scenarios.mjs";
import { callsIn, callsOf, counting, runTraced, striking, wasStruck } from "./trace.mjs";
import { openWarm } from "./warm.mjs";

/**
 * @typedef {import("./judge.mjs").Breach} Breach
 * @typedef {import("./scenarios.mjs").Scenario} Scenario
 * @typedef {import("./trace.mjs").Call} Call
 * @typedef {import("./trace.mjs").Run} Run
 * @typedef {(options: readonly string[], trial: import("./scenarios.mjs").Trial) => Promise<Run>} Running
 */

export const errors = ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "EMFILE", "EINTR"];

/**
 * F1: each call of each tool fails once with each error.
 *
 * @param {string} child @param {readonly Scenario[]} scenarios
 * @param {{ points: number, print: (line: string) => void }} options `points` a tool, at most
 * @returns {Promise<import("../contract.mjs").Row[]>}
 */
export async function sweepErrors(child, scenarios, { points, print }) {
  const rows = [];
  const warm = openWarm(child);
  for (const scenario of scenarios) {
    // The second trial is as all that follow.
    await traceScenario(scenario, (trial) => warm.run(counting, trial));
    const calls = await traceScenario(scenario, async (trial) => callsIn(await warm.run(counting, trial)));
    const all = calls.flatMap((call) => errors.map((error) => ({ call, error })));
    const count = newCount([
      "torn",
      "missing",
      "false success",
      "untrue",
      "no answer",
      "strays",
      "wrong history",
    ]);
    await eachOf(spread(all, points), async ({ call, error }) => {
      await strike(scenario, warm.run, call, `error=${error}`, count, print, async (trial, run, tree) => [
        ...breachesOnDisk(scenario, tree),
        ...breachesOfAnswer(scenario, tree, run.stdout),
        ...(await breachesAfterRestart(scenario, trial)),
      ]);
    });
    rows.push(
      rowOf(
        "F1",
        `${scenario.name}: each of ${calls.length} system calls fails, ${errors.length} errors`,
        count,
      ),
    );
    print(`${scenario.name}: ${count.tried} failures, ${JSON.stringify(count.bad)}`);
  }
  warm.close();
  return rows;
}

/**
 * F3: the process is killed at each call.
 *
 * @param {string} child @param {readonly Scenario[]} scenarios
 * @param {{ points: number, print: (line: string) => void }} options
 * @returns {Promise<import("../contract.mjs").Row[]>}
 */
export async function sweepKills(child, scenarios, { points, print }) {
  const rows = [];
  /** @type {Running} */
  const run = (options, trial) => runTraced(options, [child], trial);
  for (const scenario of scenarios) {
    const calls = await traceScenario(scenario, (trial) => callsOf([child], trial));
    const count = newCount(["torn", "missing", "half sets", "strays", "wrong history", "not idempotent"]);
    await eachOf(spread(calls, points), async (call) => {
      await strike(scenario, run, call, "signal=KILL", count, print, async (trial, _run, tree) => [
        ...breachesOnDisk(scenario, tree),
        ...(await breachesAfterRestart(scenario, trial)),
      ]);
    });
    rows.push(rowOf("F3", `${scenario.name}: killed at each of ${calls.length} system calls`, count));
    print(`${scenario.name}: ${count.tried} kills, ${JSON.stringify(count.bad)}`);
  }
  return rows;
}

/** @typedef {{ tried: number, missed: number, bad: Record<string, number>, answers: Record<string, number> }} Count */

/** @param {readonly Breach[]} breaches @returns {Count} */
function newCount(breaches) {
  return { tried: 0, missed: 0, bad: Object.fromEntries(breaches.map((name) => [name, 0])), answers: {} };
}

/** @param {string} figure @param {string} what @param {Count} count @returns {import("../contract.mjs").Row} */
function rowOf(figure, what, { tried, missed, bad, answers }) {
  const told = Object.entries(answers).map(([answer, times]) => `${times} ${answer}`);
  if (missed > 0) told.push(`${missed} did not come down`);
  return { figure, what, tried, bad, seen: told.join(", ") };
}

/** @template Result @param {Scenario} scenario @param {(trial: import("./scenarios.mjs").Trial) => Promise<Result>} trace */
async function traceScenario(scenario, trace) {
  const trial = await newTrial(scenario);
  try {
    return await trace(trial);
  } finally {
    remove(trial.top);
  }
}

/**
 * @param {Scenario} scenario @param {Running} run @param {Call} call @param {string} fault @param {Count} count
 * @param {(line: string) => void} print
 * @param {(trial: import("./scenarios.mjs").Trial, run: import("./trace.mjs").Run,
 *   tree: Record<string, string>) => Promise<Breach[]>} judge
 */
async function strike(scenario, run, call, fault, count, print, judge) {
  const trial = await newTrial(scenario);
  try {
    const ran = await run(striking(call, fault), trial);
    const killed = fault.startsWith("signal");
    if (killed ? ran.stdout !== "" : !wasStruck(ran)) {
      count.missed += 1;
      return;
    }
    count.tried += 1;
    const answer = killed ? "" : answerOf(ran.stdout);
    if (answer !== "") count.answers[answer] = (count.answers[answer] ?? 0) + 1;
    for (const breach of new Set(await judge(trial, ran, treeOf(trial.root)))) {
      count.bad[breach] = (count.bad[breach] ?? 0) + 1;
      print(
        `${breach}: ${scenario.name}, ${fault} at ${call.name}(${call.text}: ${ran.stdout.slice(0, 400)}`,
      );
    }
  } finally {
    remove(trial.top);
  }
}

/** @param {string} stdout */
function answerOf(stdout) {
  try {
    const { code, unopened, thrown } = JSON.parse(stdout);
    return thrown?.state === undefined
      ? (code ?? (unopened === undefined ? "read" : "not opened"))
      : `disk fault, ${thrown.state}`;
  } catch {
    return "";
  }
}
