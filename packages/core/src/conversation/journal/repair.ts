import type { ConversationEvent } from "../values/event.js";
import { mapPayloads } from "../values/event-shape.js";
import type { TurnPayload } from "../values/payload.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import { refuseNewerSession } from "../values/session-id.js";
import type { JournalProblem, OpenSession, SessionStore, TimedEvent } from "../values/store.js";
import { holdsMedia, isStored, storedMedia } from "./media.js";
import type { Loss } from "./mend.js";
import { replay } from "./replay.js";

/** What a repair found in a session, and what it would do or did. */
export interface SessionRepair {
  /** `sound`: there is nothing to repair. `planned`: nothing was touched. */
  readonly kind: "sound" | "planned" | "repaired";
  readonly id: string;
  /** What is damaged. */
  readonly problems: readonly JournalProblem[];
  /** What is lost for good, and the placeholders that stand there. */
  readonly losses: readonly Loss[];
  /** How many records could be read. */
  readonly records: number;
  /** How many there are once it is repaired, those of the placeholders included. */
  readonly written: number;
  /** Where the damaged session is kept: a file's path, or the id of a session. */
  readonly backup?: string;
}

/**
 * Writes down what a damaged session was opened as: what could be read, in its order, and placeholders where
 * records are lost. So it opens as before, is sound, and nothing that came later is lost. What was there is kept.
 *
 * @param options `apply`: without it nothing is touched, and the plan is the answer.
 * @returns `newer_version` for a session of a newer release, which is never mended; `busy` where another holds
 *   the lease; `invalid_arguments` where the store cannot do it; what the store refuses.
 */
export async function repairSession(
  store: SessionStore,
  id: string,
  options: { readonly apply: boolean },
): Promise<SessionRepair | ConversationRefusal> {
  const session = await store.open(id, options.apply ? "write" : "read");
  if (isRefusal(session)) return session;
  try {
    const newer = refuseNewerSession(id, session.problems);
    if (newer !== undefined) return newer;
    if (options.apply && session.mode === "read")
      return session.readOnlyBecause ?? refuse("read_only", `Session ${id} opened read-only.`);
    const plan = await planRepair(session);
    if (isRefusal(plan)) return plan;
    return options.apply ? await carryOut(session, plan) : plan.repair;
  } finally {
    await session.close();
  }
}

interface RepairPlan {
  readonly repair: SessionRepair;
  readonly events: readonly TimedEvent[];
}

async function planRepair(session: OpenSession): Promise<RepairPlan | ConversationRefusal> {
  const { id, records, lastSeq } = session;
  const replayed = replay(id, records, lastSeq);
  const lost = await lostMedia(session);
  if (!(lost instanceof Set)) return lost;
  const events = replayed.events.map(({ ts, event }) => ({ ts, event: withoutMedia(event, lost) }));
  const problems = [...session.problems, ...[...lost].map(lostMedium), ...replayed.problems];
  const { losses } = replayed;
  const kind = problems.length + losses.length === 0 ? "sound" : "planned";
  const counts = { records: records.length, written: events.length };
  return { repair: { kind, id, problems, losses, ...counts }, events };
}

async function carryOut(
  session: OpenSession,
  { repair, events }: RepairPlan,
): Promise<SessionRepair | ConversationRefusal> {
  if (repair.kind === "sound") return repair;
  // Whoever opens to write has cut the tail off.
  const isCut = repair.losses.length === 0 && repair.problems.every(({ what }) => what === "torn_tail");
  if (isCut) return { ...repair, kind: "repaired" };
  if (session.replace === undefined)
    return refuse(
      "invalid_arguments",
      "The store of this session cannot repair it; export it and import that.",
    );
  const replaced = await session.replace(events);
  return isRefusal(replaced) ? replaced : { ...repair, kind: "repaired", backup: replaced.backup };
}

async function lostMedia({ records, readBlob }: OpenSession): Promise<Set<string> | ConversationRefusal> {
  const names = new Set(records.flatMap(({ event }) => storedMedia(event).map(({ sha256 }) => sha256)));
  const lost = new Set<string>();
  for (const name of names) {
    const bytes = await readBlob(name);
    if (bytes === undefined) lost.add(name);
    else if (isRefusal(bytes)) return bytes;
  }
  return lost;
}

function lostMedium(sha256: string): JournalProblem {
  const message = `A medium is lost: blob ${sha256} is missing or damaged.`;
  return { line: 0, what: "missing_blob", message };
}

/** An event that says in words which media it had. */
function withoutMedia(event: ConversationEvent, lost: ReadonlySet<string>): ConversationEvent {
  return lost.size === 0 ? event : mapPayloads(event, (payload) => withWords(payload, lost));
}

function withWords(payload: TurnPayload, lost: ReadonlySet<string>): TurnPayload {
  if (!holdsMedia(payload)) return payload;
  const gone = (payload.media ?? []).filter((one) => isStored(one) && lost.has(one.sha256));
  if (gone.length === 0) return payload;
  const media = payload.media?.filter((one) => !gone.includes(one)) ?? [];
  const words = gone.map(({ mimeType }) => `[What was shown here (${mimeType}) is lost.]`);
  // Behind the text, where no offset into it moves.
  return payload.kind !== "tool_result"
    ? { ...payload, media, text: [payload.text, ...words].join("\n") }
    : { ...payload, media, output: [payload.output, ...words].join("\n") };
}
