import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openConversation, verifySession } from "@holdfast/core/conversation";
import { repairSession } from "@holdfast/core/conversation/journal";
import { freshFolder, remove } from "../rooms.mjs";
import { must, started, storeAt } from "./life.mjs";
import { conversationIn } from "./talk.mjs";

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
    const stride = quick ? 61 : 1;
    return [
      await flip(store, path, stride),
      await cut(store, path, stride),
      await mend(storeAt(join(top, "mended")), join(top, "mended"), quick),
    ];
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
  const what = `every byte of the last 4 KiB changed in ${Object.keys(ways).length} ways, ${stride === 1 ? "at each" : `at every ${stride}th`}`;
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
  const what = `cut at every length of the last 4 KiB, ${stride === 1 ? "at each" : `at every ${stride}th`}, then written on`;
  return { figure: "F6", what, tried, bad, seen: `${told} torn tails cut off and told` };
}

/**
 * A conversation whose journal is damaged in one way after the other, opened to be written, gone on with, and
 * repaired.
 *
 * @param {Store} store @param {string} stateDir @param {boolean} quick
 * @returns {Promise<import("../contract.mjs").Row>}
 */
async function mend(store, stateDir, quick) {
  const { id, nodes, head } = await conversationIn(store, quick ? 6 : 20);
  const other = await conversationIn(store, 2, "walk");
  const foreign = readFileSync(join(stateDir, "conversations", `${other.id}.jsonl`));
  const path = join(stateDir, "conversations", `${id}.jsonl`);
  const whole = readFileSync(path);
  const bad = { "cut off": 0, "head moved": 0, "turn lost": 0, "not told": 0, "not sound": 0 };
  let [tried, placeholders] = [0, 0];
  for (const { bytes, lost, isWhole } of damages(whole, foreign, quick)) {
    writeFileSync(path, bytes);
    tried += 1;
    const named = new Set([...lost].flatMap((line) => nodes.get(line) ?? []));
    const open = must(await openConversation(store, id, "write", sources(tried)));
    const { context } = open.manager;
    const others = [...nodes.values()].flat().filter((node) => !named.has(node));
    if (others.some((node) => !leadsToRoot(context, node))) bad["cut off"] += 1;
    if (!lost.has(head.line) && context.currentNodeId !== head.id) bad["head moved"] += 1;
    if (open.problems.length + open.losses.length === 0 && isWhole !== true) bad["not told"] += 1;
    const turn = must(open.manager.commitStagedItems("after it"));
    must(await open.close());
    must(await repairSession(store, id, { apply: true }));
    const verified = must(await verifySession(store, id, () => []));
    if (verified.problems.length + verified.losses.length > 0) bad["not sound"] += 1;
    placeholders += verified.placeholders;
    const again = must(await openConversation(store, id, "read", sources(0)));
    const here = again.manager.context;
    const isKept = here.currentNodeId === turn.id && others.every((node) => leadsToRoot(here, node));
    if (!isKept) bad["turn lost"] += 1;
    must(await again.close());
  }
  const what =
    "a conversation with bytes flipped, NULs, lines missing or doubled, another session joined: opened, gone on with, repaired";
  return { figure: "F6", what, tried, bad, seen: `${placeholders} placeholders` };
}

/** @param {number} from */
function sources(from) {
  let count = 0;
  const ids = () => {
    count += 1;
    return `t${from}-${count}`;
  };
  return { ids, now: () => 1 };
}

/** @param {import("@holdfast/core/conversation/values").ConversationContext} context @param {string} id */
function leadsToRoot(context, id) {
  let node = context.nodes.get(id);
  while (node !== undefined && node.parentId !== null) node = context.nodes.get(node.parentId);
  return node?.id === context.sessionId;
}

/**
 * The journal in every damaged form, and the lines (0-based) that may be lost by it. Without its last line it is whole,
 * as it was before that was written: nothing in it can tell more.
 *
 * @param {Buffer} whole @param {Buffer} foreign of another session @param {boolean} quick
 * @returns {Generator<{ bytes: Buffer, lost: ReadonlySet<number>, isWhole?: boolean }>}
 */
function* damages(whole, foreign, quick) {
  const lines = whole
    .toString("latin1")
    .split(/(?<=\n)/)
    .map((line) => Buffer.from(line, "latin1"));
  const stride = quick ? 401 : 37;
  for (const [at, way] of Object.values(ways).entries())
    for (let byte = at; byte < whole.length; byte += stride) {
      const bytes = Buffer.from(whole);
      bytes[byte] = way(whole[byte] ?? 0);
      const isWhole = bytes[byte] === whole[byte];
      yield { bytes, lost: new Set([lineOf(whole, byte)]), isWhole };
    }
  for (let from = 0; from < whole.length; from += stride * 11) {
    const to = Math.min(from + 700, whole.length);
    const lost = new Set(between(lineOf(whole, from), lineOf(whole, to - 1)));
    yield { bytes: Buffer.from(whole).fill(0, from, to), lost };
  }
  for (let at = 0; at < lines.length; at += quick ? 3 : 1) {
    const isWhole = at === lines.length - 1;
    yield { bytes: Buffer.concat(lines.filter((_, line) => line !== at)), lost: new Set([at]), isWhole };
    const some = lines.slice(at, at + 3);
    yield {
      bytes: Buffer.concat([...lines.slice(0, at + 3), ...some, ...lines.slice(at + 3)]),
      lost: new Set(),
    };
  }
  yield { bytes: Buffer.concat([whole, whole]), lost: new Set() };
  yield { bytes: Buffer.concat([whole, foreign]), lost: new Set() };
  yield { bytes: Buffer.concat([foreign, whole]), lost: new Set() };
}

/** @param {number} from @param {number} to */
function between(from, to) {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** 0-based. @param {Buffer} bytes @param {number} at */
function lineOf(bytes, at) {
  let lines = 0;
  for (let before = 0; before < at; before++) if (bytes[before] === 10) lines += 1;
  return lines;
}
