import { runClient } from "../../proof/clients/any-client.mjs";
import { tooLong, tooLongFor } from "./faults.mjs";
import { startModel } from "./model.mjs";

/**
 * A small window: ten files of 80 KB are read in pages, of which two fit into it beside the rest. The model is never wrong: a page
 * is asked for by its lines, whatever else is still before it.
 *
 * @typedef {{ readonly pages: number, readonly requests: number, readonly refused: number, readonly summaries: number,
 *   readonly bytes: number, readonly peak: number, readonly flaws: readonly string[] }} WindowCost `peak`: tokens of the largest
 *   request that was taken
 */

const windowTokens = 16_384;
const [lines, page] = [1_000, 130];
const names = Array.from({ length: 10 }, (_, at) => `f${at}.txt`);
const files = Object.fromEntries(
  names.map((name) => [
    name,
    Array.from({ length: lines }, (_, at) => `${name} ${at} ${"some words of it ".repeat(4)}\n`).join(""),
  ]),
);
const mostMs = 5 * 60_000;

/** @param {import("./contenders.mjs").Contender} contender @returns {Promise<WindowCost>} */
export async function measureWindow({ client, hand, wire, isOurs }) {
  const installed = client.install();
  if (installed.kind === "missing") throw new Error(installed.reason);
  const wanted = names.flatMap((file) =>
    Array.from({ length: Math.ceil(lines / page) }, (_, at) => ({ file, from: 1 + at * page, count: page })),
  );
  const seen = { pages: 0, refused: 0, peak: 0, isDone: false };
  /** @type {import("./model.mjs").Gate} */
  const gate = (text) => {
    const refusal = tooLongFor(text, windowTokens, tooLong[wire]);
    if (refusal === undefined) seen.peak = Math.max(seen.peak, Math.ceil(text.length / 4));
    else seen.refused += 1;
    return refusal;
  };
  const meter = (/** @type {any} */ request) => ({
    total: Math.ceil(JSON.stringify(request).length / 4),
    cached: 0,
    written: 0,
  });
  const next = () => {
    const one = wanted[seen.pages];
    seen.isDone = one === undefined;
    if (one === undefined) return { parts: [{ text: "All are read." }] };
    seen.pages += 1;
    return { parts: [hand("").read(one.file, one)] };
  };
  const under = { ...client, startModel: () => startModel(wire, next, { meter, gate, isStrict: isOurs }) };
  return await runClient(under, { program: installed.program, files, turns: () => [], mostMs }, (told) => {
    const bodies = told.received.filter((body) => /"(?:messages|input|contents)":\[/.test(body));
    return {
      pages: seen.pages,
      requests: told.requests.length,
      refused: seen.refused,
      summaries: bodies.length - told.requests.length - seen.refused,
      bytes: bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0),
      peak: seen.peak,
      flaws: [
        ...(seen.isDone ? [] : ["it did not come to the end"]),
        ...(told.exit === 0 ? [] : [`exit code ${told.exit}: ${told.complaint.slice(-500)}`]),
        ...told.faults.map(String),
      ],
    };
  });
}
