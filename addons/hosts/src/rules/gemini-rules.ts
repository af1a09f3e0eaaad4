import { relative } from "node:path";
import { isObject } from "@holdfast/core/text";
import { type Carried, left, type RulePlace, type ToolRule, toolRules } from "./permission-rules.js";
import { memberAt, textsOf } from "./settings-text.js";
import { fitsWildcard, onlyTools } from "./whole-tools.js";
import { realPathOf } from "./written-lines.js";

/** What Gemini CLI's settings take from the model, or ask about: whole tools. */
export function geminiRules(settings: unknown, place: RulePlace): readonly Carried[] {
  const { exclude, core, confirmationRequired: asked } = Object(memberAt(settings, "tools"));
  const shown = `tools.confirmationRequired in ${place.shown}`;
  const asks = textsOf(asked).map((tool) => ({ kind: "tool", tool, action: "ask", shown }) as const);
  return [
    ...toolRules(textsOf(exclude ?? memberAt(settings, "excludeTools")), place),
    ...onlyTools("gemini", core ?? memberAt(settings, "coreTools"), `tools.core in ${place.shown}`),
    ...asks,
  ];
}

/**
 * The rules of a policy file of Gemini CLI. Of those about a whole tool the one with the highest priority decides; one with
 * a pattern for the arguments counts where the path that a call names fits it.
 */
export function geminiPolicies(policies: unknown, place: RulePlace): readonly Carried[] {
  const written: unknown = memberAt(policies, "rule");
  const rules = (Array.isArray(written) ? written : [])
    .filter(isObject)
    .filter(({ modes }) => textsOf(modes).join() !== "plan")
    .toSorted((one, other) => Number(other.priority ?? 0) - Number(one.priority ?? 0));
  const names = rules.map((rule) => {
    const tools = typeof rule.toolName === "string" ? [rule.toolName] : textsOf(rule.toolName);
    return typeof rule.mcpName === "string"
      ? (tools.length === 0 ? ["*"] : tools).map((tool) => `mcp_${String(rule.mcpName)}_${tool}`)
      : tools;
  });
  return rules.flatMap((rule, at): readonly Carried[] => {
    const action = actions[String(rule.decision)];
    if (action === undefined || rule.commandPrefix !== undefined || rule.commandRegex !== undefined)
      return [];
    return (names[at] ?? []).flatMap((tool): readonly Carried[] => {
      const shown = `${tool} in ${place.shown}`;
      if (typeof rule.argsPattern === "string") return argumentRule(tool, rule.argsPattern, shown, place);
      const isOutranked = rules
        .slice(0, at)
        .some(
          ({ decision, argsPattern }, before) =>
            decision === "allow" &&
            argsPattern === undefined &&
            (names[before] ?? []).some((pattern) => fitsWildcard(pattern, tool)),
        );
      return isOutranked ? [] : [{ kind: "tool", tool, action, shown } satisfies ToolRule];
    });
  });
}

const actions: Readonly<Record<string, ToolRule["action"]>> = { deny: "deny", ask_user: "ask" };

/** The client holds such a pattern against its call as JSON; of that, we know the path. */
function argumentRule(tool: string, pattern: string, shown: string, place: RulePlace): readonly Carried[] {
  const { roots } = place;
  const denies = tool === "read_file" ? "reading" : "writing";
  if (!["read_file", "write_file", "replace", "*"].includes(tool)) return [];
  // A repository's pattern may take for ever.
  if (!/^[~/]/.test(place.shown)) return [left(shown, "an argsPattern of a project is not tried")];
  const expression = new RegExp(pattern);
  const isMeant = (path: string) => expression.test(`\0"file_path":${JSON.stringify(path)}\0`);
  const matches = (realPath: string) =>
    [realPath, ...roots.map((root) => relative(realPathOf(root), realPath))].some(isMeant);
  return [{ kind: "rule", denies, shown: `argsPattern of ${shown}`, everything: false, matches }];
}
