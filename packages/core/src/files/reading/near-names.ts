import { escapeForDisplay, firstDifference } from "../../text/index.js";
import { inside } from "../access/call.js";
import type { Session } from "../access/session.js";
import { bareName } from "../values/path-policy.js";
import { isRefusal } from "../values/refusal.js";
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
export async function namesIn(
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
