import type { Current } from "./current.js";
import { isRefusal, type Refusal } from "./outcome.js";
import { isSecret } from "./path-policy.js";
import type { Changed, CommitOptions, Committed, ExpectedFile, HistoryEntry, Place } from "./ports.js";
import type { Session } from "./session.js";

/** The one step that changes the disk: new bytes, or no file, in place of what was read. */
export function takeStep(
  target: Place,
  bytes: Uint8Array | null,
  current: Current,
  options: CommitOptions,
): Promise<Committed | Changed | Refusal> {
  const expected = current.kind === "file" ? expectedFile(current) : undefined;
  if (bytes !== null) return target.commit(bytes, expected ?? { kind: "absent" }, options);
  if (expected === undefined) throw new Error("a plan deletes a file that is not there");
  return target.remove(expected, options.guard);
}

/** A history entry of now, without what changed. */
export function newEntry(
  session: Session,
  place: Place,
  tool: string,
): Omit<HistoryEntry, "before" | "after"> {
  return {
    id: session.ports.newId(),
    realPath: place.realPath,
    time: session.ports.clock.now(),
    session: session.id,
    tool,
  };
}

/**
 * What another program, without our lock, put into the old file at the very moment of the step: kept,
 * recorded, so that it can be restored, and said.
 *
 * @returns a sentence for the end of the message.
 */
export async function keepDisplaced(
  session: Session,
  place: Place,
  current: Current,
  bytes: Uint8Array,
): Promise<string> {
  const sha256 = session.ports.digest(bytes);
  const kept = !isSecret(place.relativePath) && (await session.ports.blobs.put(sha256, bytes, "sure"));
  const intent = await session.ports.history.begin({
    ...newEntry(session, place, "another program"),
    before: current.kind === "file" ? current.sha256 : null,
    after: sha256,
    displaced: true,
  });
  if (!isRefusal(intent)) await intent.done();
  const where = kept
    ? `it is kept as state ${sha256.slice(0, 12)} and can be restored`
    : "it could not be kept";
  return ` At the same moment another program wrote to the old file: ${where}.`;
}

function expectedFile(current: Extract<Current, { kind: "file" }>): ExpectedFile {
  return { kind: "file", sha256: current.sha256, identity: current.identity };
}
