import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freshFolder, remove } from "../rooms.mjs";
import { must, started, storeAt } from "./life.mjs";

const tail = 4_096;

/**
 * Every byte of the last 4 KiB of a journal is changed in several ways, and the journal is cut at each.
 *
 * @param {{ quick: boolean }} options @returns {Promise<import("../contract.mjs").Row[]>}
 */
export async function damage({ quick }) {
  const top = freshFolder();
  try {
    const store = storeAt(join(top, "state"));
    const session = must(await store.create("s", [started("s")]));
    for (let at = 2; at <= 50; at++)
      session.append({
        ts: at,
        event: { type: "renamed", title: `the ${at}th name of this session, “${at}”` },
      });
    must(await session.flush());
    await session.close();
    const path = join(top, "state", "conversations", "s.jsonl");
    const stride = quick ? 31 : 1;
    return [await flip(store, path, stride), await cut(store, path, stride)];
  } finally {
    remove(top);
  }
}

/** @typedef {import("./life.mjs").Store} Store */

const ways = {
  "one bit": (/** @type {number} */ byte) => byte ^ 1,
  "the top bit": (/** @type {number} */ byte) => byte ^ 128,
  "all bits": (/** @type {number} */ byte) => byte ^ 255,
  "a line break": () => 10,
  NUL: () => 0,
};

/** @param {Store} store @param {string} path @param {number} stride @returns {Promise<import("../contract.mjs").Row>} */
async function flip(store, path, stride) {
  const whole = readFileSync(path);
  const life = must(await store.open("s", "read")).records.map((record) => JSON.stringify(record));
  const bad = { lost: 0, wrong: 0, "not reported": 0 };
  let tried = 0;
  for (const way of Object.values(ways)) {
    for (let at = whole.length - tail; at < whole.length; at += stride) {
      const bytes = Buffer.from(whole);
      bytes[at] = way(whole[at] ?? 0);
      if (bytes[at] === whole[at]) continue;
      writeFileSync(path, bytes);
      const { records, problems } = must(await store.open("s", "read"));
      const found = new Set(records.map((record) => JSON.stringify(record)));
      const line = lineOf(whole, at);
      tried += 1;
      if (life.some((record, index) => index !== line && !found.has(record))) bad.lost += 1;
      if ([...found].some((record) => !life.includes(record))) bad.wrong += 1;
      if (!problems.some((problem) => problem.line === line + 1)) bad["not reported"] += 1;
    }
  }
  writeFileSync(path, whole);
  const what = `every byte of the last 4 KiB changed in ${Object.keys(ways).length} ways, every ${stride}th place`;
  return { figure: "F6", what, tried, bad };
}

/** @param {Store} store @param {string} path @param {number} stride @returns {Promise<import("../contract.mjs").Row>} */
async function cut(store, path, stride) {
  const whole = readFileSync(path);
  const bad = { lost: 0, wrong: 0, "not reported": 0, stuck: 0 };
  let [tried, told] = [0, 0];
  for (let size = whole.length - tail; size < whole.length; size += stride) {
    writeFileSync(path, whole.subarray(0, size));
    const lines = lineOf(whole, size);
    const session = must(await store.open("s", "write"));
    const between = whole[size - 1] === 10;
    tried += 1;
    if (session.records.length < lines) bad.lost += 1;
    if (session.records.length > lines + 1) bad.wrong += 1;
    if (!between && session.problems[0]?.what !== "torn_tail") bad["not reported"] += 1;
    told += session.problems.length;
    const length = session.records.length;
    session.append({ ts: 1, event: { type: "renamed", title: "after it" } });
    if ((await session.flush()).kind === "refusal") bad.stuck += 1;
    await session.close();
    const again = must(await store.open("s", "read"));
    if (again.records.length !== length + 1 || again.problems.length > 0) bad.stuck += 1;
  }
  writeFileSync(path, whole);
  const what = `cut at every length of the last 4 KiB, every ${stride}th, then written on`;
  return { figure: "F6", what, tried, bad, seen: `${told} torn tails cut off and told` };
}

/** 0-based. @param {Buffer} bytes @param {number} at */
function lineOf(bytes, at) {
  let lines = 0;
  for (let before = 0; before < at; before++) if (bytes[before] === 10) lines += 1;
  return lines;
}
