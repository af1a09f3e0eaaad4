import { escapeForDisplay, firstDifference, looksOf } from "../../text/index.js";
import { inside } from "../access/call.js";
import type { PlannedWrite } from "../access/change.js";
import type { Current } from "../access/kept-states.js";
import type { Site } from "../access/landing.js";
import type { Session } from "../access/session.js";
import { bareName } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { TimeBudget } from "../values/time-budget.js";
import { walkTree } from "./tree-walk.js";

/**
 * The answer; where it refuses a file that is missing, with names that may be meant: near ones beside it, else the same
 * base name elsewhere. Only names that a listing shows, so that nothing is told of what the ignore files keep away.
 */
export async function withNearNames<Answer extends object>(
  session: Session,
  path: string,
  answer: Answer,
): Promise<Answer> {
  if (!isRefusal(answer) || answer.code !== "file_missing") return answer;
  const near = (await nearNames(session, bareName(path))).slice(0, mostNames).map((name) => {
    const difference = firstDifference(bareName(path), name);
    return escapeForDisplay(name) + (difference === undefined ? "" : ` (${difference})`);
  });
  const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  return { ...answer, message: answer.message + meant };
}

async function nearNames(session: Session, path: string): Promise<readonly string[]> {
  const [name = "", ...above] = path.split("/").reverse();
  const folder = above.length === 0 ? "." : path.slice(0, -name.length);
  const beside = await namesIn(session, folder, 1, (other) => isNear(name, other));
  if (beside.length > 0) return beside;
  const same = await namesIn(session, ".", deepest, (other) => fold(other) === fold(name));
  // Those that have more names in common with the missing one come first.
  const kinship = (other: string) => other.split("/").filter((own) => path.split("/").includes(own)).length;
  return same.sort((one, other) => kinship(other) - kinship(one));
}

/** The paths of the entries below a folder that have such a name, as far as a listing shows them. */
async function namesIn(
  session: Session,
  start: string,
  depth: number,
  isMeant: (name: string) => boolean,
): Promise<string[]> {
  const budget = new TimeBudget(session.ports, limitMs);
  const options = {
    depth,
    all: false,
    sizes: "none",
    budget,
    ...(depth === 1 ? { only: isMeant } : {}),
  } as const;
  const near: string[] = [];
  await inside(session, start, (folder, shown) =>
    walkTree(session.ports.disk, folder, shown, options, ({ entry, path: other }) => {
      if (entry.openable && isMeant(entry.name)) near.push(other);
      return near.length < mostFound;
    }),
  );
  return near;
}

const mostNames = 3;
const mostFound = 50;
/** A tree of very many names is not looked through to the end for a guess. */
const limitMs = 200;
const deepest = 24;

function fold(name: string): string {
  return name.normalize().toLowerCase();
}

function isNear(name: string, other: string): boolean {
  const [one, two] = [name, other].map((text) => [...fold(text)]);
  return one !== undefined && two !== undefined && isOneEdit(one, two);
}

/** Whether at most one character was added, left out, changed, or swapped with the next. */
function isOneEdit(one: readonly string[], two: readonly string[]): boolean {
  if (Math.abs(one.length - two.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === two[from]) from++;
  let end = 0;
  while (end < Math.min(one.length, two.length) - from && one.at(-1 - end) === two.at(-1 - end)) end++;
  const [left, right] = [one.slice(from, one.length - end), two.slice(from, two.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

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
    const names = found.map(lastName);
    if (names.includes(name)) continue;
    const same = names.findIndex((other) => other.normalize() === name.normalize());
    const twin = found[Math.max(0, same)];
    return twin === undefined ? undefined : { path: twin, isSame: same >= 0 };
  }
  return undefined;
}

function twinExists(path: string, twin: string): Refusal<"exists"> {
  const [shown, other] = [path, twin].map(escapeForDisplay);
  return refuse(
    "exists",
    `${shown} would be a second name that looks the same: one that differs in its Unicode form alone is there already, ${other} (${firstDifference(path, twin)}). Use that one, or another name. Nothing was written.`,
  );
}

function besideTwin(twin: string, path: string): string {
  const difference = firstDifference(lastName(path), lastName(twin), true) ?? "it is longer";
  return ` Note: beside it stands ${escapeForDisplay(twin)}, whose name looks like it (${difference}).`;
}

const lastName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
