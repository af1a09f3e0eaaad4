import { compileGlob, type Glob } from "./glob.js";
import { isRefusal, type Refusal } from "./refusal.js";

/** Which paths of a walk are meant. */
export interface PathFilter {
  readonly kind: "filter";
  /** @param below relative to the folder where the walk began. */
  accepts(below: string): boolean;
}

/**
 * A filter of globs that count from the folder where a walk begins. One without a slash means names on
 * every level, as in an ignore file.
 *
 * @param include none of them: every path.
 * @returns `invalid_arguments` for a glob that is too long.
 */
export async function pathFilter(
  include: readonly string[],
  exclude: readonly string[],
): Promise<PathFilter | Refusal> {
  const wanted = await compileAll(include);
  if ("kind" in wanted) return wanted;
  const unwanted = await compileAll(exclude);
  if ("kind" in unwanted) return unwanted;
  const accepts = (below: string) =>
    (wanted.length === 0 || wanted.some((glob) => glob.matches(below))) &&
    !unwanted.some((glob) => withFolders(below).some((path) => glob.matches(path)));
  return { kind: "filter", accepts };
}

/** A path and the folders that hold it: who leaves a folder out means what is in it. */
function withFolders(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

async function compileAll(patterns: readonly string[]): Promise<readonly Glob[] | Refusal> {
  const globs: Glob[] = [];
  for (const pattern of patterns) {
    const glob = await compileGlob(pattern.includes("/") ? pattern : `**/${pattern}`);
    if (isRefusal(glob)) return glob;
    globs.push(glob);
  }
  return globs;
}
