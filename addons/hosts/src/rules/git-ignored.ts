import { dirname, join } from "node:path";
import { type HostRule, matchesLines } from "@holdfast/core/files";
import { readForeignText } from "@holdfast/core/node";
import { absoluteLines } from "./written-lines.js";

/**
 * What the `.gitignore` files of a project leave out, those of its folders too, as a host keeps its own tools away from it.
 *
 * @param tops the outermost folders whose files count.
 */
export function gitIgnored(tops: readonly string[]): HostRule["matches"] {
  let known = new Map<string, FolderRules>();
  let sinceMs = Number.NEGATIVE_INFINITY;
  const of = (folder: string): FolderRules => {
    const found = known.get(folder) ?? look(folder, tops.includes(folder) ? undefined : of(dirname(folder)));
    known.set(folder, found);
    return found;
  };
  return (realPath, walked) => {
    if (!tops.some((top) => realPath.startsWith(`${top}/`))) return false;
    if (performance.now() - sinceMs > freshMs) [known, sinceMs] = [new Map(), performance.now()];
    return of(dirname(realPath)).matches(realPath, walked);
  };
}

interface FolderRules {
  readonly lines: readonly string[];
  readonly matches: HostRule["matches"];
}

/** The rules of a folder come behind those of the folder above, and the last one that fits decides. */
function look(folder: string, above: FolderRules = { lines: [], matches: () => false }): FolderRules {
  const names = [".gitignore", ...(above.lines.length === 0 ? [".git/info/exclude"] : [])];
  const own = names.flatMap((name) => {
    const found = readForeignText(join(folder, name), { limitBytes: 256 * 1024 });
    const lines = found.kind === "read" ? found.text.split(/\r?\n/) : found.kind === "absent" ? [] : ["*"];
    return lines.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  });
  if (own.length === 0) return above;
  const lines = [...above.lines, ...own.flatMap((line) => absoluteLines(line, folder))];
  return { lines, matches: matchesLines(lines.join("\n")) };
}

/** A search asks for every entry: a file of rules that changed counts a moment later. */
const freshMs = 1_000;
