import { createRequire } from "node:module";
import { built } from "../machine.mjs";

/**
 * What release 0.1 acknowledged and no client can be sent: a text and an event of more than 256 MB. The session is
 * refused, other sessions are read, listed and searched.
 *
 * @param {import("./cluster.mjs").Cluster} cluster
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function unreadableTexts({ connection }) {
  const { openPostgresStore } = await import(built.postgres);
  const pg = createRequire(built.postgres)("pg");
  const store = await openPostgresStore({ connection, schema: "unreadable" });
  if (store.kind === "refusal") throw new Error(store.message);
  for (const [id, text] of [
    ["text", "large ".repeat(10_000)],
    ["event", "small"],
    ["sound", "small"],
  ])
    await makeSession(store, id ?? "", text ?? "");
  const client = new pg.Client(connection);
  await client.connect();
  const size = 256_000_001;
  await client.query(
    `update unreadable.blobs set bytes = convert_to(repeat('x', ${size}), 'UTF8');
    update unreadable.events set body = repeat('y', ${size}) where session_id = 'event' and seq = 2`,
  );
  await client.end();
  let [served, notSaid] = [0, 0];
  for (const id of ["text", "event"])
    for (const mode of ["read", "write"]) {
      const answer = await store.open(id, mode);
      if (answer.code !== "too_large") served += 1;
      else if (!answer.message.includes(String(size))) notSaid += 1;
    }
  const page = await store.recordsHolding({ sessions: ["text", "sound"], anyOf: ["small"], limit: 10 });
  const found = page.records?.map((/** @type {any} */ { sessionId }) => sessionId).join();
  const unread = page.unread?.map((/** @type {any} */ { id }) => id).join();
  const listed = await store.list();
  const hidden = [
    found === "sound",
    unread === "text",
    listed.length === 3,
    (await store.open("sound", "read")).kind === "session",
    (await store.remove("text")).kind === "removed",
  ].filter((isSo) => !isSo).length;
  await store.close();
  const bad = { served, "size not said": notSaid, "others not served": hidden };
  return { figure: "P5", what: "a text and an event that no client can be sent", tried: 4, bad };
}

/** @param {any} store @param {string} id @param {string} text */
async function makeSession(store, id, text) {
  const boundary = { kind: "task_boundary", name: "session", transformation: { kind: "clear" } };
  const root = { id, parentId: null, timestamp: 0, payload: boundary };
  const started = { ts: 0, event: { type: "session_started", sessionId: id, root } };
  const session = await store.create(id, [started]);
  const node = { id: `${id}-1`, parentId: id, timestamp: 1, payload: { kind: "user_message", text } };
  session.append({ ts: 1, event: { type: "nodes_added", nodes: [node], head: node.id } });
  await session.flush();
  await session.close();
}
