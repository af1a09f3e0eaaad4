import { runClient } from "../../proof/clients/any-client.mjs";
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
 * @property {"finished" | "next prompt" | "dead end" | "wrong file" | "not met"} outcome `next prompt`: it ended, and the next
 *   prompt of the same session finished; `dead end`: that failed, too; `not met`: it never came to that
 * @property {boolean} isKilled since it had not ended in time
 * @property {string} words the last that it said
 * @property {number} requests
 * @property {readonly string[]} malformed what the API had to refuse, of ours
 */

const before = "const one = 1;\nexport function add(a, b) {\n  return a - b;\n}\n";
const after = before.replace("a - b", "a + b");
/** As many as fill the window, however little of a file an agent shows at a time. @type {Readonly<Record<string, string>>} */
const large = Object.fromEntries(
  Array.from({ length: 16 }, (_, at) => [
    `big${at}.txt`,
    Array.from({ length: 900 }, (_, line) => `line ${line} of ${at}, and some words to fill it up\n`).join(
      "",
    ),
  ]),
);

/** @param {Contender} contender @param {Fault} fault @param {number} mostMs @returns {Promise<FaultRun>} */
export async function runFault(contender, fault, mostMs) {
  const { client, wire, hand, isOurs, image, again } = contender;
  const installed = client.install();
  if (installed.kind === "missing") throw new Error(installed.reason);
  const files = {
    ...{ "a.ts": before, "c.ts": "const two = 2;\n" },
    ...(fault.large && large),
    ...(fault.image && { "dot.png": dot }),
  };
  const state = { begun: false, done: false, isMet: false, isOver: false, count: 0, firstBytes: 0 };
  /** @type {import("./model.mjs").Next} */
  let next = () => "destroyed";
  let malformed = /** @type {readonly string[]} */ ([]);
  let args = /** @type {readonly string[]} */ ([]);
  /** @type {import("./contenders.mjs").Client} */
  const under = {
    ...client,
    launch: (...given) => {
      const how = client.launch(...given);
      args = how.args;
      return fault.image ? { ...how, args: image(args) } : how;
    },
    startModel: async () => {
      const model = await startModel(wire, next, { isStrict: isOurs });
      malformed = model.malformed;
      return model;
    },
  };
  const turns = (/** @type {string} */ project) => {
    next = scriptOf(contender, hand(project), fault, state);
    return [];
  };
  const begunAt = performance.now();
  return await runClient(under, { program: installed.program, files, turns, mostMs }, async (told) => {
    const isKilled = performance.now() - begunAt > mostMs;
    const run = (/** @type {FaultRun["outcome"]} */ outcome, said = told.complaint) => ({
      outcome: isWrong(told.bytes, files, fault, state.done) ? "wrong file" : outcome,
      ...{ isKilled, malformed, requests: state.count },
      words: said.trim().replaceAll(/\s+/g, " ").slice(-600),
    });
    if (told.exit === 0 && state.done) return run(state.isMet ? "finished" : "not met");
    Object.assign(state, { begun: false, done: false, isOver: true });
    const second = await told.again(again(args));
    const goesOn = second.exit === 0 && state.done;
    return goesOn ? run("next prompt") : run("dead end", `${told.complaint} / ${second.complaint}`);
  });
}

/**
 * What the model says: it reads, meets the fault, and changes a line.
 *
 * @param {Contender} contender @param {import("../turns/hands.mjs").Hand} hand @param {Fault} fault
 * @param {{ begun: boolean, done: boolean, isMet: boolean, isOver: boolean, count: number, firstBytes: number }} state
 * @returns {import("./model.mjs").Next}
 */
function scriptOf({ wire, client }, hand, fault, state) {
  let work = workOf(hand, () => false);
  let step = fault.step?.(wire, hand);
  return (request, text) => {
    state.count += 1;
    state.firstBytes ||= text.length;
    const answers = state.begun ? client.answers(request) : [];
    for (const answer of answers) hand.learn("a.ts", answer);
    const isTaken = state.isOver && fault.passes === true;
    const faulty =
      (isTaken ? undefined : fault.refuses?.(wire, { ...state, text })) ??
      (state.count > 1 && !state.isOver ? step : undefined);
    state.isMet ||= faulty !== undefined;
    if (state.count > 1) step = undefined;
    if (faulty !== undefined) return faulty;
    if (asksForSummary(JSON.stringify(request.messages ?? request.input ?? request.contents)))
      return { parts: [{ text: summary }] };
    if (!state.begun) work = workOf(hand, () => fault.large === true && !state.isMet);
    const { done, value } = work.next(answers);
    const thought = state.begun ? undefined : fault.thought;
    state.begun = true;
    state.done = done === true;
    return { parts: value ?? [{ text: "All is done." }], ...(thought !== undefined && { thought }) };
  };
}

/** @param {import("../turns/hands.mjs").Hand} hand @param {() => boolean} wantsMore @returns {import("../turns/hands.mjs").Work} */
function* workOf(hand, wantsMore) {
  yield* look(hand, "a.ts");
  for (const name of Object.keys(large)) if (wantsMore()) yield [hand.read(name)];
  yield* edit(hand, [{ file: "a.ts", old: "a - b", next: "a + b" }]);
}

/** @param {(name: string) => Buffer | undefined} bytes @param {Readonly<Record<string, string | Uint8Array>>} files @param {Fault} fault @param {boolean} isDone */
function isWrong(bytes, files, { mayWrite }, isDone) {
  const [changed, made] = [String(bytes("a.ts")), bytes("b.ts")];
  if (changed !== after && (isDone || changed !== before)) return true;
  if (made !== undefined && String(made) !== mayWrite) return true;
  const others = Object.entries(files).filter(([name]) => name !== "a.ts");
  return others.some(([name, content]) => bytes(name)?.equals(Buffer.from(content)) !== true);
}
