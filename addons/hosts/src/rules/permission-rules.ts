import { type HostRule, matchesLines } from "@holdfast/core/files";
import { memberAt, textsOf } from "./settings-text.js";
import { absoluteLines } from "./written-lines.js";

/**
 * What became of a rule: it counts for our tools, it is about a whole tool, or it is named as one that does not count. `part`
 * is understood only with others of its kind.
 */
export type Carried =
  | CarriedRule
  | ToolRule
  | { readonly kind: "left"; readonly shown: string; readonly why: string }
  | { readonly kind: "part"; readonly value: unknown };

/** A tool, of the client or of ours, that the client refuses or asks a person about. */
export interface ToolRule {
  readonly kind: "tool";
  /** Its name; `*` stands for any letters. */
  readonly tool: string;
  readonly action: "deny" | "ask";
  readonly shown: string;
}

/** A rule that counts. */
export interface CarriedRule extends HostRule {
  readonly kind: "rule";
  /** It is about every file. */
  readonly everything: boolean;
}

/** Where a file of settings is, for the paths of its rules. */
export interface RulePlace {
  /** The file, as a person knows it. */
  readonly shown: string;
  /** The folders in which the agent works. */
  readonly roots: readonly string[];
  /** The folder of the settings: a rule that begins with one slash counts from it, or from a root. */
  readonly folder: string;
  readonly home: string;
}

/** A rule about every file. */
export function everyFile(denies: HostRule["denies"], shown: string): CarriedRule {
  return { kind: "rule", denies, shown, everything: true, matches: () => true };
}

/** What cannot be read denies everything. */
export function unknownRules({ shown }: RulePlace, why?: string): CarriedRule {
  const reason = why === undefined ? "" : ` (${why})`;
  return everyFile("reading", `${shown} cannot be read${reason}, so that nobody knows what it denies`);
}

/** Rules of one file, at most: nobody writes more, and each costs every call a look. */
export const mostRules = 2_000;
/** Why a file with more is not read. */
export const tooManyRules = `it has more than ${mostRules} rules`;

/** A rule that is named, since it does not count. */
export function left(shown: string, why: string): Carried {
  return { kind: "left", shown, why };
}

/** The rules of a file in the syntax of `.gitignore`, which keeps files away from the agent. */
export function ignoreFileRules(text: string, place: RulePlace): readonly Carried[] {
  const { shown, folder } = place;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (lines.length > mostRules) return [unknownRules(place, tooManyRules)];
  return lines.length === 0 ? [] : [linesRule("reading", shown, lines, [folder])];
}

/**
 * The rules of `permissions` as Claude Code writes them, and others after it: `Read(./secrets/**)`. What the client asks a
 * person about is denied to our tools, which cannot ask by path.
 */
export function permissionRules(settings: unknown, place: RulePlace): readonly Carried[] {
  const permissions = memberAt(settings, "permissions") ?? settings;
  const denied = ["deny", "exclude"].flatMap((list) => textsOf(memberAt(permissions, list)));
  const sandbox = memberAt(settings, "sandbox", "filesystem");
  return [
    ...denied.flatMap((rule) => toolRule(rule, `${rule} in ${place.shown}`, "deny", place)),
    ...textsOf(memberAt(permissions, "ask")).flatMap((rule) =>
      toolRule(rule, `ask: ${rule} in ${place.shown}`, "ask", place),
    ),
    ...textsOf(memberAt(sandbox, "denyRead")).map((path) =>
      pathRule("reading", path, `denyRead ${path} in ${place.shown}`, place),
    ),
    ...textsOf(memberAt(sandbox, "denyWrite")).map((path) =>
      pathRule("writing", path, `denyWrite ${path} in ${place.shown}`, place),
    ),
  ];
}

/** The rules that take whole tools from the agent, by the names of these. */
export function toolRules(names: readonly string[], place: RulePlace): readonly Carried[] {
  return names.flatMap((name) => toolRule(name, `${name} in ${place.shown}`, "deny", place));
}

function toolRule(
  rule: string,
  shown: string,
  action: ToolRule["action"],
  place: RulePlace,
): readonly Carried[] {
  const [, tool = "", given = ""] = /^([\w*-]+)\s*(?:\(([\s\S]*)\))?$/.exec(rule.trim()) ?? [];
  const path = given.trim().replace(/^(?:file_path|path|notebook_path):/, "");
  if (path === "" || path === "*")
    return tool === "" ? [] : [{ kind: "tool", tool: tool.replace(/^mcp__[a-z]+$/, "$&__*"), action, shown }];
  const denies = readers.test(tool) ? "reading" : writers.test(tool) ? "writing" : undefined;
  if (denies === undefined) return [];
  const isUnclear = path.startsWith("!") || (path.includes("[") && !path.includes("]"));
  return [isUnclear ? left(shown, "its pattern is not clear") : pathRule(denies, path, shown, place)];
}

/** A rule about a path, as Claude Code writes one. */
export function pathRule(
  denies: HostRule["denies"],
  path: string,
  shown: string,
  { roots, folder, home }: RulePlace,
): CarriedRule {
  if (path.startsWith("//")) return linesRule(denies, shown, [path.slice(1)], ["/"]);
  if (path === "~" || path.startsWith("~/"))
    return linesRule(denies, shown, [path.slice(1) || "/**"], [home]);
  if (path.startsWith("/")) return linesRule(denies, shown, [path], [...roots, folder]);
  return linesRule(denies, shown, [path.replace(/^(?:\.\/)+/, "")], roots);
}

/** A rule of lines in the syntax of `.gitignore`, for some folders. */
export function linesRule(
  denies: HostRule["denies"],
  shown: string,
  lines: readonly string[],
  folders: readonly string[],
): CarriedRule {
  let matches: HostRule["matches"] | undefined;
  // Where a path is first asked for: of a file with too many rules none is.
  const compiled = () => {
    const absolute = lines.flatMap((line) => folders.flatMap((folder) => absoluteLines(line, folder)));
    matches = matchesLines(absolute.join("\n"));
    return matches;
  };
  return {
    ...{ kind: "rule", denies, shown, everything: false },
    matches: (realPath, walked) => (matches ?? compiled())(realPath, walked),
  };
}

const readers =
  /^(?:read|read_?file|read_?many_?files|grep|grep_search|search_file_content|glob|ls|list|list_?directory|list_?files)$/i;
const writers = /^(?:edit|write|multiedit|edit_?file|write_?file|notebook_?edit|replace|apply_patch)$/i;
