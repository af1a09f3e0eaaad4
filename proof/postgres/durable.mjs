import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { built } from "../machine.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

/**
 * One event a flush, one flush after the other, against a write and fdatasync on the same disk.
 *
 * @param {import("./cluster.mjs").Cluster} cluster
 * @param {number} count
 * @returns {Promise<Row>}
 */
export async function durableAppends(cluster, count) {
  const { openPostgresStore } = await import(built.postgres);
  const store = await openPostgresStore({ connection: cluster.connection, schema: "durable" });
  if (store.kind === "refusal") throw new Error(store.message);
  const payload = { kind: "task_boundary", name: "session", transformation: { kind: "clear" } };
  const root = { id: "s", parentId: null, timestamp: 0, payload };
  const session = await store.create("s", [
    { ts: 0, event: { type: "session_started", sessionId: "s", root } },
  ]);
  if (session.kind === "refusal") throw new Error(session.message);
  let refused = 0;
  const ours = await timed(count, async (at) => {
    const node = { id: `n${at}`, parentId: at === 0 ? "s" : `n${at - 1}`, timestamp: at };
    const nodes = [
      { ...node, payload: { kind: "user_message", text: "a message of some forty letters, no more" } },
    ];
    session.append({ ts: at, event: { type: "nodes_added", nodes, head: node.id } });
    if ((await session.flush()).kind === "refusal") refused += 1;
  });
  await store.close();
  const read = await openPostgresStore({ connection: cluster.connection, schema: "durable" });
  const { records } = await read.open("s", "read");
  await read.close();
  const fd = openSync(join(cluster.data, "floor"), "w");
  const line = `${"x".repeat(299)}\n`;
  const floor = await timed(count, async () => {
    writeSync(fd, line);
    fdatasyncSync(fd);
  });
  closeSync(fd);
  return {
    figure: "P4",
    what: "events flushed one after the other by one process",
    tried: count,
    bad: { refused, lost: count + 1 - records.length },
    seen: ours,
    baseline: `write + fdatasync: ${floor}`,
  };
}

/** @param {number} count @param {(at: number) => Promise<void>} act */
async function timed(count, act) {
  /** @type {number[]} */
  const times = [];
  const begun = performance.now();
  for (let at = 0; at < count; at += 1) {
    const before = performance.now();
    await act(at);
    times.push(performance.now() - before);
  }
  const rate = ((count / (performance.now() - begun)) * 1_000).toFixed(0);
  const median = times.toSorted((one, other) => one - other)[count >> 1]?.toFixed(2);
  return `${rate}/s, median ${median} ms`;
}
