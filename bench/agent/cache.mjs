import { runClient } from "../../proof/clients/any-client.mjs";
import { longAfter, longFiles, longWork, mostSteps } from "./long-session.mjs";
import { anthropicCache, geminiCache, PromptTooLong } from "./provider-cache.mjs";

/**
 * What a provider's cache finds of the requests of a long session.
 *
 * @typedef {object} CacheCost
 * @property {number} requests that the model answered, whatever they ask
 * @property {number} input tokens of all
 * @property {number} cached
 * @property {number} cost in tokens of plain input
 * @property {number} peak the largest request
 * @property {number} summaries of the conversation that the program asked for
 * @property {number} refused requests that were longer than the window
 * @property {number} rereads that the script did since a line was not before the model any more, or a tool demanded it
 * @property {number} steps of the script that were done
 * @property {readonly string[]} flaws
 */

const mostMs = 15 * 60_000;

/** @param {import("./contenders.mjs").Contender} contender @returns {Promise<CacheCost>} */
export async function measureCache({ client, hand, wire }) {
  const installed = client.install();
  if (installed.kind === "missing") throw new Error(installed.reason);
  const count = wire === "anthropic" ? anthropicCache() : geminiCache();
  /** @type {import("./provider-cache.mjs").Counted[]} */
  const all = [];
  const meter = (/** @type {any} */ request) => {
    const counted = count(request);
    all.push(counted);
    return counted;
  };
  const seen = { steps: 0, summaries: 0, isDone: false, rereads: 0 };
  const turns = (/** @type {string} */ project) => turnsOf(hand(project), client, seen);
  const session = { program: installed.program, files: longFiles, turns, meter, mostMs };
  return await runClient(client, session, (told) => {
    const sum = (/** @type {(one: import("./provider-cache.mjs").Counted) => number} */ of) =>
      all.reduce((before, one) => before + of(one), 0);
    return {
      requests: all.length,
      input: sum(({ total }) => total),
      cached: sum(({ cached }) => cached),
      cost: sum(({ cost }) => cost),
      peak: Math.max(...all.map(({ total }) => total)),
      summaries: seen.summaries,
      refused: told.faults.filter((fault) => fault instanceof PromptTooLong).length,
      rereads: seen.rereads,
      steps: seen.steps,
      flaws: flawsOf(told, seen.isDone),
    };
  });
}

/** @param {import("../../proof/clients/any-client.mjs").Told} told @param {boolean} isDone */
function flawsOf(told, isDone) {
  const wrong = Object.entries(longAfter).filter(([file, text]) => told.bytes(file)?.toString() !== text);
  return [
    ...wrong.map(([file]) => `${file} is not as it should be`),
    ...(isDone ? [] : ["it did not come to the end"]),
    ...(told.exit === 0 ? [] : [`exit code ${told.exit}: ${told.complaint.slice(-1_000)}`]),
    ...told.faults.filter((fault) => !(fault instanceof PromptTooLong)).map(String),
  ];
}

/**
 * @param {import("../turns/hands.mjs").Hand} hand @param {import("./contenders.mjs").Client} client
 * @param {{ steps: number, summaries: number, isDone: boolean, rereads: number }} seen
 */
function turnsOf(hand, client, seen) {
  let request = "";
  const work = longWork(hand, (text) => request.includes(text), seen);
  const turn = (/** @type {any} */ body) => {
    request = JSON.stringify(body.messages ?? body.contents);
    if (asksForSummary(request)) {
      seen.summaries += 1;
      return [{ text: summary }];
    }
    const step = seen.steps === 0 ? work.next([]) : work.next(client.answers(body));
    seen.steps += 1;
    if (step.done !== true) return step.value;
    seen.isDone = true;
    return [{ text: "done" }];
  };
  return Array.from({ length: mostSteps }, () => turn);
}

/** Only the end of a conversation asks for it; what a summary says of itself stands at its begin. @param {string} request */
export function asksForSummary(request) {
  return /Your task is to create a detailed summary of|CONTEXT CHECKPOINT COMPACTION/.test(
    request.slice(-12_000),
  );
}

/** As long as such summaries are. */
export const summary = `<summary>\n${"The modules are read, edited and tested one after the other, as was asked.\n".repeat(80)}</summary>`;
