import { escapeForDisplay } from "../../text/index.js";
import { refuseProtected } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import { excludedByOwner } from "../ignore/ignore-rules.js";
import type { Target } from "../values/disk.js";
import type { BytesOutcome, FolderOutcome, InfoOutcome } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { refuseTwinFolder } from "./near-names.js";

/** Makes a folder and those above it; one that is there already is fine. */
export async function makeFolder(session: Session, path: string): Promise<FolderOutcome> {
  if (session.readOnly) return refuse("read_only", "This workspace is read-only; nothing was written.");
  const target = await session.ports.disk.enter(path, "allow");
  if (isRefusal(target)) return target;
  try {
    const entry = await target.look();
    if (entry.kind === "directory") return { kind: "folder", path, made: false };
    if (entry.kind !== "missing")
      return refuse("exists", `${escapeForDisplay(path)} is there already and is not a folder.`);
    const flaw =
      (await refuseProtected(session, target, path)) ??
      (await excludedByOwner(session.ports.disk, target)) ??
      (await refuseTwinFolder(session, path));
    if (flaw !== undefined) return flaw;
  } finally {
    await target.close();
  }
  // The walk makes what lies above the last name.
  const inside = await session.ports.disk.enter(`${path}/.holdfast`, "create");
  if (isRefusal(inside)) return inside;
  await inside.close();
  return { kind: "folder", path, made: true };
}

/** What the system tells of an entry without opening it. */
export async function describeEntry(target: Target, path: string): Promise<InfoOutcome> {
  const facts = await target.facts();
  return isRefusal(facts) ? facts : { kind: "info", path, facts };
}

/** The bytes of a file of any kind, to be handed on: without a version, no licence to write. */
export async function readBytes(
  session: Session,
  target: Target,
  path: string,
): Promise<BytesOutcome | Refusal> {
  const read = await target.read(session.limits.mediaBytes);
  return isRefusal(read) ? read : { kind: "bytes", path, bytes: read.bytes };
}
