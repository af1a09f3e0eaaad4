import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsOf, runTraced, striking, wasStruck } from "../faults/trace.mjs";
import { eachOf, freshFolder, remove, spread } from "../rooms.mjs";
import { lengthOf, lifeUpTo, must, nth, storeAt } from "./life.mjs";

/**
 * @typedef {import("../contract.mjs").Row} Row
 * @typedef {import("../faults/scenarios.mjs").Trial} Trial
 * @typedef {import("../faults/trace.mjs").Call} Call
 * @typedef {"lost" | "phantom" | "wrong" | "not reported" | "stuck" | "no answer" | "strays"} Breach
 * @typedef {{ readonly acked?: number, readonly first?: string, readonly more?: readonly string[], readonly thrown?: string }} Told
 */

/** Calls of the store, each on a session of so many records. @type {Readonly<Record<string, number>>} */
const calls = { create: 0, turn: 4, "turn on a torn journal": 4, remove: 4 };
const half = '{"v":1,"seq":5,"ts":5,"type":"nod';
const errors = ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE"];

/**
 * Each system call of each call of the store fails once, then from there on; then the process is killed at
 * each.
 *
 * @param {string} child @param {{ points: number, print: (line: string) => void }} options `points` a row, at most
 * @returns {Promise<Row[]>}
 */
export async function sweepStore(child, { points, print }) {
  const rows = [];
  for (const call of Object.keys(calls)) {
    const traced = await trace(child, call);
    const kills = traced.map((at) => ({ at, fault: "signal=KILL", last: false }));
    rows.push(await sweep(child, call, "killed at each", spread(kills, points), print));
    const faults = traced.flatMap((at) =>
      errors.flatMap((error) =>
        // Node wakes its own threads by `write`, and ends where it cannot.
        (at.name === "write" ? [false] : [false, true]).map((last) => ({
          at,
          fault: `error=${error}`,
          last,
        })),
      ),
    );
    const what = `${errors.length} errors, once and from there on, at each`;
    rows.push(await sweep(child, call, what, spread(faults, points), print));
  }
  return rows;
}

/** @typedef {{ readonly at: Call, readonly fault: string, readonly last: boolean }} Strike */

/** @param {string} child @param {string} call @param {string} what @param {readonly Strike[]} strikes @param {(line: string) => void} print @returns {Promise<Row>} */
async function sweep(child, call, what, strikes, print) {
  /** @type {Record<Breach, number>} */
  const bad = { lost: 0, phantom: 0, wrong: 0, "not reported": 0, stuck: 0, "no answer": 0, strays: 0 };
  /** @type {Record<string, number>} */
  const answers = {};
  let [tried, missed] = [0, 0];
  await eachOf(strikes, async ({ at, fault, last }) => {
    const trial = await lay(call);
    try {
      const options = striking(at, fault).map((option) =>
        last && option.startsWith("inject") ? `${option}+` : option,
      );
      const run = await runTraced(options, [child], trial);
      const killed = fault.startsWith("signal");
      if (killed ? run.status === 0 : !wasStruck(run)) {
        missed += 1;
        return;
      }
      tried += 1;
      const told = lastLine(run.stdout);
      const word = told.thrown ?? told.first ?? "";
      if (!killed) answers[word] = (answers[word] ?? 0) + 1;
      for (const breach of await judge(call, trial, told, killed)) {
        bad[breach] += 1;
        print(
          `${breach}: ${call}, ${fault}${last ? "+" : ""} at ${at.name} ${at.count} (${at.text}: ${run.stdout}`,
        );
      }
    } finally {
      remove(trial.top);
    }
  });
  print(`${call}, ${what}: ${tried} tried, ${missed} did not come down, ${JSON.stringify(bad)}`);
  const seen = [...Object.entries(answers).map(([word, count]) => `${count} ${word}`)];
  if (missed > 0) seen.push(`${missed} did not come down`);
  return { figure: "F6", what: `${call}: ${what} system call`, tried, bad, seen: seen.join(", ") };
}

/** @param {string} child @param {string} call */
async function trace(child, call) {
  const trial = await lay(call);
  try {
    return await callsOf([child], trial);
  } finally {
    remove(trial.top);
  }
}

/** @param {string} call @returns {Promise<Trial>} */
async function lay(call) {
  const top = freshFolder();
  const [stateDir, warm] = [join(top, "state"), join(top, "warm")];
  for (const folder of [stateDir, warm, join(warm, "state")]) mkdirSync(folder, { mode: 0o700 });
  const request = join(top, "request");
  writeFileSync(request, call);
  const before = calls[call] ?? 0;
  if (before > 0) {
    const store = storeAt(stateDir);
    must(await store.create("s", lifeUpTo("s", before)));
    await store.close();
  }
  if (call.includes("torn")) appendFileSync(join(stateDir, "conversations", "s.jsonl"), half);
  return { top, root: top, stateDir, request, warm, recorded: 0 };
}

/** @param {string} stdout @returns {Told} */
function lastLine(stdout) {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  return line === "" ? {} : JSON.parse(line);
}

/** @param {string} call @param {Trial} trial @param {Told} told @param {boolean} killed @returns {Promise<Set<Breach>>} */
async function judge(call, trial, told, killed) {
  /** @type {Set<Breach>} */
  const found = new Set();
  if (told.thrown !== undefined || (!killed && told.first === undefined)) found.add("no answer");
  const store = storeAt(trial.stateDir);
  const opened = await store.open("s", "write");
  if (opened.kind === "refusal") {
    const mayBeGone =
      (call === "remove" && told.first !== "busy") || (call === "create" && (told.acked ?? 0) === 0);
    if (!(mayBeGone && opened.code === "unknown_session")) found.add("lost");
    for (const facts of must(await store.list())) if (facts.id === "s") found.add("wrong");
    const again = await store.create("s", lifeUpTo("s", 1));
    if (again.kind === "refusal") found.add("stuck");
    await store.close();
    return found;
  }
  if (call === "remove" && told.first === "removed") found.add("phantom");
  const acked = Math.max(told.acked ?? 0, calls[call] ?? 0);
  const length = lengthOf(opened);
  if (length < 0) found.add("wrong");
  else if (length < acked) found.add("lost");
  // A kill may come after the write and before the word of it; a refusal may not.
  else if (length > acked + (killed ? 3 : 0) && call !== "create") found.add("phantom");
  if (opened.mode !== "write") found.add("stuck");
  const torn = opened.problems.filter(({ what }) => what === "torn_tail").length;
  if (opened.problems.length > torn || torn > 1) found.add("wrong");
  if (call.includes("torn") && !halfIsKept(trial.stateDir)) found.add("not reported");
  await goOn(opened, length, found);
  await store.close();
  const then = must(await storeAt(trial.stateDir).open("s", "read"));
  if (lengthOf(then) !== length + 1 || then.problems.length > 0) found.add("stuck");
  if (readdirSync(join(trial.stateDir, "conversations")).some((name) => name.startsWith("tmp.")) && !killed)
    found.add("strays");
  return found;
}

/** @param {import("./life.mjs").Session} session @param {number} length @param {Set<Breach>} found */
async function goOn(session, length, found) {
  if (session.append(nth("s", length + 1)) !== length + 1) found.add("wrong");
  const answer = await session.flush();
  if (answer.kind === "refusal") found.add("stuck");
}

/** @param {string} stateDir */
function halfIsKept(stateDir) {
  const room = join(stateDir, "conversations");
  return readdirSync(room).some(
    (name) => name.startsWith("s.torn-") && readFileSync(join(room, name), "utf8") === half,
  );
}
