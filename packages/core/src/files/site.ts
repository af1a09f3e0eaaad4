import type { Subject } from "./answers.js";
import type { Call } from "./call.js";
import type { Change, Past } from "./change.js";
import type { Place } from "./ports.js";

/** A change at the place where it is to be made, under the place's lock. */
export interface Site {
  readonly call: Call;
  readonly change: Change;
  readonly place: Place;
  /** The past of the file; read once, and only for those who ask. */
  readonly past: () => Promise<Past>;
}

/** @param place open as long as the site is used, its lock held. */
export function siteOf(call: Call, change: Change, place: Place): Site {
  let loaded: Promise<Past> | undefined;
  const past = () => {
    loaded ??= loadPast(call, change, place);
    return loaded;
  };
  return { call, change, place, past };
}

/** What an answer about the site is about. */
export function subjectOf({ call, change, place }: Site): Subject {
  const file = { path: change.path, realPath: place.realPath };
  return { call, file, encoding: change.options.encoding };
}

async function loadPast(call: Call, change: Change, place: Place): Promise<Past> {
  const history = await call.session.ports.history.entries(place.realPath);
  const known = () => {
    const told = call.knowledge.states({ path: change.path, realPath: place.realPath });
    const written = history.flatMap((entry) => [entry.before, entry.after]);
    return [...told, ...written.filter((sha256) => sha256 !== null)];
  };
  return { history, known };
}
