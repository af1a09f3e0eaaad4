import { escapeForDisplay } from "../../text/index.js";
import type { PlannedWrite } from "../access/change.js";
import type { Current } from "../access/current.js";
import type { Session } from "../access/session.js";
import type { Site } from "../access/site.js";
import { inside } from "../access/visit.js";
import { type Refusal, refuse } from "../values/refusal.js";
import { TimeBudget } from "../values/time-budget.js";
import { walkTree } from "./tree-walk.js";

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

/** @returns undefined where the name itself is there, or cannot be asked for: the path goes on below it. */
async function twinIn(session: Session, folder: string, name: string): Promise<string | undefined> {
  const budget = new TimeBudget(session.ports, limitMs);
  const options = { depth: 1, all: false, sizes: "none", budget } as const;
  const form = name.normalize();
  let twin = "none";
  const walked = await inside(session, folder, (target, shown) =>
    walkTree(session.ports.disk, target, shown, options, ({ entry, path }) => {
      if (entry.name.normalize() === form) twin = entry.name === name ? "" : path;
      return twin !== "";
    }),
  );
  return walked.kind === "refusal" || twin === "" ? undefined : twin;
}

function twinExists(path: string, twin: string): Refusal<"exists"> {
  const shown = escapeForDisplay(path);
  return refuse(
    "exists",
    `${shown} would be a second name that looks the same: one that differs in its Unicode form alone is there already, ${inAscii(twin)} (asked for was ${inAscii(path)}). Use that one, or another name. Nothing was written.`,
  );
}

/** As JSON writes it in ASCII, so that the two forms can be told apart, and sent back. */
function inAscii(path: string): string {
  const escaped = JSON.stringify(path).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return escaped;
}

/** A folder of very many names is not looked through to the end. */
const limitMs = 200;
