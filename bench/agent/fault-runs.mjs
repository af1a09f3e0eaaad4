import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeInto } from "../../proof/clients/any-client.mjs";
import { edit, look } from "../turns/tasks.mjs";
import { asksForSummary, summary } from "./cache.mjs";
import { dot } from "./faults.mjs";
import { startModel } from "./model.mjs";

/**
 * One fault in one agent, and what became of the session.
 *
 * @typedef {import("./contenders.mjs").Contender} Contender
 * @typedef {import("./faults.mjs").Fault} Fault
 * @typedef {object} FaultRun
 * @property {"finished" | "next prompt" | "dead end" | "wrong file" | "not met"} outcome `next prompt`: it ended, and the next prompt of the
 *   same session finished; `dead end`: that failed, too; `not met`: it never came to that
 * @property {boolean} isKilled since it had not ended in time
 * @property {string} words the last that it said
 * @property {number} requests
 * @property {readonly string[]} malformed what the API had to refuse, of ours
 */

const before = "const one = 1;\nexport function add(a, b) {\n  return a - b;\n}\n";
const after = before.replace("a - b", "a + b");
const other = "const two = 2;\n";
/** As many as fill the window, however little of a file an agent shows at a time. @type {Readonly<Record<string, string>>} */
const large = Object.fromEntries(
  Array.from({ length: 8 }, (_, at) => [
    `big${at}.txt`,
    Array.from({ length: 900 }, (_, line) => `line ${line} of ${at}, and some words to fill it up\n`).join(
      "",
    ),
  ]),
);

/** @param {Contender} contender @param {Fault} fault @param {number} mostMs @returns {Promise<FaultRun>} */
export async function runFault(contender, fault, mostMs) {
  const top = mkdtempSync(join(tmpdir(), "agent-fault-"));
  const ground = { project: join(top, "project"), home: join(top, "home") };
  mkdirSync(join(ground.home, "tmp"), { recursive: true });
  /** @type {Readonly<Record<string, string | Uint8Array>>} */
  const files = {
    "a.ts": before,
    "c.ts": other,
    ...(fault.large && large),
    ...(fault.image && { "dot.png": dot }),
  };
  for (const [name, content] of Object.entries(files)) writeInto(ground.project, name, content);
  const script = scriptOf(contender, fault, ground.project);
  const model = await startModel(contender.wire, script.next, { isStrict: contender.isOurs });
  try {
    const { client, image, again } = contender;
    const installed = client.install();
    if (installed.kind === "missing") throw new Error(installed.reason);
    client.settle?.(ground, model.url);
    const how = client.launch(installed.program, ground, model.url);
    const first = await launch({ ...how, args: fault.image ? image(how.args) : how.args }, ground, mostMs);
    const finished = first.exit === 0 && script.isDone();
    const told = { isKilled: first.isKilled, words: first.words };
    const isWrong = () => wrongFiles(ground.project, files, fault, script.isDone());
    const ended = isWrong() ? "wrong file" : script.isMet() ? "finished" : "not met";
    if (finished || isWrong()) return { ...told, ...counted(model), outcome: ended };
    script.promptAgain();
    const second = await launch({ ...how, args: again(how.args) }, ground, mostMs);
    const goesOn = second.exit === 0 && script.isDone();
    const outcome = isWrong() ? "wrong file" : goesOn ? "next prompt" : "dead end";
    return {
      ...told,
      ...(goesOn ? {} : { words: `${told.words} / ${second.words}` }),
      ...counted(model),
      outcome,
    };
  } finally {
    await model.close();
    rmSync(top, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** @param {{ readonly received: readonly string[], readonly malformed: readonly string[] }} model */
function counted({ received, malformed }) {
  return { requests: received.filter((body) => body !== "").length, malformed };
}

/**
 * What the model says: it reads, meets the fault, and changes a line.
 *
 * @param {Contender} contender @param {Fault} fault @param {string} project
 */
function scriptOf({ wire, client, hand }, fault, project) {
  const hands = hand(project);
  /** @returns {import("../turns/hands.mjs").Work} */
  const begin = () => workOf(hands, () => fault.large === true && !state.isMet);
  const state = {
    begun: false,
    done: false,
    isMet: false,
    isOver: false,
    count: 0,
    firstBytes: 0,
    work: begin(),
  };
  const faulty = [...(fault.steps?.(wire, hands) ?? [])];
  /** @type {import("./model.mjs").Next} */
  const next = (request, text) => {
    state.count += 1;
    state.firstBytes ||= text.length;
    const isTaken = state.isOver && fault.passes === true;
    const refused = isTaken ? undefined : fault.refuses?.(wire, { ...state, text });
    const answers = state.begun ? client.answers(request) : [];
    for (const answer of answers) hands.learn("a.ts", answer);
    const step = refused ?? (state.count > 1 ? faulty.shift() : undefined);
    state.isMet ||= step !== undefined;
    if (step !== undefined) return step;
    if (asksForSummary(text)) return { parts: [{ text: summary }] };
    const { done, value } = state.work.next(answers);
    const thought = state.begun ? undefined : fault.thought;
    state.begun = true;
    if (done !== true) return { parts: value, ...(thought !== undefined && { thought }) };
    state.done = true;
    return { parts: [{ text: "All is done." }] };
  };
  const promptAgain = () => {
    faulty.length = 0;
    Object.assign(state, { work: begin(), begun: false, done: false, isOver: true });
  };
  return { next, promptAgain, isDone: () => state.done, isMet: () => state.isMet };
}

/** @param {import("../turns/hands.mjs").Hand} hand @param {() => boolean} wantsMore @returns {import("../turns/hands.mjs").Work} */
function* workOf(hand, wantsMore) {
  yield* look(hand, "a.ts");
  for (const name of Object.keys(large)) if (wantsMore()) yield [hand.read(name)];
  yield* edit(hand, [{ file: "a.ts", old: "a - b", next: "a + b" }]);
}

/** @param {string} project @param {Readonly<Record<string, string | Uint8Array>>} files @param {Fault} fault @param {boolean} isDone */
function wrongFiles(project, files, { mayWrite }, isDone) {
  const textOf = (/** @type {string} */ name) =>
    existsSync(join(project, name)) ? readFileSync(join(project, name)) : undefined;
  const changed = String(textOf("a.ts"));
  if (changed !== after && (isDone || changed !== before)) return true;
  const made = textOf("b.ts");
  if (made !== undefined && String(made) !== mayWrite) return true;
  return Object.entries(files).some(
    ([name, content]) => name !== "a.ts" && textOf(name)?.equals(Buffer.from(content)) !== true,
  );
}

/** @param {import("../../proof/clients/any-client.mjs").Launch} how @param {{ readonly project: string, readonly home: string }} ground @param {number} mostMs */
function launch({ file, args, env }, { project, home }, mostMs) {
  const child = spawn(file, args, {
    cwd: project,
    env: { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: join(home, "tmp"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let [said, isKilled] = ["", false];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      said += part;
    });
  // Its group: what it started must not outlive it.
  const end = () => {
    try {
      process.kill(-Number(child.pid), "SIGKILL");
    } catch {}
  };
  const timer = setTimeout(() => {
    isKilled = true;
    end();
  }, mostMs);
  return /** @type {Promise<{ exit: number | null, isKilled: boolean, words: string }>} */ (
    new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", end);
      child.on("close", (exit) => {
        clearTimeout(timer);
        resolve({ exit, isKilled, words: lastWords(said) });
      });
    })
  );
}

/** @param {string} said */
function lastWords(said) {
  return said.trim().replaceAll(/\s+/g, " ").slice(-600);
}
