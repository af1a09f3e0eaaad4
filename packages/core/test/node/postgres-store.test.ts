import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { type Cluster, findServer, startCluster } from "../../../../proof/postgres/cluster.mjs";
import { isTurnRefusal, type SessionStore } from "../../src/conversation/index.js";
import { openPostgresStore, type PostgresStoreOptions } from "../../src/node/index.js";
import { describeStore } from "../conversation/store-conformance.js";

const bin = findServer();
if (bin === undefined)
  console.warn("skipped: there is no PostgreSQL server here (Debian's package postgresql)");

describe.skipIf(bin === undefined)("PostgreSQL", () => {
  let cluster: Cluster;
  let schemas = 0;

  beforeAll(async () => {
    cluster = await startCluster(bin ?? "");
  }, 60_000);
  afterAll(async () => {
    await cluster.dispose();
  });

  const open = async (schema: string, options: Partial<PostgresStoreOptions> = {}): Promise<SessionStore> => {
    const store = await openPostgresStore({ connection: cluster.connection, schema, ...options });
    if (isTurnRefusal(store)) throw new Error(store.message);
    return store;
  };
  const ask = async (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const client = new pg.Client(cluster.connection);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const newSchema = () => {
    schemas += 1;
    return `trial_${schemas}`;
  };

  describeStore("a PostgreSQL store", async () => {
    const schema = newSchema();
    return {
      store: await open(schema),
      reopen: () => open(schema),
      // What the server answers when the disk of a table is full.
      breakGround: async () => {
        await ask(`create function ${schema}.full() returns trigger language plpgsql
          as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
          create trigger full_disk before insert on ${schema}.events execute function ${schema}.full()`);
      },
      mendGround: async () => {
        await ask(`drop trigger full_disk on ${schema}.events`);
      },
      dispose: async () => {
        await ask(`drop schema ${schema} cascade`);
      },
    };
  });
});
