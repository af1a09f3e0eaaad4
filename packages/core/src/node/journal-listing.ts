import type { SessionFacts } from "../conversation/index.js";
import { isSessionId, readJournal, titleOf } from "../conversation/index.js";
import { namesIn } from "./entries.js";
import { leaseHolder } from "./journal-lease.js";
import { journalPlace, journalSuffix, readWhole } from "./journal-place.js";
import type { StateFolder } from "./state-folder.js";

/** All sessions, the last changed first. Throws the system's error where the folder cannot be read. */
export function listJournals(state: StateFolder): readonly SessionFacts[] {
  const facts: SessionFacts[] = [];
  for (const name of namesIn(state.at("conversations"))) {
    const id = name.slice(0, -journalSuffix.length);
    if (!name.endsWith(journalSuffix) || !isSessionId(id)) continue;
    const place = journalPlace(state, id);
    const bytes = readWhole(place.file);
    if (bytes === undefined) continue;
    const { records } = readJournal(bytes, () => undefined);
    const events = records.map(({ event }) => event);
    const started = events.find((event) => event.type === "session_started");
    facts.push({
      id,
      title: titleOf(events),
      cwd: started?.cwd,
      createdMs: records[0]?.ts ?? 0,
      modifiedMs: records.at(-1)?.ts ?? 0,
      sizeBytes: bytes.length,
      heldBy: leaseHolder(state, place),
    });
  }
  return facts.sort((one, other) => other.modifiedMs - one.modifiedMs || (one.id < other.id ? -1 : 1));
}
