import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type {
  Acknowledged,
  ConversationRefusal,
  OpenSession,
  SessionStore,
} from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { buildSync } from "esbuild";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { type Cluster, findServer, startCluster } from "../../../proof/postgres/cluster.mjs";
import { has } from "../../../test/tools.js";
import { openPostgresStore, type PostgresStoreOptions } from "../src/index.js";

const bin = findServer();
export const hasServer = has("initdb");

/** A server of our own for all tests of this package, and what they ask of it. */
export interface PostgresGround {
  cluster(): Cluster;
  /** A name of its own for every test. */
  newSchema(): string;
  open(schema: string, options?: Partial<PostgresStoreOptions>): Promise<SessionStore>;
  /** As the owner of the tables, past the store. */
  ask(sql: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** This package, built from the sources, as a file that a child process can import. */
  room(): string;
}

export function usePostgres(): PostgresGround {
  let cluster: Cluster | undefined;
  let room: string | undefined;
  let schemas = 0;
  const askers = new Map<string, pg.Pool>();
  const running = () => {
    if (cluster === undefined) throw new Error("the server is started before the first test");
    return cluster;
  };
  beforeAll(async () => {
    // No test cuts the power, so nothing has to reach the disk.
    cluster = await startCluster(bin ?? "", { isDurable: false });
  });
  afterAll(async () => {
    for (const asking of askers.values()) await asking.end();
    await cluster?.dispose();
    if (room !== undefined) rmSync(join(room, ".."), { recursive: true, force: true });
  });
  return {
    cluster: running,
    newSchema: () => {
      schemas += 1;
      return `trial_${schemas}`;
    },
    open: async (schema, options = {}) =>
      must(await openPostgresStore({ connection: running().connection, schema, ...options })),
    ask: async (sql, database = "postgres") => {
      const asking = askers.get(database) ?? new pg.Pool({ ...running().connection, database, max: 1 });
      askers.set(database, asking);
      // A server that crashes ends a connection that nobody uses; the next question opens another.
      if (asking.listenerCount("error") === 0) asking.on("error", () => undefined);
      return (await asking.query<Record<string, unknown>>(sql)).rows;
    },
    room: () => {
      room ??= builtRoom();
      return room;
    },
  };
}

/** Libraries stay where they are: those of the server cannot be put into an ES module as they come. */
const libraries = ["../package.json", "../../../packages/core/package.json"]
  .map((path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as Manifest)
  .flatMap(({ dependencies, optionalDependencies }) =>
    Object.keys({ ...dependencies, ...optionalDependencies }),
  )
  .filter((name) => !name.startsWith("@holdfast/"));

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function builtRoom(): string {
  const cache = fileURLToPath(new URL("../../../node_modules/.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  const outfile = join(mkdtempSync(join(cache, "holdfast-postgres-")), "room.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("../src/index.ts", import.meta.url))],
    outfile,
    bundle: true,
    conditions: ["holdfast-source"],
    external: libraries,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  return outfile;
}

/** The answer that was to come; anything else fails the test with what was said. */
export function must<Answer extends object>(answer: Answer | ConversationRefusal): Answer {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

/** The code of a refusal, or the kind of what came instead. */
export function codeOf(answer: object | Acknowledged | OpenSession | ConversationRefusal): string {
  if (isRefusal(answer)) return answer.code;
  return "kind" in answer ? String(answer.kind) : "answer";
}

export { until } from "../../../test/until.js";
