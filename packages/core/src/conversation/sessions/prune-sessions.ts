import type { Pace } from "../../text/index.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import type { SessionFacts, SessionStore } from "../values/store.js";

/** Which sessions are kept. At least one of both is said; where both are, a session goes only if both let it. */
export interface Retention {
  /** Only what was changed last before this moment goes; milliseconds since the epoch. */
  readonly changedBefore?: number;
  /** So many sessions are kept whatever their age: the last changed. */
  readonly keep?: number;
  /** Whether only to say what would go. */
  readonly dryRun?: boolean;
}

/** What a retention came to, and where it was ended. */
export interface PrunedSessions {
  readonly kind: "pruned";
  /** What is gone; with `dryRun` what would go. */
  readonly removed: readonly SessionFacts[];
  /** What would have gone and stays: in use, changed meanwhile, or not to be read. */
  readonly kept: readonly SessionFacts[];
  /** False where it was ended before all was looked at. */
  readonly isWhole: boolean;
}

/**
 * Deletes sessions by age and number, in batches of which each is a short transaction where the store has such. A
 * session that somebody writes, that has changed since it was looked at, or that cannot be read, stays.
 *
 * @param pace told how many are done; may end it between two batches: what is gone then is gone.
 * @returns `invalid_arguments` where nothing is said of what to keep; what the store refuses.
 */
export async function pruneSessions(
  store: SessionStore,
  { changedBefore, keep = 0, dryRun = false }: Retention,
  pace: Pace = async () => true,
): Promise<PrunedSessions | ConversationRefusal> {
  if (changedBefore === undefined && keep === 0)
    return refuse("invalid_arguments", "A retention says an age, or how many sessions are kept.");
  const removed: SessionFacts[] = [];
  const kept: SessionFacts[] = [];
  const spared = keep === 0 ? [] : await store.list({ limit: keep });
  if (isRefusal(spared)) return spared;
  if (spared.length < keep) return { kind: "pruned", removed, kept, isWhole: true };
  const before = changedBefore === undefined ? {} : { changedBefore };
  for (let last = spared.at(-1); ; ) {
    const page = await store.list({
      ...before,
      limit: pageSessions,
      ...(last === undefined ? {} : { after: last }),
    });
    if (isRefusal(page)) return page;
    for (const batch of batchesOf(page)) {
      const done = dryRun ? wouldGo(batch) : await removeBatch(store, batch);
      if (isRefusal(done)) return done;
      removed.push(...done.removed);
      kept.push(...done.kept);
      const of = removed.length + kept.length;
      if (!(await pace({ done: of, of }))) return { kind: "pruned", removed, kept, isWhole: false };
    }
    last = page.at(-1);
    if (last === undefined || page.length < pageSessions)
      return { kind: "pruned", removed, kept, isWhole: true };
  }
}

const pageSessions = 500;
const batchSessions = 100;
const batchBytes = 16 * 1024 * 1024;

/** So that no change of a store takes long, whatever the sessions are like. */
function* batchesOf(page: readonly SessionFacts[]): Generator<readonly SessionFacts[]> {
  let batch: SessionFacts[] = [];
  let bytes = 0;
  for (const facts of page) {
    if (batch.length >= batchSessions || (batch.length > 0 && bytes + facts.sizeBytes > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(facts);
    bytes += facts.sizeBytes;
  }
  if (batch.length > 0) yield batch;
}

interface PrunedBatch {
  readonly removed: readonly SessionFacts[];
  readonly kept: readonly SessionFacts[];
}

function wouldGo(batch: readonly SessionFacts[]): PrunedBatch {
  return { removed: batch.filter(isFree), kept: batch.filter((facts) => !isFree(facts)) };
}

/** What a newer release wrote, or nobody can read, is not ours to delete by a rule. */
function isFree({ heldBy, problem }: SessionFacts): boolean {
  return heldBy === undefined && problem === undefined;
}

async function removeBatch(
  store: SessionStore,
  batch: readonly SessionFacts[],
): Promise<PrunedBatch | ConversationRefusal> {
  const { removed, kept } = wouldGo(batch);
  if (removed.length === 0) return { removed, kept };
  const answer = await store.prune(removed);
  if (isRefusal(answer)) return answer;
  const gone = new Set(answer.removed);
  return {
    removed: removed.filter(({ id }) => gone.has(id)),
    kept: [...kept, ...removed.filter(({ id }) => !gone.has(id))],
  };
}
