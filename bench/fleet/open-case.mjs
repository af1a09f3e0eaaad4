import { conversation, must, openPostgres } from "../context/engine.mjs";

/**
 * Opens one session in a process of its own, as a stateless worker does, and says what it took. Its argument is JSON.
 *
 * @type {{ connection: object, schema: string, id: string, snapshotEvents: number, mode: "read" | "write" }}
 */
const order = JSON.parse(process.argv[2] ?? "{}");
const { openPostgresStore } = await openPostgres();
const { connection, schema, snapshotEvents } = order;
const store = must(await openPostgresStore({ connection, schema, snapshotEvents }));
must(await store.list({ limit: 1 }));
const cpu = process.cpuUsage();
const begun = performance.now();
const opened = must(
  await conversation.openConversation(store, order.id, order.mode, {
    ids: conversation.timeSortedIds(Date.now, (bytes) =>
      new Uint8Array(bytes).map(() => Math.random() * 256),
    ),
    now: Date.now,
  }),
);
const ms = performance.now() - begun;
const { user, system } = process.cpuUsage(cpu);
const rssBytes = process.memoryUsage().rss;
const { begun: snapshot, records } = opened.session;
if (order.mode === "write") {
  must(opened.manager.addNode({ kind: "note", audience: "model", text: "opened" }));
  must(await opened.manager.flush());
}
await opened.close();
await store.close();
const nodes = opened.manager.context.nodes.size;
process.stdout.write(
  JSON.stringify({
    ms,
    cpuMs: (user + system) / 1_000,
    rssBytes,
    nodes,
    records: records.length,
    snapshot: snapshot !== undefined,
  }),
);
