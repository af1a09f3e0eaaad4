import { escapeForDisplay, firstDifference } from "../../text/index.js";
import type { PlannedWrite } from "../access/change.js";
import type { Current } from "../access/current.js";
import type { Session } from "../access/session.js";
import type { Site } from "../access/site.js";
import { type Refusal, refuse } from "../values/refusal.js";
import { namesIn } from "./near-names.js";

/**
 * Refuses a file that would get a new name which only differs in its Unicode form from one that is there: nobody can
 * tell the two apart, and the next call means either. A name that the file had before, or that its rename gives up,
 * is no new one.
 */
export async function refuseTwin(
  { call, change, past }: Site,
  plan: PlannedWrite,
  current: Current,
): Promise<Refusal<"exists"> | undefined> {
  if (current.kind === "file" || plan.bytes === null) return undefined;
  const twin = await twinOf(call.session, change.path);
  if (twin === undefined || twin === change.renames) return undefined;
  const { history } = await past();
  return history.length > 0 ? undefined : twinExists(change.path, twin);
}

/** The same for a folder that is to be made. */
export async function refuseTwinFolder(
  session: Session,
  path: string,
): Promise<Refusal<"exists"> | undefined> {
  const twin = await twinOf(session, path);
  return twin === undefined ? undefined : twinExists(path, twin);
}

/** The name that the new part of a path would be a twin of; only names that a listing shows. */
async function twinOf(session: Session, path: string): Promise<string | undefined> {
  const parts = path.split("/");
  for (const [at, name] of parts.entries()) {
    // Most names have one form only.
    if (name.normalize("NFC") === name.normalize("NFD")) continue;
    const folder = parts.slice(0, at).join("/");
    const found = await twinIn(session, folder === "" ? (path.startsWith("/") ? "/" : ".") : folder, name);
    if (found !== undefined) return found === "none" ? undefined : found;
  }
  return undefined;
}

/** @returns undefined where the name itself is there: the path goes on below it. */
async function twinIn(session: Session, folder: string, name: string): Promise<string | undefined> {
  const form = name.normalize();
  const found = await namesIn(session, folder, 1, (other) => other.normalize() === form);
  return found.some((path) => path.endsWith(name)) ? undefined : (found[0] ?? "none");
}

function twinExists(path: string, twin: string): Refusal<"exists"> {
  const [shown, other] = [path, twin].map(escapeForDisplay);
  return refuse(
    "exists",
    `${shown} would be a second name that looks the same: one that differs in its Unicode form alone is there already, ${other} (${firstDifference(path, twin)}). Use that one, or another name. Nothing was written.`,
  );
}
