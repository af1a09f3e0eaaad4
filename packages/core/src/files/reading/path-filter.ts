import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { TimeBudget } from "../values/time-budget.js";
import { compileGlob, type Glob } from "./glob.js";

/** Which paths of a walk are meant. */
export interface PathFilter {
  readonly kind: "filter";
  /**
   * Not to be relied on once the budget is spent: then not all globs were asked.
   *
   * @param below relative to the folder where the walk began.
   */
  accepts(below: string): Promise<boolean> | boolean;
}

/**
 * A filter of globs that count from the folder where a walk begins. One without a slash means names on
 * every level, as in an ignore file.
 *
 * @param include none of them: every path.
 * @param budget compiling and matching rest in between and end where it is spent.
 * @returns `invalid_arguments` for a glob that is too long, `timeout` for too many.
 */
export async function pathFilter(
  include: readonly string[],
  exclude: readonly string[],
  budget: TimeBudget,
): Promise<PathFilter | Refusal> {
  const wanted = await compileAll(include, budget);
  if ("kind" in wanted) return wanted;
  const unwanted = await compileAll(exclude, budget);
  if ("kind" in unwanted) return unwanted;
  if (wanted.length + unwanted.length === 0) return everyPath;
  const accepts = async (below: string) =>
    (wanted.length === 0 || (await matchesAny(wanted, [below], budget))) &&
    (unwanted.length === 0 || !(await matchesAny(unwanted, withFolders(below), budget)));
  return { kind: "filter", accepts };
}

/** Many paths are asked for: an answer that is waited for costs more than the question. */
const everyPath: PathFilter = { kind: "filter", accepts: () => true };

async function matchesAny(
  globs: readonly Glob[],
  paths: readonly string[],
  budget: TimeBudget,
): Promise<boolean> {
  for (const glob of globs) {
    if (paths.some((path) => glob.matches(path))) return true;
    if (!budget.isDue()) continue;
    await budget.rest();
    if (budget.isSpent()) return false;
  }
  return false;
}

/** A path and the folders that hold it: who leaves a folder out means what is in it. */
function withFolders(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

async function compileAll(
  patterns: readonly string[],
  budget: TimeBudget,
): Promise<readonly Glob[] | Refusal> {
  const globs: Glob[] = [];
  // A list in one text; a name may hold a comma as well.
  const isList = (pattern: string) => /^[^{}]*,[^{}]*$/.test(pattern);
  for (const pattern of patterns.flatMap((one) => (isList(one) ? [one, ...one.split(/,\s*/)] : [one]))) {
    await budget.rest();
    if (budget.isSpent())
      return refuse("timeout", "The time was up before all globs were read: give fewer or shorter ones.");
    const glob = await compileGlob(pattern.includes("/") ? pattern : `**/${pattern}`);
    if (isRefusal(glob)) return glob;
    globs.push(glob);
  }
  return globs;
}
