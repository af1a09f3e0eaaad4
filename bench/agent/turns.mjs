import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { writeInto } from "../../proof/clients/any-client.mjs";
import { startModel } from "./model.mjs";
import { below, residentMiB } from "./watch.mjs";

/**
 * Many turns in one process, typed in a terminal: each reads a file, changes a line and says so.
 *
 * @typedef {{ readonly cpuMs: readonly number[], readonly rssMiB: readonly number[], readonly bodies: readonly number[],
 *   readonly kept: readonly number[], readonly flaws: readonly string[] }} TurnsCost CPU and memory of each turn; of each request its
 *   bytes, and how many of the former's it begins with, marks of caches aside
 */

const fileCount = 40;
const fileOf = (/** @type {number} */ turn) => `f${turn % fileCount}.txt`;
const lineOf = (/** @type {number} */ turn, /** @type {number} */ times) =>
  `line 7 of ${fileOf(turn)}${" x".repeat(times)} end`;
const textOf = (/** @type {number} */ at, /** @type {number} */ times) =>
  Array.from({ length: 40 }, (_, n) => (n === 7 ? lineOf(at, times) : `line ${n} of ${at} some words`)).join(
    "\n",
  );

/** @param {import("./contenders.mjs").Contender} contender ours @param {number} count @param {(line: string) => void} print @returns {Promise<TurnsCost>} */
export async function measureTurns({ client, hand, wire }, count, print) {
  const top = mkdtempSync(join(tmpdir(), "agent-turns-"));
  const ground = { project: join(top, "project"), home: join(top, "home") };
  mkdirSync(join(ground.home, "tmp"), { recursive: true });
  for (let at = 0; at < fileCount; at += 1) writeInto(ground.project, fileOf(at), textOf(at, 0));
  const seen = {
    turn: 0,
    step: 0,
    former: "",
    bodies: /** @type {number[]} */ ([]),
    kept: /** @type {number[]} */ ([]),
  };
  const hands = hand(ground.project);
  const model = await startModel(
    wire,
    (request) => ({ parts: partsOf(seen, hands, client.answers(request)) }),
    { isStrict: true, meter: (request) => noteKept(seen, request) },
  );
  const installed = client.install();
  if (installed.kind === "missing") throw new Error(installed.reason);
  client.settle?.(ground, model.url);
  const { file, args, env } = client.launch(installed.program, ground, model.url);
  const typed = [
    file,
    ...args.filter((arg, at) => !["-p", "-o"].includes(arg) && !["-p", "-o"].includes(args[at - 1] ?? "")),
  ];
  // A terminal, in which the program is its linear form.
  const child = spawn("script", ["-qfec", typed.join(" "), "/dev/null"], {
    cwd: ground.project,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: ground.home,
      TMPDIR: join(ground.home, "tmp"),
      TERM: "dumb",
      ...env,
    },
  });
  let shown = "";
  child.stdout.on("data", (part) => {
    shown = `${shown}${part}`.slice(-20_000);
  });
  const cpuMs = [];
  const rssMiB = [];
  const flaws = [];
  try {
    for (let turn = 0; turn < count; turn += 1) {
      Object.assign(seen, { turn, step: 0 });
      const before = cpuOf(child.pid);
      child.stdin.write(`TURN ${turn} please\r`);
      if (!(await shows(() => shown, `Turn ${turn} is done`))) {
        flaws.push(`turn ${turn} did not end: ${shown.slice(-500)}`);
        break;
      }
      // What the turn writes behind its words belongs to it.
      await wait(150);
      cpuMs.push(cpuOf(child.pid) - before);
      rssMiB.push(Math.max(...below(String(child.pid)).map(residentMiB)));
      if (turn % 20 === 19) print(`turn ${turn + 1}: ${cpuMs.at(-1)} ms, ${rssMiB.at(-1)?.toFixed(0)} MiB`);
    }
    for (let at = 0; flaws.length === 0 && at < Math.min(fileCount, count); at += 1) {
      const times = Math.ceil((count - at) / fileCount);
      if (readFileSync(join(ground.project, fileOf(at)), "utf8") !== textOf(at, times))
        flaws.push(`${fileOf(at)} is wrong`);
    }
    return { cpuMs, rssMiB, bodies: seen.bodies, kept: seen.kept, flaws: [...flaws, ...model.malformed] };
  } finally {
    child.stdin.end("/quit\r");
    await Promise.race([new Promise((resolve) => child.on("close", resolve)), wait(5_000)]);
    child.kill("SIGKILL");
    await model.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {{ turn: number, step: number }} seen @param {import("../turns/hands.mjs").Hand} hand @param {readonly string[]} answers */
function partsOf(seen, hand, answers) {
  const { turn, step } = seen;
  const file = fileOf(turn);
  seen.step += 1;
  for (const answer of answers) hand.learn(file, answer);
  const times = Math.floor(turn / fileCount);
  if (step === 0) return [{ text: "Reading." }, hand.read(file)];
  if (step === 1)
    return [
      { text: "Editing." },
      hand.edit({ file, old: lineOf(turn, times), next: lineOf(turn, times + 1) }),
    ];
  return [{ text: `Turn ${turn} is done. ${"All is well. ".repeat(10)}` }];
}

/** @param {{ former: string, bodies: number[], kept: number[] }} seen @param {any} request */
function noteKept(seen, request) {
  const { system, instructions, systemInstruction, tools, messages, input, contents } = request;
  const head = [tools, system ?? instructions ?? systemInstruction, ...(messages ?? input ?? contents)];
  const plain = JSON.stringify(head, (key, value) => (key === "cache_control" ? undefined : value)).slice(
    0,
    -1,
  );
  let at = 0;
  while (at < seen.former.length && plain.charCodeAt(at) === seen.former.charCodeAt(at)) at += 1;
  if (seen.former !== "") seen.kept.push(at / seen.former.length);
  seen.bodies.push(Buffer.byteLength(JSON.stringify(request)));
  seen.former = plain;
  return { total: Math.ceil(plain.length / 4), cached: Math.floor(at / 4), written: 0 };
}

/** @param {() => string} shown @param {string} words */
async function shows(shown, words) {
  for (let waited = 0; waited < 60_000; waited += 20) {
    if (shown().includes(words)) return true;
    await wait(20);
  }
  return false;
}

/** Of all processes below one, in clock ticks of 10 ms. @param {number | undefined} pid */
function cpuOf(pid) {
  return below(String(pid)).reduce((sum, child) => {
    const stat = readFileSync(`/proc/${child}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return sum + 10 * (Number(stat[11]) + Number(stat[12]));
  }, 0);
}
