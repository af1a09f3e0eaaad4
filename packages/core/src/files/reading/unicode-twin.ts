import { escapeForDisplay, firstDifference, looksOf } from "../../text/index.js";
import type { PlannedWrite } from "../access/change.js";
import type { Current } from "../access/kept-states.js";
import type { Site } from "../access/landing.js";
import type { Session } from "../access/session.js";
import { type Refusal, refuse } from "../values/refusal.js";
import { namesIn } from "./near-names.js";

/**
 * Refuses a file that would get a new name which only differs in its Unicode form from one that is there: nobody can
 * tell the two apart, and the next call means either. A pattern, which was meant to find files, is refused as well. A name that
 * the file had before, or that its rename gives up, is no new one.
 *
 * @returns a sentence for the end of the message where a name there looks like it; else "".
 */
export async function judgeName(
  { call, change, past }: Site,
  plan: PlannedWrite,
  current: Current,
): Promise<Refusal | string> {
  if (current.kind === "file" || plan.bytes === null) return "";
  const isPattern = /\*|\{[^{}]*,[^{}]*\}/u.test(change.path);
  const twin = await twinOf(call.session, change.path);
  if (!isPattern && (twin === undefined || twin.path === change.renames)) return "";
  if ((await past()).history.length > 0) return "";
  const pattern = `${escapeForDisplay(change.path)} is a pattern, and no name for a new file. Nothing was written.`;
  if (isPattern) return refuse("invalid_arguments", pattern);
  if (twin === undefined) return "";
  return twin.isSame ? twinExists(change.path, twin.path) : besideTwin(twin.path, change.path);
}

/** The same for a folder that is to be made. */
export async function refuseTwinFolder(
  session: Session,
  path: string,
): Promise<Refusal<"exists"> | undefined> {
  const twin = await twinOf(session, path);
  return twin?.isSame ? twinExists(path, twin.path) : undefined;
}

interface Twin {
  readonly path: string;
  /** Whether only the Unicode form differs. */
  readonly isSame: boolean;
}

/** The name that the new part of a path would be a twin of; only names that a listing shows. */
async function twinOf(session: Session, path: string): Promise<Twin | undefined> {
  const parts = path.split("/");
  for (const [at, name] of parts.entries()) {
    const isLast = at === parts.length - 1;
    // Most names have one form only, and of a folder nothing else matters.
    if (!isLast && name.normalize("NFC") === name.normalize("NFD")) continue;
    const folder = parts.slice(0, at).join("/");
    const form = isLast ? looksOf : (text: string) => text.normalize();
    const start = folder === "" ? (path.startsWith("/") ? "/" : ".") : folder;
    const own = form(name);
    const found = await namesIn(session, start, 1, (other) => form(other) === own);
    const names = found.map(bareName);
    if (names.includes(name)) continue;
    const same = names.findIndex((other) => other.normalize() === name.normalize());
    const twin = found[Math.max(0, same)];
    return twin === undefined ? undefined : { path: twin, isSame: same >= 0 };
  }
  return undefined;
}

const bareName = (path: string) => path.slice(path.lastIndexOf("/") + 1);

function twinExists(path: string, twin: string): Refusal<"exists"> {
  const [shown, other] = [path, twin].map(escapeForDisplay);
  return refuse(
    "exists",
    `${shown} would be a second name that looks the same: one that differs in its Unicode form alone is there already, ${other} (${firstDifference(path, twin)}). Use that one, or another name. Nothing was written.`,
  );
}

function besideTwin(twin: string, path: string): string {
  const difference = firstDifference(bareName(path), bareName(twin), true) ?? "it is longer";
  return ` Note: beside it stands ${escapeForDisplay(twin)}, whose name looks like it (${difference}).`;
}
