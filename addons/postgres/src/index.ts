import type { ConversationRefusal, SessionStore } from "@holdfast/core/conversation/values";
import type { PostgresStoreOptions } from "./store.js";

export type { MetricListener, StoreMetric, StoreOperation } from "./asking.js";
export type { PostgresConnection } from "./pool.js";
export type { PostgresStoreOptions } from "./store.js";

/**
 * Keeps sessions in a PostgreSQL server, for programs on many machines (docs/postgres.md). The tables are
 * made where they are missing. The libraries for it are loaded with the first call and by nothing else.
 *
 * @returns `newer_version` where the tables were made by a newer release, `permission_denied`,
 *   `invalid_arguments`, `store_failed`.
 */
export async function openPostgresStore(
  options: PostgresStoreOptions,
): Promise<SessionStore | ConversationRefusal> {
  const { openStore } = await import("./store.js");
  return await openStore(options);
}
