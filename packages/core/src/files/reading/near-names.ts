import type { Session } from "../access/session.js";
import { inside } from "../access/visit.js";
import { TimeBudget } from "../values/time-budget.js";
import { walkTree } from "./tree-walk.js";

/**
 * The names beside a missing file that are near to its own: the same but for letter case or Unicode form, or one
 * edit away. Only names that a listing shows, so that nothing is told of what the ignore files keep away.
 *
 * @param path as the caller named it, tidied.
 * @returns paths in byte order, three at most.
 */
export async function nearNames(session: Session, path: string): Promise<readonly string[]> {
  const at = path.lastIndexOf("/");
  const name = path.slice(at + 1);
  const budget = new TimeBudget(session.ports, limitMs);
  const options = { depth: 1, all: false, sizes: "none", budget } as const;
  const near: string[] = [];
  await inside(session, at < 0 ? "." : path.slice(0, at), (folder, shown) =>
    walkTree(session.ports.disk, folder, shown, options, ({ entry, path: other }) => {
      if (entry.kind === "file" && entry.openable && isNear(name, entry.name)) near.push(other);
      return near.length < mostNames;
    }),
  );
  return near;
}

const mostNames = 3;
/** A folder of very many names is not looked through to the end for a guess. */
const limitMs = 200;

function isNear(name: string, other: string): boolean {
  const [one, two] = [name, other].map((text) => [...text.normalize().toLowerCase()]);
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
