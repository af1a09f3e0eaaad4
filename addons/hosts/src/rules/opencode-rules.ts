import { relative } from "node:path";
import { isObject } from "@holdfast/core/text";
import { readingTools, toolNameIn, writingTools } from "../clients.js";
import type { Carried, CarriedRule, RulePlace } from "./permission-rules.js";
import { memberAt } from "./settings-text.js";
import { fitsWildcard } from "./whole-tools.js";
import { realPathOf } from "./written-lines.js";

/** One line of opencode's permissions; of those that fit the last one decides. */
interface Permission {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

type Roots = Pick<RulePlace, "roots" | "home">;

/** An agent's permissions: what opencode sets for it, then the settings', then its own. */
interface Agent {
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** What opencode sets for each agent that can be given work (tried with `opencode agent list` of 1.18.33). */
const envAsked = { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" };
const builtIn: Readonly<Record<string, object>> = {
  build: {},
  general: {},
  plan: { edit: { "*": "deny", ".opencode/plans/*.md": "allow" } },
  explore: { "*": "deny", read: "allow" },
};

/**
 * What opencode refuses or asks one of its agents. A server does not learn which agent calls: so what any agent is refused
 * is refused, unless opencode refuses that agent our tools as well. Setup writes that down for `plan` and all unknown ones.
 *
 * @param parts the settings in the order in which opencode puts them together.
 */
export function opencodeRules(parts: readonly unknown[], place: Roots): readonly Carried[] {
  return agentsIn(parts).flatMap((agent) => [
    ...agentRule(agent, "reading", "read", place),
    ...agentRule(agent, "writing", "edit", place),
  ]);
}

/** What an agent may do with any file of no name in particular: what setup copies. */
export function opencodeActions(parts: readonly unknown[], key: "read" | "edit") {
  const actions = agentsIn(parts).map(
    ({ name, permissions }) => [name, actionOf(permissions, key, ["*"])] as const,
  );
  return new Map(actions);
}

/**
 * An agent of a Markdown file: its settings stand before its text, in YAML, which is not read. So it counts as refused
 * everything; where it may allow our tools in spite of the settings, they count as allowed.
 */
export function opencodeAgentFile(name: string, text: string): unknown {
  const [, front = ""] = /^---\r?\n([\s\S]*?)^---/m.exec(text) ?? [];
  const isFree = !/^\s*(?:permission|tools)\s*:/m.test(front);
  const mayAllow = /["']?\*["']?\s*:|holdfast|permission:[ \t]*["']?\w/.test(front);
  const refused = { edit: "deny", read: "deny", ...(mayAllow ? { "holdfast_*": "allow" } : {}) };
  return { agent: { [name]: isFree ? {} : { permission: refused } } };
}

function agentsIn(parts: readonly unknown[]): readonly Agent[] {
  const settings = parts.reduce(merged, {});
  const all = permissionOf(settings);
  const named = Object(memberAt(settings, "agent"));
  const modes = Object(memberAt(settings, "mode"));
  const names = new Set([...Object.keys(builtIn), ...Object.keys(named), ...Object.keys(modes)]);
  return [...names].flatMap((name) => {
    const own = merged(modes[name] ?? {}, named[name] ?? {});
    if (memberAt(own, "disable") === true) return [];
    const before = flat({ "*": "allow", read: envAsked, ...builtIn[name] });
    return [{ name, permissions: [...before, ...flat(all), ...flat(permissionOf(own))] }];
  });
}

/** `tools` says the same in an older way, and less strongly. */
function permissionOf(settings: unknown): unknown {
  const tools = Object.entries(Object(memberAt(settings, "tools"))).map(([tool, isOn]) => [
    /^(?:write|edit|patch)$/.test(tool) ? "edit" : tool,
    isOn === false ? "deny" : "allow",
  ]);
  return merged(Object.fromEntries(tools), memberAt(settings, "permission") ?? {});
}

function flat(permission: unknown): readonly Permission[] {
  if (typeof permission === "string") return [{ permission: "*", pattern: "*", action: permission }];
  return Object.entries(Object(permission)).flatMap(([key, value]) =>
    Object.entries(typeof value === "string" ? { "*": value } : Object(value)).map(([pattern, action]) => ({
      permission: key,
      pattern,
      action: String(action),
    })),
  );
}

function merged(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return other;
  const both = Object.entries(other).map(([name, value]) => [
    name,
    name in one ? merged(one[name], value) : value,
  ]);
  return { ...one, ...Object.fromEntries(both) };
}

function actionOf(permissions: readonly Permission[], asked: string, names: readonly string[]): string {
  const last = permissions.findLast(
    ({ permission, pattern }) =>
      fitsWildcard(permission, asked) && names.some((name) => fitsWildcard(pattern, name)),
  );
  return last?.action ?? "ask";
}

const strengths = ["allow", "ask", "deny"];

function agentRule(
  { name, permissions }: Agent,
  denies: CarriedRule["denies"],
  key: "read" | "edit",
  { roots, home }: Roots,
): readonly CarriedRule[] {
  const ours = denies === "reading" ? readingTools : writingTools;
  const strength = (asked: string, names = ["*"]) => strengths.indexOf(actionOf(permissions, asked, names));
  const allowed = Math.min(...ours.map((tool) => strength(toolNameIn("opencode", tool))));
  const own = permissions
    .filter(({ permission }) => fitsWildcard(permission, key))
    .map((one) => ({ ...one, pattern: one.pattern.replace(/^(?:~|\$HOME)(?=\/|$)/, home) }));
  const stricter = own.filter(({ action }) => strengths.indexOf(action) > allowed);
  if (stricter.length === 0) return [];
  const matches = (realPath: string) =>
    roots.some((root) => {
      const names = [realPath, relative(realPathOf(root), realPath)];
      return strengths.indexOf(actionOf(own, key, names)) > allowed;
    });
  const listed = stricter.map(({ pattern, action }) => `${pattern}: ${action}`).join(", ");
  const shown = `permission.${key} of opencode's agent ${name} (${listed})`;
  return [{ kind: "rule", denies, shown, everything: false, matches }];
}
