import { nearestName } from "@holdfast/core/tools";
import { type CheckedSettings, checkValue } from "./check-settings.js";
import { removedKeys, removedWords } from "./removed-keys.js";

/** An environment variable that sets a key. */
interface SettingsVariable {
  readonly name: string;
  readonly key: readonly [section: string, name: string];
  readonly reads: "text" | "number" | "boolean";
}

/** The variables of the environment that are settings. An empty one says nothing. */
export const settingsVariables: readonly SettingsVariable[] = [
  { name: "HOLDFAST_MODEL", key: ["model", "name"], reads: "text" },
  { name: "HOLDFAST_EFFORT", key: ["model", "effort"], reads: "text" },
  { name: "HOLDFAST_APPROVAL_MODE", key: ["approval", "mode"], reads: "text" },
  { name: "HOLDFAST_ON_MISMATCH", key: ["tools", "onMismatch"], reads: "text" },
  { name: "HOLDFAST_SHELL", key: ["shell", "enabled"], reads: "boolean" },
  { name: "HOLDFAST_SANDBOX", key: ["shell", "sandbox"], reads: "text" },
  { name: "HOLDFAST_MAX_TURNS", key: ["limits", "maxTurns"], reads: "number" },
  { name: "HOLDFAST_MAX_COST_USD", key: ["limits", "maxCostUsd"], reads: "number" },
  { name: "HOLDFAST_STORE", key: ["sessions", "store"], reads: "text" },
  { name: "HOLDFAST_TENANT", key: ["sessions", "tenant"], reads: "text" },
];

/** The other variables of the programs, which are no settings. */
const otherVariables = ["HOLDFAST_HOME", "HOLDFAST_STATE_DIR", "HOLDFAST_DEBUG", "HOLDFAST_COMMAND"];

/**
 * Variables that are written like ours and are none, a sentence each: most are slips, and a slip would go by unseen.
 */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = [...settingsVariables.map(({ name }) => name), ...otherVariables];
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith("HOLDFAST_") && !known.includes(name) && !Object.hasOwn(removedKeys, name),
    )
    .map((name) => {
      const near = nearestName(name, known);
      return `The variable ${name} means nothing here${near === undefined ? "" : `; did you mean ${near}?`}`;
    });
}

/** What the environment sets, each variable as a source of its own; a source of warnings are those that are none any more. */
export function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): readonly CheckedSettings[] {
  const set = settingsVariables.flatMap(({ name, key: [section, key], reads }) => {
    const text = environment[name] ?? "";
    if (text === "") return [];
    return [checkValue(`environment ${name}`, { [section]: { [key]: readValue(text, reads) } })];
  });
  const source = "environment";
  const warnings = Object.keys(removedKeys)
    .filter((name) => (environment[name] ?? "") !== "")
    .map((name) => ({ source, key: name, message: removedWords(name) }));
  return [...set, { source, settings: {}, problems: [], warnings }];
}

/** What is no such value stays text, which the schema then refuses in its own words. */
function readValue(text: string, reads: SettingsVariable["reads"]): unknown {
  switch (reads) {
    case "text":
      return text;
    case "number":
      return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
    default:
      return reads satisfies never;
  }
}
