import { spawnSync } from "node:child_process";
import { closeSync, fdatasyncSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, remove } from "../rooms.mjs";
import { must, started, storeAt } from "./life.mjs";

/**
 * How long a start takes, and how many turns a second are acknowledged one by one. Never fails.
 *
 * @param {string} opener @param {{ quick: boolean }} options @returns {Promise<import("../contract.mjs").Row[]>}
 */
export async function measure(opener, { quick }) {
  const rows = [];
  for (const records of quick ? [10_000] : [10_000, 100_000]) rows.push(await measureOpen(opener, records));
  return [...rows, await measureAppends(quick ? 500 : 5_000)];
}

/** @param {string} opener @param {number} records @returns {Promise<import("../contract.mjs").Row>} */
async function measureOpen(opener, records) {
  const top = freshFolder();
  try {
    const store = storeAt(join(top, "state"));
    const events = [started("s")];
    for (let at = 2; at <= records; at++) events.push(ordinary(at));
    await must(await store.create("s", events)).close();
    const size = statSync(join(top, "state", "conversations", "s.jsonl")).size;
    const runs = Array.from({ length: 5 }, () =>
      JSON.parse(spawnSync(process.execPath, [opener, join(top, "state")], { encoding: "utf8" }).stdout),
    );
    const whole = runs.filter((run) => run.records === records);
    const [open, replay] = ["open", "replay"].map((name) => median(whole.map((run) => run[name])));
    return {
      figure: "F6",
      what: `a journal of ${records} records, ${(size / 2 ** 20).toFixed(1)} MiB, opened in a fresh process`,
      tried: runs.length,
      bad: { wrong: runs.length - whole.length },
      seen: `open ${open} ms, replay ${replay} ms (medians)`,
    };
  } finally {
    remove(top);
  }
}

/** @param {number} turns @returns {Promise<import("../contract.mjs").Row>} */
async function measureAppends(turns) {
  const top = freshFolder();
  try {
    const session = must(await storeAt(join(top, "state")).create("s", [started("s")]));
    const begun = performance.now();
    for (let at = 2; at < turns + 2; at++) {
      session.append(ordinary(at));
      must(await session.flush());
    }
    const ours = turns / ((performance.now() - begun) / 1_000);
    await session.close();
    const floor = floorOf(join(top, "floor"), turns);
    return {
      figure: "F6",
      what: `${turns} turns of one event, each acknowledged before the next`,
      tried: turns,
      bad: {},
      seen: `${ours.toFixed(0)} a second; write and fdatasync alone: ${floor.toFixed(0)}`,
    };
  } finally {
    remove(top);
  }
}

/** @param {string} path @param {number} turns */
function floorOf(path, turns) {
  const line = Buffer.alloc(450, "x");
  const fd = openSync(path, "a");
  const begun = performance.now();
  for (let at = 0; at < turns; at++) {
    writeSync(fd, line);
    fdatasyncSync(fd);
  }
  closeSync(fd);
  return turns / ((performance.now() - begun) / 1_000);
}

/** Of the size that turns have: about 450 bytes. @param {number} at @returns {import("./life.mjs").Event} */
function ordinary(at) {
  const output = `line ${at} of what a tool has read\n`.repeat(7);
  const files = [{ path: "src/file.ts", after: "a".repeat(64), by: /** @type {const} */ ("seen") }];
  /** @type {Extract<import("./life.mjs").Event["event"], { type: "nodes_added" }>["nodes"][number]["payload"]} */
  const payload =
    at % 2 === 0
      ? { kind: "tool_call", callId: `c${at}`, name: "read_file", args: { file_path: `src/file${at}.ts` } }
      : { kind: "tool_result", callId: `c${at - 1}`, name: "read_file", output, files };
  const node = {
    id: `01kaq3v9g8x7m2c4z5t${at}`,
    parentId: at === 2 ? "s" : `01kaq3v9g8x7m2c4z5t${at - 1}`,
    timestamp: at,
    payload,
  };
  return { ts: at, event: { type: "nodes_added", nodes: [node], head: node.id } };
}

/** @param {number[]} times */
function median(times) {
  return times.sort((one, other) => one - other)[times.length >> 1]?.toFixed(0);
}
