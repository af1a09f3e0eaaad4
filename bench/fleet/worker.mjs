/**
 * One of many processes that serve turns: each turn opens a session, adds to it, flushes and closes, as a stateless
 * worker does. Says what was acknowledged, a line each. Its argument is JSON.
 */
import { setTimeout as pause } from "node:timers/promises";
import { conversation, must, openPostgres } from "../context/engine.mjs";

/** @type {{ connection: object, schema: string, name: string, ids: readonly string[], seconds: number }} */
const order = JSON.parse(process.argv[2] ?? "{}");
const { openPostgresStore } = await openPostgres();
const store = must(
  await openPostgresStore({
    connection: order.connection,
    schema: order.schema,
    holder: order.name,
    leaseMs: 5_000,
    retryMs: 60_000,
    timeoutMs: 60_000,
  }),
);
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.destroy();
let counter = 0;
const ids = () => {
  counter += 1;
  return `${order.name}-${counter}`;
};
const end = Date.now() + order.seconds * 1_000;
while (Date.now() < end) {
  const id = order.ids[Math.floor(Math.random() * order.ids.length)] ?? "";
  const begun = performance.now();
  const said = await turn(id);
  process.stdout.write(`${JSON.stringify({ ...said, ms: Math.round(performance.now() - begun) })}\n`);
  if (said.code !== undefined) await pause(50);
}
await store.close();

/** @param {string} id @returns {Promise<{ readonly session?: string, readonly node?: string, readonly code?: string }>} */
async function turn(id) {
  const opened = await conversation.openConversation(store, id, "write", { ids, now: Date.now });
  if (opened.kind === "refusal") return { code: `${opened.code} at opening` };
  must(opened.manager.commitStagedItems(`a question of ${order.name}`));
  const node = must(opened.manager.addNode({ kind: "model_message", text: "and its answer" }));
  const flushed = await opened.manager.flush();
  await opened.close();
  return flushed.kind === "acknowledged"
    ? { session: id, node: node.id }
    : { code: `${flushed.code} at flush` };
}
