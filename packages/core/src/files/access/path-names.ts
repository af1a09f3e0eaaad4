import type { Disk } from "../values/disk.js";
import type { FileName } from "../values/knowledge.js";
import { tidyPath } from "../values/path-policy.js";
import { isRefusal } from "../values/refusal.js";
import type { Session } from "./session.js";

/** All names of one file, for rules about paths. The first of `named` and of `real` is relative in the first root. */
export interface PathNames {
  /** Of the place as it was asked for, links not looked at. */
  readonly named: readonly string[];
  /** Of the place that this leads to, all links resolved. */
  readonly real: readonly string[];
  /** Of both, relative to the other roots that hold them. */
  readonly within: readonly string[];
}

/**
 * The names of a file by its letters and by where the walk arrived. Pure. In the first root a name is relative, then
 * absolute; in another root it is absolute: by the root as it was opened, then with its links resolved.
 *
 * @param path tidied. @param realPath where the walk arrived; without it nothing but the letters counts.
 */
export function pathNames(
  disk: Pick<Disk, "roots" | "realRoots">,
  path: string,
  realPath: string | undefined,
): PathNames {
  const [first = ""] = disk.roots;
  const asked = path.startsWith("/") ? path : joined(first, path);
  const named = formsOf(disk, asked);
  const real = realPath === undefined ? named : formsOf(disk, realPath);
  return {
    named: named.forms,
    real: real.forms,
    within: [...new Set([...named.within, ...real.within])],
  };
}

/** The names of a file; of one that cannot be reached, those of its letters. */
export async function namesOf({ ports: { disk } }: Session, path: string): Promise<PathNames> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return { named: [path], real: [path], within: [] };
  const target = await disk.enter(tidy.path, "allow", "name");
  if (isRefusal(target)) return pathNames(disk, tidy.path, undefined);
  await target.close();
  return pathNames(disk, tidy.path, target.realPath);
}

/**
 * Where a name leads by links: the real name, relative to its root where that holds it. Undefined where the name is the
 * file's own.
 */
export function leadsTo(
  disk: Pick<Disk, "roots" | "realRoots">,
  { path, realPath }: FileName,
): string | undefined {
  const { named, real } = pathNames(disk, path, realPath);
  return named.some((name) => real.includes(name)) ? undefined : real[0];
}

interface Forms {
  readonly forms: readonly string[];
  readonly within: readonly string[];
}

function formsOf({ roots, realRoots }: Pick<Disk, "roots" | "realRoots">, absolute: string): Forms {
  const found = roots.flatMap((root, at) => {
    const real = realRoots[at] ?? root;
    const rest = below(root, absolute) ?? below(real, absolute);
    return rest === undefined ? [] : [{ at, rest, forms: [joined(root, rest), joined(real, rest)] }];
  });
  const [own] = found;
  if (own === undefined) return { forms: [absolute], within: [] };
  const relative = own.at === 0 ? [own.rest] : [];
  return {
    forms: [...new Set([...relative, ...own.forms])],
    within: found.filter(({ at }) => at > 0).map(({ rest }) => rest),
  };
}

function below(root: string, absolute: string): string | undefined {
  if (absolute === root) return "";
  const folder = root.endsWith("/") ? root : `${root}/`;
  return absolute.startsWith(folder) ? absolute.slice(folder.length) : undefined;
}

function joined(root: string, rest: string): string {
  return rest === "" ? root : `${root.endsWith("/") ? root : `${root}/`}${rest}`;
}
