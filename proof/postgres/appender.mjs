/**
 * One of several processes that write turns into the same sessions. Its one argument is JSON, an `Order`;
 * on stdout it says what became of every turn, one JSON line each, an `Outcome`.
 */
import { setTimeout as pause } from "node:timers/promises";

/**
 * @typedef {object} Order
 * @property {string} room the module that exports `openPostgresStore`
 * @property {object} connection
 * @property {string} schema
 * @property {number} leaseMs
 * @property {string} name of this process
 * @property {readonly string[]} sessions it writes into them in turn
 * @property {number} turns
 * @property {number} thinkMs between opening a session and writing the turn, at the most
 */

/**
 * @typedef {object} Outcome
 * @property {string} turn
 * @property {string} session
 * @property {number} tries 1 where it went at once
 * @property {Readonly<Record<string, number>>} refusals by code and place
 * @property {boolean} isStanding it was refused, and found to be there afterwards
 */

/** @type {Order} */
const order = JSON.parse(process.argv[2] ?? "{}");
const { openPostgresStore } = await import(order.room);
const store = await openPostgresStore({
  connection: order.connection,
  schema: order.schema,
  leaseMs: order.leaseMs,
  holder: order.name,
});
if (store.kind === "refusal") throw new Error(store.message);
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
for (let at = 0; at < order.turns; at += 1) {
  const session = order.sessions[at % order.sessions.length] ?? "";
  process.stdout.write(`${JSON.stringify(await write(session, `${order.name}-${at}`))}\n`);
}
await store.close();
process.stdin.destroy();

/** Until it is acknowledged. @param {string} session @param {string} turn @returns {Promise<Outcome>} */
async function write(session, turn) {
  /** @type {Record<string, number>} */
  const refusals = {};
  const refused = (/** @type {string} */ what) => {
    refusals[what] = (refusals[what] ?? 0) + 1;
  };
  for (let tries = 1; ; tries += 1) {
    const answer = await tryOnce(session, turn, refused);
    if (answer !== "refused") return { turn, session, tries, refusals, isStanding: answer === "standing" };
    await pause(Math.random() * Math.min(200, 5 * tries));
  }
}

/**
 * @param {string} id
 * @param {string} turn
 * @param {(what: string) => void} refused
 * @returns {Promise<"acknowledged" | "standing" | "refused">}
 */
async function tryOnce(id, turn, refused) {
  const session = await store.open(id, "write");
  if (session.kind === "refusal") {
    refused(`${session.code} at opening`);
    return "refused";
  }
  try {
    if (headsOf(session.records).includes(`${turn}-answer`)) return "standing";
    if (order.thinkMs > 0) await pause(Math.random() * order.thinkMs);
    // The same session goes on where the server was away: what was refused must not be there then.
    for (;;) {
      session.append(eventOf(turn, headsOf(session.records).at(-1) ?? id));
      const answer = await session.flush();
      if (answer.kind === "acknowledged") return "acknowledged";
      refused(`${answer.code} at flush`);
      if (answer.code !== "store_failed") return "refused";
      await pause(50);
    }
  } finally {
    await session.close();
  }
}

/** Where the head stood, one after the other. @param {readonly any[]} records */
function headsOf(records) {
  return records.flatMap(({ event }) => (event.type === "nodes_added" ? [event.head] : []));
}

/** A question and its answer, as one event. @param {string} turn @param {string} head */
function eventOf(turn, head) {
  const timestamp = Date.now();
  const [asked, answer] = [`${turn}-asked`, `${turn}-answer`];
  const nodes = [
    { id: asked, parentId: head, timestamp, payload: { kind: "user_message", text: `${turn}?` } },
    { id: answer, parentId: asked, timestamp, payload: { kind: "model_message", text: `${turn}!` } },
  ];
  return { ts: timestamp, event: { type: "nodes_added", nodes, head: answer, turn: true } };
}
