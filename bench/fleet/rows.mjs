import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { conversation, must, openPostgres, patterns } from "../context/engine.mjs";
import { formatMiB, formatMs, median, tableOf } from "../patch/table.mjs";
import { changedAt, needle } from "./fill.mjs";

/**
 * What each operation of the store takes, in a store of this size.
 *
 * @typedef {import("./crash.mjs").Fleet} Fleet
 * @typedef {import("../../packages/core/dist/conversation/values/index.js").SessionStore} SessionStore
 */

/** @param {Fleet & { readonly rounds: number, readonly hasTrigrams: boolean }} fleet */
export async function measureRows(fleet) {
  const { cluster, schema, sessions, note, rounds, hasTrigrams, ask } = fleet;
  const { openPostgresStore } = await openPostgres();
  const store = must(await openPostgresStore({ connection: cluster.connection, schema, timeoutMs: 600_000 }));
  const rows = [];
  note("rows: list");
  rows.push(...(await measureLists(store, sessions.length, rounds)));
  note("rows: open");
  rows.push(...(await measureOpenings(fleet)));
  note("rows: flush");
  rows.push(await measureFlushes(store, sessions.at(-2) ?? "", rounds * 10));
  note("rows: search");
  rows.push(await measureSearch(store, "search for a text in one of 50,000 events, no index", needle));
  if (hasTrigrams) {
    const begun = performance.now();
    await ask(
      `create extension if not exists pg_trgm; create index events_by_text on ${schema}.events using gin (body gin_trgm_ops)`,
    );
    rows.push(["making the index of trigrams", formatMs(performance.now() - begun), ""]);
    rows.push(await measureSearch(store, "the same with it", needle));
    await ask(`drop index ${schema}.events_by_text`);
  }
  note("rows: prune");
  rows.push(...(await measurePrune(store, sessions)));
  await store.close();
  return tableOf(["what", "time", "and"], rows);
}

/** @param {SessionStore} store @param {number} count @param {number} rounds */
async function measureLists(store, count, rounds) {
  const middle = must(
    await store.list({ limit: 1, changedBefore: changedAt(Math.floor(count / 2), count) }),
  ).at(0);
  /** @type {readonly (readonly [string, import("../../packages/core/dist/conversation/values/index.js").SessionQuery])[]} */
  const queries = [
    ["list, first page of 50", { limit: 50 }],
    ["list, page of 50 in the middle", { limit: 50, ...(middle === undefined ? {} : { after: middle }) }],
    ["list, changed within a day", { changedSince: changedAt(count, count) - 86_400_000 }],
    ["list, 50 whose title holds a word", { limit: 50, title: "kamo" }],
    ["list, by the beginning of an id", { idPrefix: "s-0000001" }],
  ];
  const rows = [];
  for (const [name, query] of queries) {
    const times = [];
    let found = 0;
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      found = must(await store.list(query)).length;
      times.push(performance.now() - begun);
    }
    rows.push([name, formatMs(median(times)), `${found} sessions`]);
  }
  return rows;
}

/** @param {Fleet} fleet */
async function measureOpenings(fleet) {
  const rows = [];
  const usual = fleet.sessions.at(Math.floor(fleet.sessions.length / 2)) ?? "";
  for (const id of [usual, "long"]) {
    // Opened for writing once, with a flush behind it, so that it has a snapshot afterwards.
    await openCase(fleet, { id, snapshotEvents: 1, mode: "write" });
    for (const snapshotEvents of [0, 256]) {
      const said = [];
      for (let round = 0; round < 3; round += 1)
        said.push(await openCase(fleet, { id, snapshotEvents, mode: "read" }));
      const [first] = said;
      if (first === undefined) throw new Error("nothing was opened");
      const { nodes, snapshot } = first;
      if (snapshot !== snapshotEvents > 0)
        throw new Error(`a snapshot ${snapshot ? "was" : "was not"} read of ${id}`);
      const way = snapshot ? "its snapshot and the events behind it" : "all events";
      rows.push([
        `open a session of ${nodes.toLocaleString("en")} nodes by ${way}`,
        formatMs(median(said.map(({ ms }) => ms))),
        `CPU ${formatMs(median(said.map(({ cpuMs }) => cpuMs)))}, RSS ${formatMiB(median(said.map(({ rssBytes }) => rssBytes)))}`,
      ]);
    }
  }
  return rows;
}

