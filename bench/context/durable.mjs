import { closeSync, fdatasync, fdatasyncSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { formatMs, median, tableOf } from "../patch/table.mjs";
import { must } from "./engine.mjs";
import { journalFile, openJournals, startConversation } from "./journals.mjs";
import { addTurn, turnAt } from "./turns.mjs";

/**
 * What an acknowledged append costs, against the least that can be done for it: the same bytes, written and
 * synced on the same disk right afterwards.
 *
 * @typedef {import("./engine.mjs").StoredConversation} StoredConversation
 * @typedef {{ readonly name: string, readonly appends: number, readonly sessions: number,
 *   readonly records: number, readonly turn: (conversations: readonly StoredConversation[], at: number) => unknown,
 *   readonly floor: "one" | "each" }} Case
 * @typedef {{ readonly fd: number, readonly file: string, size: number }} Shadow
 */

/** `appends`: how many acknowledgements a round gives. @type {readonly Case[]} */
const cases = [
  { name: "one record", appends: 1, sessions: 1, records: 1, turn: recordEach, floor: "one" },
  { name: "one turn (4 records)", appends: 1, sessions: 1, records: 4, turn: turnEach, floor: "one" },
  {
    name: "8 turns of one session, flushed at once",
    appends: 8,
    sessions: 1,
    records: 32,
    turn: eightTurns,
    floor: "one",
  },
  {
    name: "8 sessions in one process, a turn each",
    appends: 8,
    sessions: 8,
    records: 32,
    turn: turnEach,
    floor: "each",
  },
];

/** @param {{ readonly short: boolean, readonly folder: string, readonly note: (line: string) => void }} options */
export async function measureDurable({ short, folder, note }) {
  const rows = [];
  for (const [index, one] of cases.entries()) {
    note(`durable: ${one.name}`);
    rows.push(await measureCase(one, join(folder, `durable-${index}`), short ? 5 : 1_000));
  }
  return [
    "## Durable appends\n",
    "Append, then `flush` until it is acknowledged, in a process that does nothing else. Floor: in the same round, `write` and `fdatasync` of as many bytes to another file of the same folder; for several sessions, one file each, all `write` calls first and the `fdatasync` calls on Node's threads side by side. Per second: acknowledged appends by the mean time of a round.\n",
    tableOf(
      [
        "what is made durable",
        "bytes",
        "p50",
        "p95",
        "per second",
        "floor p50",
        "p95",
        "per second",
        "times the floor",
      ],
      rows,
    ),
  ].join("\n");
}

/** @param {Case} one @param {string} stateDir @param {number} rounds */
async function measureCase({ name, appends, sessions, turn, floor }, stateDir, rounds) {
  const store = await openJournals(stateDir);
  const conversations = [];
  for (let at = 0; at < sessions; at += 1) conversations.push(await startConversation(store));
  const shadows = conversations.map(({ session }) => shadowOf(journalFile(stateDir, session.id)));
  /** @type {{ readonly ours: number[], readonly floor: number[], readonly bytes: number[] }} */
  const times = { ours: [], floor: [], bytes: [] };
  for (let round = 0; round < rounds + 20; round += 1) {
    const begun = performance.now();
    await turn(conversations, round);
    const ours = performance.now() - begun;
    const grown = shadows.map(grownBy);
    const start = performance.now();
    if (floor === "each") await syncSideBySide(shadows, grown);
    else syncOneByOne(shadows, grown);
    const least = performance.now() - start;
    if (round < 20) continue;
    times.ours.push(ours);
    times.floor.push(least);
    times.bytes.push(grown.reduce((sum, { length }) => sum + length, 0));
  }
  for (const { fd } of shadows) closeSync(fd);
  await store.close();
  return [
    name,
    median(times.bytes).toFixed(0),
    ...rateOf(times.ours, appends),
    ...rateOf(times.floor, appends),
    (median(times.ours) / median(times.floor)).toFixed(2),
  ];
}

/** @param {readonly number[]} times @param {number} appends */
function rateOf(times, appends) {
  const sorted = times.toSorted((one, other) => one - other);
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  return [
    formatMs(median(times)),
    formatMs(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN),
    ((1_000 * appends) / mean).toFixed(0),
  ];
}

/** @param {readonly StoredConversation[]} conversations @param {number} at */
async function recordEach(conversations, at) {
  for (const { manager } of conversations)
    must(manager.addNode({ kind: "note", audience: "model", text: turnAt(at).result }));
  await flushAll(conversations);
}

/** @param {readonly StoredConversation[]} conversations @param {number} at */
async function turnEach(conversations, at) {
  for (const { manager } of conversations) addTurn(manager, turnAt(at));
  await flushAll(conversations);
}

/** @param {readonly StoredConversation[]} conversations @param {number} at */
async function eightTurns([conversation], at) {
  if (conversation === undefined) throw new Error("no session");
  const flushed = Array.from({ length: 8 }, (_, n) => {
    addTurn(conversation.manager, turnAt(8 * at + n));
    return conversation.manager.flush();
  });
  for (const answer of await Promise.all(flushed)) must(answer);
}

/** @param {readonly StoredConversation[]} conversations */
async function flushAll(conversations) {
  for (const answer of await Promise.all(conversations.map(({ manager }) => manager.flush()))) must(answer);
}

/** @param {string} file @returns {Shadow} */
function shadowOf(file) {
  return { file, fd: openSync(`${file}.floor`, "a"), size: statSync(file).size };
}

/** As many bytes as the journal grew by. @param {Shadow} shadow */
function grownBy(shadow) {
  const { size } = statSync(shadow.file);
  const bytes = Buffer.alloc(size - shadow.size, "x");
  shadow.size = size;
  return bytes;
}

/** @param {readonly Shadow[]} shadows @param {readonly Buffer[]} grown */
function syncOneByOne(shadows, grown) {
  for (const [at, { fd }] of shadows.entries()) {
    writeSync(fd, grown[at] ?? Buffer.alloc(0));
    fdatasyncSync(fd);
  }
}

const syncOnThread = promisify(fdatasync);

/** @param {readonly Shadow[]} shadows @param {readonly Buffer[]} grown */
async function syncSideBySide(shadows, grown) {
  for (const [at, { fd }] of shadows.entries()) writeSync(fd, grown[at] ?? Buffer.alloc(0));
  await Promise.all(shadows.map(({ fd }) => syncOnThread(fd)));
}
