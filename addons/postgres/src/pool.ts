import type { ConnectionOptions } from "node:tls";
import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { refuse } from "@holdfast/core/files/values";
import { Kysely, PostgresDialect, type PostgresPool, sql } from "kysely";
import pg from "pg";
import { isRolledBack } from "./faults.js";
import type { Database, Tables } from "./tables.js";

/** The way to a server; what is left out is taken from `PGHOST`, `PGPORT`, … as every client of it does. */
export interface PostgresConnection {
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly ssl?: boolean | ConnectionOptions;
  /** How many connections at the most; 5 where it is not said. */
  readonly max?: number;
}

/**
 * Connects with the first question, not before.
 *
 * @throws where the connection cannot be understood.
 */
export function connect(connection: string | PostgresConnection, timeoutMs: number): Database {
  const config: pg.PoolConfig = {
    max: 5,
    application_name: "holdfast",
    keepAlive: true,
    allowExitOnIdle: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    ...(typeof connection === "string" ? { connectionString: connection } : connection),
  };
  // Reads the connection now; a pool does so when it is asked something.
  new pg.Client(config);
  const pool = new pg.Pool(config);
  // A connection that breaks tells whoever asks something next; without a listener it would end the program.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withoutBroken(pool) }) });
}

/** @returns why sessions cannot be kept on this server. Throws the server's errors. */
export async function inspectServer(
  database: Database,
): Promise<ConversationRefusal<"store_failed"> | undefined> {
  const { rows } = await sql<{ readonly encoding: string }>`
    select current_setting('server_encoding') as encoding`.execute(database);
  const encoding = rows[0]?.encoding;
  if (encoding === "UTF8") return undefined;
  return refuse(
    "store_failed",
    `The database is encoded in ${encoding}, which cannot hold every text; create one in UTF8.`,
  );
}

/** Kysely gives every connection back as if it were sound; one that failed us is not used again. */
function withoutBroken(pool: pg.Pool): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect();
      let broken = false;
      // Kysely asks with a text and parameters, and without a cursor, since none is given to it.
      const query = async (text: string, parameters: readonly unknown[]) => {
        try {
          return await client.query(text, [...parameters]);
        } catch (error) {
          broken ||= !isRolledBack(error);
          throw error;
        }
      };
      // The port has an overload for cursors, which never come.
      return { query: query as never, release: () => client.release(broken) };
    },
    end: () => pool.end(),
  };
}
