import { type Change, withoutState } from "./change.js";
import { LockedChange } from "./locked-change.js";
import { isRefusal, refuse } from "./outcome.js";
import type { Lock } from "./ports.js";
import type { Session } from "./session.js";
import type { WriteOutcome } from "./workspace-types.js";

/** Takes the locks, walks to the place and carries the change out. */
export async function carryOut(session: Session, change: Change): Promise<WriteOutcome> {
  if (session.readOnly)
    return withoutState(refuse("read_only", "This workspace is read-only; nothing was written."));
  const found = await session.ports.disk.enter(change.path, "allow");
  if (isRefusal(found)) return withoutState(found);
  // Straight on to the turnstile: calls about one path pass in the order of their arrival.
  return session.turnstile.pass(found.realPath, async () => {
    await found.close();
    const lock = await session.ports.locks.acquire(found.realPath, session.limits.lockMs);
    if (isRefusal(lock)) return withoutState(lock);
    try {
      return await enterLocked(session, change, found.realPath, lock);
    } finally {
      await lock.release();
    }
  });
}

async function enterLocked(
  session: Session,
  change: Change,
  realPath: string,
  lock: Lock,
): Promise<WriteOutcome> {
  const place = await session.ports.disk.enter(change.path, "allow");
  if (isRefusal(place)) return withoutState(place);
  try {
    if (place.realPath !== realPath) {
      return withoutState(
        refuse("busy", "The path came to mean another file while the lock was waited for; try again."),
      );
    }
    return await new LockedChange(session, change, place, lock).run();
  } finally {
    await place.close();
  }
}
