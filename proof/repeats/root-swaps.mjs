import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { onGround, openAt } from "../races/ground.mjs";

/**
 * Another thread renames the root away and puts a new folder in its place, again and again, while a client reads and
 * appends. What a call answers must be of the folder that the path means: the folders hold different numbers.
 *
 * @param {{ swaps: number, print: (line: string) => void }} options
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function rootSwaps({ swaps, print }) {
  return onGround(async (base, root) => {
    writeFileSync(join(root, "f"), "folder 0\n");
    const workspace = await openAt(base);
    const seen = { calls: 0, changed: 0, other: 0, stale: 0, silent: 0, written: 0 };
    const swapper = startSwapper(base, root, swaps);
    while (!swapper.isOver()) {
      const before = swapper.count();
      const read = await workspace.read({ path: "f" });
      const number = read.kind === "read" ? numberIn(read.state.content) : undefined;
      count(seen, read);
      // A read may be of the folder that stood at any moment of the call, never of an older one.
      if (number !== undefined && number < before) seen.stale += 1;
      const since = swapper.count();
      const added = await workspace.append({ path: "f", content: `${since}\n` });
      count(seen, added);
      if (added.success) {
        seen.written += 1;
        if (numberIn(added.state?.content ?? "") < since) seen.stale += 1;
      }
      // So that swaps fall between calls, too.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
    }
    await swapper.end();
    const lines = readFileSync(join(root, "f"), "utf8").split("\n").length;
    await workspace.close();
    print(`${swaps} swaps: ${JSON.stringify(seen)}`);
    return {
      figure: "R7",
      what: "the root is renamed away and made anew while a client reads and appends",
      tried: swaps,
      bad: { "read or written in an old folder": seen.stale, "other refusals": seen.other },
      seen: `${seen.calls} calls, ${seen.changed} \`root_changed\`, ${seen.written} appends done; ${lines} lines in the last folder`,
    };
  });
}

/** @param {Record<string, number>} seen @param {{ kind: string, code?: string }} outcome */
function count(seen, outcome) {
  seen.calls = (seen.calls ?? 0) + 1;
  if (outcome.kind !== "refusal") return;
  if (outcome.code === "root_changed") seen.changed = (seen.changed ?? 0) + 1;
  else seen.other = (seen.other ?? 0) + 1;
}

/** @param {string | null} text */
function numberIn(text) {
  return Number(/folder (\d+)/.exec(text ?? "")?.[1]);
}

/** @param {string} base @param {string} root @param {number} swaps */
function startSwapper(base, root, swaps) {
  const shared = new SharedArrayBuffer(8);
  const counter = new Int32Array(shared);
  const worker = new Worker(new URL("swap-worker.mjs", import.meta.url), {
    workerData: { base, root, swaps, shared },
  });
  const ended = new Promise((resolve) => worker.on("exit", resolve));
  return {
    /** How many folders have surely been put there. */
    count: () => Atomics.load(counter, 0),
    isOver: () => Atomics.load(counter, 1) === 1,
    end: () => ended,
  };
}
