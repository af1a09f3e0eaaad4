import pg from "pg";
import { findServer, startCluster } from "../../proof/postgres/cluster.mjs";
import { must, openPostgres } from "../context/engine.mjs";
import { postgresVersion } from "../context/postgres-server.mjs";
import { describeRun, optionsOf, publish } from "../page.mjs";
import { formatMiB, tableOf } from "../patch/table.mjs";
import { measureCrashes } from "./crash.mjs";
import { fill, plan } from "./fill.mjs";
import { measureRows } from "./rows.mjs";

/**
 * `npm run bench:fleet`: the PostgreSQL store with many sessions, many processes and a server that crashes. Prints
 * Markdown; see bench/README.md. The server's data are in a temporary folder (TMPDIR) and gone afterwards.
 */
const values = optionsOf({
  events: { type: "string" },
  sessions: { type: "string" },
  processes: { type: "string" },
  seconds: { type: "string" },
  rounds: { type: "string" },
  trigrams: { type: "boolean", default: false },
  only: { type: "string", default: "rows,crash" },
});
const [events, sessionCount, processes, seconds, rounds] = /** @type {const} */ ([
  ["events", 1_000_000, 400],
  ["sessions", 10_000, 20],
  ["processes", 64, 2],
  ["seconds", 60, 3],
  ["rounds", 20, 1],
]).map(([name, usual, least]) => Number(values[name] ?? (values.short ? least : usual)));
const parts = values.only.split(",");
const note = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
const bin = findServer();
if (bin === undefined) throw new Error("There is no PostgreSQL here (Debian package postgresql).");
const cluster = await startCluster(bin);
const schema = "holdfast";
try {
  const { openPostgresStore } = await openPostgres();
  await must(await openPostgresStore({ connection: cluster.connection })).close();
  const planned = plan(events ?? 0, sessionCount ?? 0);
  const begun = performance.now();
  await fill({ bin, connection: cluster.connection, schema }, planned, note);
  await ask("vacuum analyze");
  const filledSeconds = (performance.now() - begun) / 1_000;
  const sessions = planned.map(({ id }) => id);
  const fleet = { cluster, schema, sessions, note, ask, processes: processes ?? 0, seconds: seconds ?? 0 };
  const text = [
    describeRun("bench:fleet", [
      ["server", `${postgresVersion()}, its own configuration, beside its clients`],
      ["filled by COPY in", `${filledSeconds.toFixed(0)} s`],
    ]),
    await describeSizes(planned.reduce((sum, one) => sum + one.events, 0)),
    ...(parts.includes("rows")
      ? [
          `## One operation\n\n${await measureRows({ ...fleet, rounds: rounds ?? 0, hasTrigrams: values.trigrams })}`,
        ]
      : []),
    ...(parts.includes("crash")
      ? [`## A fleet, and a server that crashes\n\n${await measureCrashes(await withoutPruned(fleet))}`]
      : []),
  ].join("\n");
  publish("bench:fleet", "fleet-bench.md", text);
} finally {
  await cluster.dispose();
}

/** As the owner, past the store. @param {string} sql @returns {Promise<readonly Record<string, unknown>[]>} */
async function ask(sql) {
  const client = new pg.Client(cluster.connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** @param {import("./crash.mjs").Fleet} fleet @returns {Promise<import("./crash.mjs").Fleet>} */
async function withoutPruned(fleet) {
  const rows = await ask(`select id from ${schema}.sessions where id <> 'long' order by id`);
  return { ...fleet, sessions: rows.map(({ id }) => String(id)) };
}

/** @param {number} count */
async function describeSizes(count) {
  const rows =
    await ask(`select relname as name, pg_table_size(c.oid)::float8 as data, pg_indexes_size(c.oid)::float8 as indexes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where nspname = '${schema}' and relkind = 'r' and relname in ('sessions', 'events') order by 1`);
  const sizes = rows.map(({ name, data, indexes }) => [
    `${name}`,
    formatMiB(Number(data)),
    formatMiB(Number(indexes)),
    name === "events" ? `${((Number(data) + Number(indexes)) / count).toFixed(0)} B an event` : "",
  ]);
  return `## Sizes\n\n${count.toLocaleString("en")} events in ${Number(sessionCount).toLocaleString("en")} sessions.\n\n${tableOf(["table", "data", "indexes", ""], sizes)}`;
}
