import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeFolder } from "@holdfast/core/node";
import { type Carried, pathRule, type RulePlace } from "./permission-rules.js";
import { memberAt } from "./settings-text.js";

/**
 * The files that any of Codex's permission profiles keeps away from commands, or lets them read only: whichever is in use.
 * Whether a profile lets the project be written at all, Codex says in each call.
 */
export function codexRules(settings: unknown, place: RulePlace): readonly Carried[] {
  const profiles = Object.entries(Object(memberAt(settings, "permissions")));
  return profiles.flatMap(([name, profile]) => {
    const entries = Object.entries(Object(memberAt(profile, "filesystem")));
    // The members of a place that has a name, such as ":project_roots", count from it.
    const flat = entries.flatMap(([path, access]) =>
      typeof access === "string"
        ? [{ path: path.replace(/^\//, "//"), access }]
        : Object.entries(Object(access)).map(([inner, own]) => ({ path: inner, access: own })),
    );
    return flat.flatMap(({ path, access }): readonly Carried[] => {
      if (path === "." || path.startsWith(":")) return [];
      const shown = `${path} = ${JSON.stringify(access)} in permissions.${name} of ${place.shown}`;
      if (access === "none" || access === "deny") return [pathRule("reading", path, shown, place)];
      return access === "read" ? [pathRule("writing", path, shown, place)] : [];
    });
  });
}

/** The lists of Continue's `permissions.yaml`, in the one form that it writes itself: a name, then lines of `- …`. */
export function continueLists(text: string): Readonly<Record<string, readonly string[]>> {
  const lists: Record<string, string[]> = {};
  let name = "";
  for (const line of text.split(/\r?\n/)) {
    const [, item] = /^- *["']?(.*?)["']?$/.exec(line.trim()) ?? [];
    const [, key] = /^(\w+):\s*(?:\[\s*\])?$/.exec(line.trimEnd()) ?? [];
    if (key !== undefined) {
      name = key;
      lists[name] ??= [];
    } else if (item !== undefined) lists[name]?.push(item);
    else if (line.trim() !== "" && !line.trimStart().startsWith("#"))
      throw new SyntaxError("not a plain list");
  }
  return lists;
}

/** A root and the folders above it up to its repository, where a project's rules are; never the home folder itself. */
export function upToRepository(root: string): readonly string[] {
  const above = dirname(root);
  const isEnd = existsSync(join(root, ".git")) || above === homeFolder() || above === root;
  return isEnd ? [root] : [root, ...upToRepository(above)];
}
