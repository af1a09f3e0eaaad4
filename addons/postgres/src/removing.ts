import type { SessionFacts } from "@holdfast/core/conversation/values";
import { type Change, type Home, isFree, maxRowsPerStatement } from "./tables.js";

/**
 * Takes sessions away, with the blobs that no other one names. What is locked is what goes: the rows of these
 * sessions, and at the very end their blobs, so that others who name the same text wait for milliseconds and all
 * others for nothing. A flush that names a blob holds it by its foreign key until its commit; one that comes later finds
 * it gone, and writes it anew.
 */
export class Removing {
  constructor(private readonly home: Home) {}

  /** @returns `held` where somebody has the lease. */
  async remove(id: string): Promise<"removed" | "held" | "unknown"> {
    const { tenant } = this.home;
    return await this.home.change(async (change) => {
      const found = await change
        .selectFrom("sessions")
        .select(["id", isFree.as("is_free")])
        .where("tenant", "=", tenant)
        .where("id", "=", id)
        .forUpdate()
        .executeTakeFirst();
      if (found === undefined) return "unknown";
      if (!found.is_free) return "held";
      await this.take(change, [id]);
      return "removed";
    });
  }

  /**
   * The same for several, of which those stay that are held, were changed since they were listed, or are just being
   * worked on.
   *
   * @returns the ids of those that are gone.
   */
  async prune(
    listed: readonly Pick<SessionFacts, "id" | "modifiedMs" | "sizeBytes">[],
  ): Promise<readonly string[]> {
    const known = new Map(listed.map((facts) => [facts.id, facts]));
    return await this.home.change(async (change) => {
      const rows = await change
        .selectFrom("sessions")
        .select(["id", "modified_ms", "size_bytes"])
        .where("tenant", "=", this.home.tenant)
        .where("id", "in", [...known.keys()])
        .where(isFree)
        .orderBy("id")
        .forUpdate()
        .skipLocked()
        .execute();
      const ids = rows
        .filter((row) => known.get(row.id)?.modifiedMs === row.modified_ms)
        .filter((row) => known.get(row.id)?.sizeBytes === row.size_bytes)
        .map(({ id }) => id);
      if (ids.length > 0) await this.take(change, ids);
      return ids;
    });
  }

  private async take(change: Change, ids: readonly string[]): Promise<void> {
    const { tenant } = this.home;
    const named = await change
      .deleteFrom("session_blobs")
      .where("tenant", "=", tenant)
      .where("session_id", "in", ids)
      .returning("sha256")
      .execute();
    await change.deleteFrom("events").where("tenant", "=", tenant).where("session_id", "in", ids).execute();
    // Snapshots go with it.
    await change.deleteFrom("sessions").where("tenant", "=", tenant).where("id", "in", ids).execute();
    await this.collect(change, [...new Set(named.map(({ sha256 }) => sha256))].sort());
  }

  /** Those of these blobs go that no session names any more. Who names one now is waited for. */
  private async collect(change: Change, names: readonly string[]): Promise<void> {
    const { tenant } = this.home;
    for (let at = 0; at < names.length; at += maxRowsPerStatement) {
      const some = names.slice(at, at + maxRowsPerStatement);
      await change
        .selectFrom("blobs")
        .select("sha256")
        .where("tenant", "=", tenant)
        .where("sha256", "in", some)
        .orderBy("sha256")
        .forUpdate()
        .execute();
      // A statement of its own: it sees all that was named before the locks were given.
      await change
        .deleteFrom("blobs")
        .where("tenant", "=", tenant)
        .where("sha256", "in", some)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("session_blobs")
                .select("session_id")
                .whereRef("session_blobs.tenant", "=", "blobs.tenant")
                .whereRef("session_blobs.sha256", "=", "blobs.sha256"),
            ),
          ),
        )
        .execute();
    }
  }
}
