import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runClient } from "../../proof/clients/any-client.mjs";
import { watch, watched } from "./watch.mjs";

/**
 * One session of one agent, and what it cost.
 *
 * @typedef {object} Cost
 * @property {number} startMs from its begin to its first request with tools
 * @property {number} wallMs
 * @property {number} cpuMs of all its processes
 * @property {number} peakMiB the largest sum of their resident memory
 * @property {number} requests with a body, whatever they ask
 * @property {number} bytes of all bodies
 * @property {number} firstBytes of the first request with tools
 * @property {number} contents how often a whole file stood in them
 * @property {readonly string[]} flaws
 */

/** @param {import("./contenders.mjs").Contender} contender @param {import("./sessions.mjs").Session} session @returns {Promise<Cost>} */
export async function measure({ client, hand }, session) {
  const installed = client.install();
  if (installed.kind === "missing") throw new Error(installed.reason);
  const place = mkdtempSync(join(tmpdir(), "agent-bench-"));
  const notes = join(place, "notes");
  const seen = { firstAt: 0, done: false };
  const ended = watch(notes);
  /** @type {import("./contenders.mjs").Client} */
  const under = { ...client, launch: (...given) => watched(client.launch(...given), notes) };
  const turns = (/** @type {string} */ project) => turnsOf(session.work(hand(project)), client, seen);
  try {
    return await runClient(under, { program: installed.program, files: session.files, turns }, (told) => {
      const { begunAt, ...spent } = ended();
      const bodies = told.received.filter((body) => body !== "");
      return {
        ...spent,
        startMs: seen.firstAt - begunAt,
        requests: bodies.length,
        bytes: bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0),
        firstBytes: Buffer.byteLength(bodies.find((body) => body.includes('"tools":[{')) ?? ""),
        contents: session.marks.reduce((sum, mark) => sum + bodies.join("\n").split(mark).length - 1, 0),
        flaws: flawsOf(session, told, seen.done),
      };
    });
  } finally {
    ended();
    rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** @param {import("./sessions.mjs").Session} session @param {import("../../proof/clients/any-client.mjs").Told} told @param {boolean} done */
function flawsOf({ after }, told, done) {
  const wrong = Object.entries(after).filter(([file, text]) => told.bytes(file)?.toString() !== text);
  return [
    ...wrong.map(([file]) => `${file} is not as it should be`),
    ...(done ? [] : ["it did not come to the end"]),
    ...(told.exit === 0 ? [] : [`exit code ${told.exit}: ${told.complaint.slice(0, 500)}`]),
    ...told.faults.map(String),
  ];
}

const mostTurns = 200;

/**
 * @param {import("../turns/hands.mjs").Work} work @param {import("./contenders.mjs").Client} client
 * @param {{ firstAt: number, done: boolean }} seen
 */
function turnsOf(work, client, seen) {
  const turn = (/** @type {any} */ request) => {
    const isFirst = seen.firstAt === 0;
    if (isFirst) seen.firstAt = performance.timeOrigin + performance.now();
    const step = isFirst ? work.next([]) : work.next(client.answers(request));
    if (step.done !== true) return step.value;
    seen.done = true;
    return [{ text: "done" }];
  };
  return Array.from({ length: mostTurns }, () => turn);
}
