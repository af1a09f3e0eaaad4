import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { HostRule } from "@holdfast/core/files";
import { homeFolder } from "@holdfast/core/node";
import {
  type Carried,
  everyFile,
  left,
  mostRules,
  type RulePlace,
  toolRules,
  tooManyRules,
  unknownRules,
} from "./permission-rules.js";
import { memberAt, textsOf } from "./settings-text.js";
import { realPathOf } from "./written-lines.js";

/** The rules of `permission` in opencode: for reads and for edits the last pattern that fits decides. */
export function opencodeRules(settings: unknown, place: RulePlace): readonly Carried[] {
  const permission = memberAt(settings, "permission");
  const agents = Object.keys(Object(memberAt(settings, "agent"))).filter(
    (name) => memberAt(settings, "agent", name, "permission") !== undefined,
  );
  const off = ["read", "edit", "write"].filter((tool) => memberAt(settings, "tools", tool) === false);
  return [
    ...toolRules(off, place),
    ...(permission === "deny" ? [everyFile("reading", `permission: deny in ${place.shown}`)] : []),
    ...wildcardRule("reading", "read", permission, place),
    ...wildcardRule("writing", "edit", permission, place),
    ...agents.map((name) =>
      left(`permission of the agent ${name} in ${place.shown}`, "a server does not learn which agent calls"),
    ),
  ];
}

/** `*` stands for any letters, slashes too, and `?` for one. What is asked about is denied, if a path is named. */
function wildcardRule(
  denies: HostRule["denies"],
  key: "read" | "edit",
  permission: unknown,
  place: RulePlace,
): readonly Carried[] {
  const { shown, roots, home } = place;
  const all = memberAt(permission, "*");
  const own = memberAt(permission, key) ?? (all === "deny" ? all : undefined);
  const actions = Object.entries(typeof own === "string" ? { "*": own } : Object(own));
  if (actions.length > mostRules) return [unknownRules(place, tooManyRules)];
  const isDenied = ([path, action]: [string, unknown]) =>
    action === "deny" || (action === "ask" && path !== "*");
  const denied = actions.filter(isDenied);
  if (denied.length === 0) return [];
  const rules = actions.map(([path, action]) => ({
    isDenied: isDenied([path, action]),
    pattern: path.replace(/^(?:~|\$HOME)(?=\/|$)/, home).toLowerCase(),
  }));
  const matches = (realPath: string) =>
    roots.some((root) => {
      const names = [realPath, relative(realPathOf(root), realPath)].map((name) => name.toLowerCase());
      const last = rules.findLast(({ pattern }) => names.some((name) => fitsWildcard(pattern, name)));
      return last?.isDenied === true;
    });
  const named = denied.map(([path, action]) => `${path}: ${String(action)}`).join(", ");
  const everything = denied.length === actions.length && denied.some(([path]) => path === "*");
  return [{ kind: "rule", denies, shown: `permission.${key} (${named}) in ${shown}`, everything, matches }];
}

/** In steps at most the product of both lengths: only the last `*` is ever tried again. */
function fitsWildcard(pattern: string, text: string): boolean {
  let [at, behindStar, resume] = [0, -1, 0];
  for (let on = 0; on < text.length; ) {
    if (pattern[at] === "*") {
      at += 1;
      [behindStar, resume] = [at, on];
    } else if (pattern[at] === "?" || pattern[at] === text[on]) {
      at += 1;
      on += 1;
    } else if (behindStar >= 0) {
      resume += 1;
      [at, on] = [behindStar, resume];
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

/** What Gemini CLI's settings take from the model: whole tools. */
export function geminiRules(settings: unknown, place: RulePlace): readonly Carried[] {
  const excluded = memberAt(settings, "tools", "exclude") ?? memberAt(settings, "excludeTools");
  return toolRules(textsOf(excluded), place);
}

/** The rules of a policy file of Gemini CLI, as far as they are about whole tools. */
export function geminiPolicies(policies: unknown, place: RulePlace): readonly Carried[] {
  const rules: unknown = memberAt(policies, "rule");
  return (Array.isArray(rules) ? rules : []).flatMap((rule: unknown) => {
    const tool = memberAt(rule, "toolName");
    const names = typeof tool === "string" ? [tool] : textsOf(tool);
    if (memberAt(rule, "decision") !== "deny" || memberAt(rule, "mcpName") !== undefined) return [];
    const carried = toolRules(names, place);
    if (memberAt(rule, "argsPattern") === undefined) return carried;
    return carried.map(({ shown }) => left(shown, "its argsPattern is about another tool"));
  });
}

/** Codex writes nothing in a read-only sandbox, and neither do our tools then. */
export function codexRules(settings: unknown, place: RulePlace): readonly Carried[] {
  const profile = memberAt(settings, "profile");
  const own = typeof profile === "string" ? memberAt(settings, "profiles", profile) : undefined;
  const mode = memberAt(own, "sandbox_mode") ?? memberAt(settings, "sandbox_mode");
  const permissions = memberAt(settings, "default_permissions");
  if (mode === "read-only") return [everyFile("writing", `sandbox_mode = "read-only" in ${place.shown}`)];
  const shown = `default_permissions = ${JSON.stringify(permissions)} in ${place.shown}`;
  if (permissions === ":read-only") return [everyFile("writing", shown)];
  if (typeof permissions !== "string" || permissions.startsWith(":")) return [];
  return [left(shown, "its rules for files are not read here")];
}

/** What Zed's settings say of single tools: their patterns are about the arguments of those. */
export function zedRules(settings: unknown, { shown }: RulePlace): readonly Carried[] {
  const tools = Object.keys(Object(memberAt(settings, "agent", "tool_permissions", "tools")));
  const others = tools.filter((name) => !name.startsWith("mcp:") && !/terminal|fetch|search/.test(name));
  return others.map((name) =>
    left(`agent.tool_permissions.tools.${name} in ${shown}`, "it is about another tool"),
  );
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
