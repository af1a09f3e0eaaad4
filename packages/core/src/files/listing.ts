import { escapeForDisplay } from "../text/index.js";
import { type IgnoreRules, ignoreFiles, isIgnored, join, rootOf, rulesOf } from "./ignore-rules.js";
import { isRefusal, type Refusal, refuse } from "./outcome.js";
import { tidyPath } from "./path-policy.js";
import type { DirectoryEntry, Disk, Place } from "./ports.js";
import type { ListedEntry } from "./workspace-types.js";

/**
 * A folder's entries, level by level through handles, so that no link leads the walk astray: links are
 * listed, never followed. What the ignore files leave out is left out, and `.git` with it.
 */
export interface ListOptions {
  /** Levels below the folder; at least 1. */
  readonly depth: number;
  readonly limit: number;
  readonly all: boolean;
}

export interface Listing {
  readonly kind: "listing";
  readonly entries: readonly ListedEntry[];
  readonly more: boolean;
}

/** @param name how the caller names the folder; the entries' paths begin with it. */
export async function listFolder(
  disk: Disk,
  place: Place,
  name: string,
  options: ListOptions,
): Promise<Listing | Refusal> {
  const entry = await place.look();
  if (isRefusal(entry)) return entry;
  if (entry.kind === "missing")
    return refuse("file_missing", `There is no folder ${escapeForDisplay(name)}.`);
  if (entry.kind !== "directory")
    return refuse("not_a_file", `${escapeForDisplay(name)} is not a folder; read it instead.`);
  const walk = new FolderWalk(disk, rootOf(place), options);
  const rules = options.all ? [] : await walk.rulesAbove(place.relativePath);
  const refusal = await walk.descend(place, name, options.depth, rules);
  return refusal ?? { kind: "listing", entries: walk.entries, more: walk.more };
}

class FolderWalk {
  readonly entries: ListedEntry[] = [];
  more = false;

  constructor(
    private readonly disk: Disk,
    private readonly root: string,
    private readonly options: ListOptions,
  ) {}

  async rulesAbove(folder: string): Promise<readonly IgnoreRules[]> {
    const rules: IgnoreRules[] = [...(await rulesOf(this.disk, this.root, "", [".git/info/exclude"]))];
    const parts = folder.split("/").filter((part) => part !== "");
    for (let at = 0; at < parts.length; at++) {
      rules.push(...(await rulesOf(this.disk, this.root, parts.slice(0, at).join("/"), ignoreFiles)));
    }
    return rules;
  }

  async descend(
    place: Place,
    name: string,
    depth: number,
    above: readonly IgnoreRules[],
  ): Promise<Refusal | undefined> {
    const own = this.options.all ? [] : await rulesOf(this.disk, this.root, place.relativePath, ignoreFiles);
    const rules = [...above, ...own];
    const listing = await place.entries(maxScanned);
    if (isRefusal(listing)) return listing;
    this.more ||= listing.more;
    for (const entry of listing.entries) {
      const path = join(place.relativePath, entry.name);
      if (!this.options.all && (entry.name === ".git" || isIgnored(rules, path, entry.kind === "directory")))
        continue;
      if (this.entries.length >= this.options.limit) {
        this.more = true;
        return undefined;
      }
      const shown = join(name === "." ? "" : name, entry.name);
      this.entries.push(listed(shown, entry));
      if (entry.kind === "directory" && depth > 1 && entry.openable)
        await this.into(place, entry.name, shown, depth - 1, rules);
    }
    return undefined;
  }

  /** A subfolder that cannot be entered (no permission, just deleted) is listed without its inside. */
  private async into(
    place: Place,
    child: string,
    name: string,
    depth: number,
    rules: readonly IgnoreRules[],
  ): Promise<void> {
    const inside = await place.child(child);
    if (isRefusal(inside)) return;
    try {
      await this.descend(inside, name, depth, rules);
    } finally {
      await inside.close();
    }
  }
}

/** How many entries of one folder are looked at; above it the listing says that there are more. */
const maxScanned = 200_000;

function listed(path: string, entry: DirectoryEntry): ListedEntry {
  return {
    path,
    isDirectory: entry.kind === "directory",
    openable: entry.openable && !isRefusal(tidyPath(entry.name)),
    ...(entry.sizeBytes === undefined || entry.kind !== "file" ? {} : { sizeBytes: entry.sizeBytes }),
    ...(entry.kind === "link" || entry.kind === "other" ? { special: entry.kind } : {}),
  };
}
