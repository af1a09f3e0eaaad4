import { type ConversationRefusal, refuse } from "./refusal.js";
import type { JournalProblem, TimedEvent } from "./store.js";

/** A name that is a plain file name everywhere, and of which no two differ in their case only. */
const plainName = /^[a-z0-9][a-z0-9_-]{0,127}$/u;

/** Devices on Windows, whatever stands behind a dot. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/u;

/**
 * Whether a session can bear this id: 1 to 128 of `a-z`, `0-9`, `_` and `-`, beginning with a letter or a
 * digit. Every store holds to it, so that a session can move from one to another.
 */
export function isSessionId(id: string): boolean {
  return plainName.test(id) && !deviceName.test(id);
}

/**
 * What every store looks at before it makes a session.
 *
 * @returns `invalid_arguments` where the id cannot be one, or where the events do not begin the session.
 */
export function refuseNewSession(
  id: string,
  events: readonly TimedEvent[],
): ConversationRefusal<"invalid_arguments"> | undefined {
  if (!isSessionId(id))
    return refuse(
      "invalid_arguments",
      "The id of a session is 1 to 128 of a-z, 0-9, _ and -, beginning with a letter or a digit, and no name of a device.",
    );
  const first = events[0]?.event;
  if (first?.type !== "session_started" || first.sessionId !== id)
    return refuse("invalid_arguments", `Session ${id} has to begin with its own session_started.`);
  return undefined;
}

/** The answer of every store to an id that it does not have, or that nobody can have. */
export function refuseUnknownSession(id: string): ConversationRefusal<"unknown_session"> {
  const named = isSessionId(id) ? `There is no session ${id}.` : "There is no session of that id.";
  return refuse("unknown_session", `${named} List the sessions to see which there are.`);
}

/** The answer of every store to a second writer. @param holder who has the lease, for a person to read. */
export function refuseHeldSession(id: string, holder: string): ConversationRefusal<"busy"> {
  return refuse("busy", `Session ${id} is being written by ${holder}; open it to read, or fork it.`);
}

/** Why a session with these problems is opened to be read only; undefined where it is none of a newer release. */
export function refuseNewerSession(
  id: string,
  problems: readonly JournalProblem[],
): ConversationRefusal<"newer_version"> | undefined {
  const newer = problems.find(({ what }) => what === "newer_version" || what === "unknown_event");
  return (
    newer &&
    refuse(
      "newer_version",
      `Session ${id} was written by a newer release: ${newer.message} Update to write it.`,
    )
  );
}

/** What a store answers whose `create` was ended. */
export function refuseCancelled(id: string): ConversationRefusal<"cancelled"> {
  return refuse("cancelled", `Session ${id} was not made: that was ended before.`);
}
