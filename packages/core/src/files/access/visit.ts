import { excludedByOwner } from "../ignore/ignore-rules.js";
import type { Target } from "../values/disk.js";
import { isRefusal, type Refusal } from "../values/refusal.js";
import type { HistoryEntry } from "../values/stores.js";
import { cancelled } from "./call.js";
import type { Ticket } from "./keyed-mutex.js";
import { plainPath } from "./plain-path.js";
import type { Session } from "./session.js";

/** Walks to a folder or file for a look, without waiting for its turn. */
export async function inside<Result>(
  session: Session,
  path: string | undefined,
  look: (target: Target, name: string) => Promise<Result>,
): Promise<Result | Refusal> {
  const tidy = await plainPath(session, path ?? ".");
  if (isRefusal(tidy)) return tidy;
  const target = await session.ports.disk.enter(tidy.path, "refuse");
  if (isRefusal(target)) return target;
  try {
    return await look(target, tidy.path === "" ? "." : tidy.path);
  } finally {
    await target.close();
  }
}

/** What a name is spoken of for: a link that our writes made or moved itself, else what a link leads to. */
export async function enterNamed(session: Pick<Session, "ports">, path: string): Promise<Target | Refusal> {
  const isOwn = (await ownWrites(session, path))?.at(-1)?.isLink === true;
  return session.ports.disk.enter(path, "allow", isOwn ? "entry" : undefined);
}

/** The recorded writes of a name itself where a link stands now, oldest first; undefined where no link does. */
export async function ownWrites(
  { ports: { disk, history } }: Pick<Session, "ports">,
  path: string,
): Promise<readonly HistoryEntry[] | undefined> {
  const entry = await disk.enter(path, "allow", "entry");
  if (isRefusal(entry)) return undefined;
  const isLink = (await entry.look()).kind === "link";
  await entry.close();
  return isLink ? history.entries(entry.realPath) : undefined;
}

/** Walks to a path, waits for its turn there, and closes the target after the work. */
export async function atTurn<Result>(
  session: Session,
  path: string,
  work: (target: Target) => Promise<Result>,
  { missing = "refuse", ticket, signal }: AtOptions = {},
): Promise<Result | Refusal> {
  const { disk } = session.ports;
  const found = await disk.enter(path, missing);
  // An earlier request may make its folder.
  const isEarly = isRefusal(found) && found.code === "file_missing" && ticket !== undefined;
  const target = isEarly ? await disk.enter(path, "allow") : found;
  if (isRefusal(target)) return target;
  try {
    await ticket?.turn();
    const run = async () =>
      isEarly ? enterAgain(session, path, work) : ((await excludedByOwner(disk, target)) ?? work(target));
    const passed = session.mutex.run([target.realPath], run, { shared: true, signal });
    ticket?.done();
    return (await passed) ?? cancelled;
  } finally {
    await target.close();
  }
}

/** By who has the path's turn already. */
async function enterAgain<Result>(
  { ports }: Session,
  path: string,
  work: (target: Target) => Promise<Result>,
): Promise<Result | Refusal> {
  const { disk } = ports;
  const target = await disk.enter(path, "refuse");
  if (isRefusal(target)) return target;
  try {
    return (await excludedByOwner(disk, target)) ?? (await work(target));
  } finally {
    await target.close();
  }
}

interface AtOptions {
  readonly missing?: "refuse" | "allow";
  readonly ticket?: Ticket | undefined;
  readonly signal?: AbortSignal | undefined;
}
