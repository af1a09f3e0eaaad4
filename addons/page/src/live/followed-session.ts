import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import type { ConversationRefusal, OpenSession, SessionStore } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";

/**
 * A stored session that another process may be writing: read, never leased. Its store is asked again and again for
 * a sign of a change, and the session is read anew where there is one.
 */
export class FollowedSession {
  /** Another one as soon as something changed that is not a record at the end. */
  epoch = randomUUID();
  /** Why the session cannot be read now; what was read before stays. */
  trouble: string | undefined;
  private timer: NodeJS.Timeout;
  private isClosed = false;
  private readonly changes = new EventEmitter();

  /** @param opened all that can be read of it now. */
  private constructor(
    private readonly store: SessionStore,
    public opened: OpenSession,
    private stamp: string | undefined,
  ) {
    this.changes.setMaxListeners(0);
    this.timer = setTimeout(() => this.follow(), leastWaitMs);
  }

  /** @returns what the store refuses to read it with. */
  static async open(store: SessionStore, id: string): Promise<FollowedSession | ConversationRefusal> {
    const stamp = await stampOf(store, id);
    if (typeof stamp === "object") return stamp;
    const session = await store.open(id, "read");
    return isRefusal(session) ? session : new FollowedSession(store, session, stamp);
  }

  /** Epoch and number of records, in one word that is another one after each change. */
  get mark(): string {
    return `${this.epoch} ${this.opened.records.length} ${this.trouble ?? ""}`.trim();
  }

  /** Resolves with the next change, or after a while. */
  async changed(ms: number): Promise<void> {
    await once(this.changes, "change", { signal: AbortSignal.timeout(ms) }).catch(() => {});
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.changes.emit("change");
    await this.opened.close();
  }

  /** Looks once, and again after a while: the longer a look takes, the rarer it is. */
  private async follow(): Promise<void> {
    const began = performance.now();
    const before = this.mark;
    await this.look();
    if (this.isClosed) return;
    if (this.mark !== before) this.changes.emit("change");
    const took = performance.now() - began;
    this.timer = setTimeout(() => this.follow(), Math.max(leastWaitMs, waitFactor * took));
  }

  private async look(): Promise<void> {
    const stamp = await stampOf(this.store, this.opened.id);
    if (stamp !== undefined && stamp === this.stamp && this.trouble === undefined) return;
    const next = typeof stamp === "object" ? stamp : await this.store.open(this.opened.id, "read");
    this.trouble = isRefusal(next) ? next.message : undefined;
    if (isRefusal(next)) return;
    const last = this.opened;
    await last.close();
    this.stamp = typeof stamp === "string" ? stamp : undefined;
    this.opened = next;
    if (!goesOn(last, next)) this.epoch = randomUUID();
  }
}

const leastWaitMs = 250;
/** Following takes at most a share of one in so many of a processor. */
const waitFactor = 4;

async function stampOf(store: SessionStore, id: string): Promise<string | undefined | ConversationRefusal> {
  if (store.stampOf !== undefined) return store.stampOf(id);
  const listed = await store.list({ idPrefix: id });
  if (isRefusal(listed)) return listed;
  const facts = listed.find((one) => one.id === id);
  return facts && `${facts.modifiedMs} ${facts.sizeBytes}`;
}

/**
 * Whether all that was read before is there still, and nothing but records behind it is new. A repair gives other
 * numbers to what stands behind it, and takes problems away.
 */
function goesOn(before: OpenSession, now: OpenSession): boolean {
  const last = before.records.length - 1;
  const [old, same] = [before, now].map(({ records, problems }) => [records[last], problems]);
  return JSON.stringify(old) === JSON.stringify(same);
}
