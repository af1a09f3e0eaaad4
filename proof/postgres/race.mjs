import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** @typedef {import("./cluster.mjs").Cluster} Cluster */
/** @typedef {import("./appender.mjs").Outcome} Outcome */

/**
 * @typedef {object} Race
 * @property {Cluster} cluster
 * @property {string} room the module that exports `openPostgresStore`
 * @property {string} schema
 * @property {number} processes
 * @property {number} turns of each process
 * @property {"same" | "own" | "both"} sessions all write into one, each into its own, or in turn into both
 * @property {number} [leaseMs] a short one passes on in the middle of a turn, so that the head decides
 * @property {number} [thinkMs]
 * @property {(over: Promise<unknown>) => Promise<void>} [trouble] what else happens until it is over
 */

/**
 * @typedef {object} Result
 * @property {number} tried turns
 * @property {number} lost acknowledged turns that are not there
 * @property {number} doubled turns that are there twice
 * @property {number} forked nodes that are not below the head before them, and nodes below the same one
 * @property {number} gaps in `seq`, and events that could not be read
 * @property {number} strangers turns that are there and that nobody was told of
 * @property {number} retried turns
 * @property {number} tries
 * @property {number} standing turns that were refused, and there all the same when the session was opened again
 * @property {Readonly<Record<string, number>>} refusals by code and place
 * @property {number} ms
 */

/** Several processes append turns to sessions at the same moment. @param {Race} race @returns {Promise<Result>} */
export async function runRace(race) {
  const names = Array.from({ length: race.processes }, (_, at) => `p${at}`);
  const { openPostgresStore } = await import(race.room);
  const { connection } = race.cluster;
  const store = await openPostgresStore({ connection, schema: race.schema });
  if (store.kind === "refusal") throw new Error(store.message);
  const sessionsOf = (/** @type {string} */ name) => {
    if (race.sessions === "same") return ["shared"];
    return race.sessions === "own" ? [`own-${name}`] : ["shared", `own-${name}`];
  };
  const ids = [...new Set(names.flatMap(sessionsOf))];
  for (const id of ids) await makeSession(store, id);
  const appenders = names.map((name) => startAppender(race, name, sessionsOf(name)));
  await Promise.all(appenders.map(({ ready }) => ready));
  const begun = performance.now();
  for (const { go } of appenders) go();
  const over = Promise.all(appenders.map(({ outcomes }) => outcomes));
  await race.trouble?.(over);
  const outcomes = (await over).flat();
  const ms = performance.now() - begun;
  const found = await Promise.all(ids.map((id) => inspect(store, id)));
  await store.close();
  return { ...judge(outcomes, found), ms };
}

/** @param {Race} race @param {string} name @param {readonly string[]} sessions */
function startAppender({ cluster, room, schema, turns, leaseMs = 30_000, thinkMs = 0 }, name, sessions) {
  const order = { room, connection: cluster.connection, schema, leaseMs, name, sessions, turns, thinkMs };
  const script = fileURLToPath(new URL("appender.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  /** @type {Outcome[]} */
  const told = [];
  const ready = new Promise((resolve) => {
    lines.on("line", (line) => (line === "ready" ? resolve(undefined) : told.push(JSON.parse(line))));
  });
  const outcomes = once(child, "close").then(([code]) => {
    if (code !== 0) throw new Error(`${name} ended with ${code}`);
    return told;
  });
  return { ready: Promise.race([ready, outcomes]), go: () => void child.stdin.write("go\n"), outcomes };
}

/** @param {any} store @param {string} id */
async function makeSession(store, id) {
  const payload = { kind: "task_boundary", name: "session", transformation: { kind: "clear" } };
  const root = { id, parentId: null, timestamp: Date.now(), payload };
  const session = await store.create(id, [
    { ts: Date.now(), event: { type: "session_started", sessionId: id, root } },
  ]);
  if (session.kind === "refusal") throw new Error(session.message);
  await session.close();
}

/** What stands in a session. @param {any} store @param {string} id */
async function inspect(store, id) {
  const session = await store.open(id, "read");
  if (session.kind === "refusal") throw new Error(session.message);
  let head = id;
  let forked = 0;
  let gaps = session.problems.length;
  /** @type {string[]} */
  const turns = [];
  for (const [at, { seq, event }] of session.records.entries()) {
    if (seq !== at + 1) gaps += 1;
    if (event.type !== "nodes_added") continue;
    for (const { id: node, parentId } of event.nodes) {
      if (parentId !== head) forked += 1;
      head = node;
    }
    turns.push(event.head.slice(0, -"-answer".length));
  }
  return { turns, forked, gaps };
}

/**
 * @param {readonly Outcome[]} outcomes
 * @param {readonly { turns: readonly string[], forked: number, gaps: number }[]} found
 * @returns {Omit<Result, "ms">}
 */
function judge(outcomes, found) {
  const turns = found.flatMap((session) => session.turns);
  const there = new Set(turns);
  const told = new Set(outcomes.map(({ turn }) => turn));
  /** @type {Record<string, number>} */
  const refusals = {};
  for (const outcome of outcomes)
    for (const [code, count] of Object.entries(outcome.refusals))
      refusals[code] = (refusals[code] ?? 0) + count;
  const sum = (/** @type {readonly number[]} */ counts) => counts.reduce((total, count) => total + count, 0);
  return {
    tried: outcomes.length,
    lost: [...told].filter((turn) => !there.has(turn)).length,
    doubled: turns.length - there.size,
    forked: sum(found.map((session) => session.forked)),
    gaps: sum(found.map((session) => session.gaps)),
    strangers: [...there].filter((turn) => !told.has(turn)).length,
    retried: outcomes.filter(({ tries }) => tries > 1).length,
    tries: sum(outcomes.map(({ tries }) => tries)),
    standing: outcomes.filter(({ isStanding }) => isStanding).length,
    refusals,
  };
}