/**
 * @param {Fleet} fleet
 * @param {{ readonly id: string, readonly snapshotEvents: number, readonly mode: "read" | "write" }} how
 * @returns {Promise<{ ms: number, cpuMs: number, rssBytes: number, nodes: number, snapshot: boolean }>}
 */
async function openCase({ cluster, schema }, how) {
  const script = fileURLToPath(new URL("open-case.mjs", import.meta.url));
  const order = JSON.stringify({ connection: cluster.connection, schema, ...how });
  const { stdout } = await promisify(execFile)(process.execPath, [script, order]);
  return JSON.parse(stdout);
}

/** @param {SessionStore} store @param {string} id @param {number} rounds */
async function measureFlushes(store, id, rounds) {
  const session = must(await store.open(id, "write"));
  const times = await flushing(session, rounds);
  await session.close();
  return [
    "flush one event",
    formatMs(median(times)),
    `longest of ${rounds}: ${formatMs(Math.max(...times))}`,
  ];
}

/** @param {import("../../packages/core/dist/conversation/values/index.js").OpenSession} session @param {number} most @param {() => boolean} goesOn */
async function flushing(session, most, goesOn = () => true) {
  const times = [];
  for (let at = 0; at < most && goesOn(); at += 1) {
    session.append({ ts: Date.now(), event: { type: "renamed", title: `flushed ${at}` } });
    const begun = performance.now();
    must(await session.flush());
    times.push(performance.now() - begun);
  }
  return times;
}

/** @param {SessionStore} store @param {string} name @param {string} text */
async function measureSearch(store, name, text) {
  const { compilePattern, requiredLiterals } = patterns;
  const pattern = must(compilePattern(text, {}));
  const anyOf = requiredLiterals(text, {});
  const begun = performance.now();
  const found = await conversation.searchSessions(store, must(await store.list()), pattern, 100_000, {
    anyOf: anyOf ?? [],
  });
  const ms = performance.now() - begun;
  if (found.unread.length > 0) throw new Error(found.unread[0]?.message);
  return [
    name,
    formatMs(ms),
    `${found.matches.length} found in ${found.sessions.toLocaleString("en")} sessions`,
  ];
}

/** A tenth goes; somebody flushes large texts meanwhile. @param {SessionStore} store @param {readonly string[]} sessions */
async function measurePrune(store, sessions) {
  const session = must(await store.open(sessions.at(-2) ?? "", "write"));
  let isOver = false;
  const meanwhile = flushing(session, Number.MAX_SAFE_INTEGER, () => !isOver);
  const begun = performance.now();
  const changedBefore = changedAt(Math.floor(sessions.length / 10), sessions.length);
  const dry = must(await conversation.pruneSessions(store, { changedBefore, dryRun: true }));
  const dryMs = performance.now() - begun;
  const start = performance.now();
  const pruned = must(await conversation.pruneSessions(store, { changedBefore }));
  const ms = performance.now() - start;
  isOver = true;
  const times = await meanwhile;
  await session.close();
  const bytes = pruned.removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [
    ["prune a tenth, dry run", formatMs(dryMs), `${dry.removed.length.toLocaleString("en")} sessions`],
    [
      "prune it",
      formatMs(ms),
      `${pruned.removed.length.toLocaleString("en")} sessions, ${formatMiB(bytes)} of events; a flush beside it: median ${formatMs(median(times))}, longest ${formatMs(Math.max(...times))}`,
    ],
  ];
}
