import { realpathSync } from "node:fs";
import { dirname, parse, resolve, sep } from "node:path";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { knownHome } from "../disk/platform.js";

/**
 * Refuses roots that nobody means, or that hold far more than a project: no name at all (an empty variable of a
 * shell would be the current folder), the whole disk, a home folder and what holds one.
 *
 * @returns `invalid_arguments`, undefined where every root may be opened. A root that does not exist is not its business.
 */
export function refuseWideRoots(roots: readonly string[]): Refusal | undefined {
  for (const root of roots) {
    const what = wideness(root);
    if (what !== undefined)
      return refuse(
        "invalid_arguments",
        `The root ${root.trim() === "" ? '""' : escapeForDisplay(resolve(root))} ${what}. Name the folder of a project; to have it none the less takes --allow-wide-root (in a program: allowWideRoot).`,
      );
  }
  return undefined;
}

function wideness(root: string): string | undefined {
  if (root.trim() === "") return "names no folder";
  const real = realPath(root);
  if (real === undefined) return undefined;
  if (real === parse(real).root) return "is the whole disk";
  const known = knownHome();
  const home = known === undefined ? undefined : realPath(known);
  if (home !== undefined && (home === real || home.startsWith(real + sep))) return "holds your home folder";
  return homes.includes(dirname(real)) ? "is a home folder" : undefined;
}

/** Folders of home folders, by custom of the system. */
const homes: readonly string[] = ["/home", "/Users"];

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(resolve(path));
  } catch {
    return undefined;
  }
}
