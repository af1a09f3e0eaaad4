import type { Target } from "../values/disk.js";
import type { Subject } from "./answers.js";
import type { Call } from "./call.js";
import type { Change, Past } from "./change.js";
import { findState, readsOf } from "./kept-states.js";
import { ownWrites } from "./visit.js";

/** A change and its target, under the target's lock. */
export interface Site {
  readonly call: Call;
  readonly change: Change;
  readonly target: Target;
  /** The past of the file; read once, and only for those who ask. */
  readonly past: () => Promise<Past>;
}

/** @param target open as long as the site is used, its lock held. */
export function siteOf(call: Call, asked: Change, target: Target): Site {
  const change = call.session.guards.isInPlace(target.relativePath) ? inPlace(asked) : asked;
  let loaded: Promise<Past> | undefined;
  const past = () => {
    loaded ??= loadPast(call, change, target);
    return loaded;
  };
  return { call, change, target: target, past };
}

/** The same change, written into the file that is there. */
export function inPlace(change: Change): Change {
  return { ...change, options: { ...change.options, inPlace: true } };
}

/** What an answer about the site is about. */
export function subjectOf({ call, change, target }: Site): Subject {
  const file = { path: change.path, realPath: target.realPath };
  return { call, file, encoding: change.options.encoding };
}

async function loadPast(call: Call, change: Change, target: Target): Promise<Past> {
  const history = await call.session.ports.history.entries(target.realPath);
  const reads = await call.session.ports.history.entries(readsOf(target.realPath));
  const entries = [...history, ...reads].toSorted((one, other) => one.time - other.time);
  const known = () => {
    const told = call.knowledge.states({ path: change.path, realPath: target.realPath });
    const written = entries.flatMap((entry) => [entry.before, entry.after]);
    return [...told, ...written.filter((sha256) => sha256 !== null)];
  };
  const hasOthers = async () =>
    ((await call.session.ports.history.ofOtherFolder?.(target.realPath)) ?? []).length > 0;
  const named = async () => (await ownWrites(call.session, change.path)) ?? [];
  const find = async (sha256: string) => {
    const kept = await findState(call.session, target, sha256);
    const told = entries.filter(({ access }) => access !== undefined);
    const last = told.findLast(({ before, after }) => before === sha256 || after === sha256) ?? told.at(-1);
    return kept === undefined ? undefined : { ...kept, access: last?.access };
  };
  return { history, named, known, hasOthers, find };
}
