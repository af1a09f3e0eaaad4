import { isDeepStrictEqual } from "node:util";
import { readSettings } from "../rules/settings-text.js";
import { type ClientName, changingTools, toolNameIn } from "./clients.js";
import { isObject } from "./wanted-value.js";

/** A hook of a person's that runs for the host's own edits, and for none of ours. */
export interface EditHook {
  readonly event: string;
  readonly matcher: string;
  readonly command: string;
}

/** The hooks in a text of settings that do not run for our edits; none in a text that cannot be read. */
export function missedHooks(client: ClientName, text: string): readonly EditHook[] {
  return hookElements(settingsIn(text)).flatMap(({ event, matcher, element }) => {
    const hooks: readonly unknown[] = Array.isArray(element.hooks) ? element.hooks : [];
    const commands = hooks.map((hook) => (isObject(hook) ? String(hook.command ?? hook.name ?? "") : ""));
    const isMissed =
      runsForEdits(matcher) && !matcher.endsWith(suffixFor(client)) && !runsFor(matcher, client);
    return isMissed ? [{ event, matcher, command: commands.join(", ") }] : [];
  });
}

/**
 * The text with our tools in the matchers of such hooks, or without them. Letters between the quotes of a matcher are all
 * that changes: what comes out is read again.
 *
 * @returns the text as it was where it cannot be read, or more would change.
 */
export function withMatchers(client: ClientName, text: string, doing: "add" | "remove"): string {
  const suffix = suffixFor(client);
  const changed = (matcher: string) => {
    if (doing === "remove") return matcher.endsWith(suffix) ? matcher.slice(0, -suffix.length) : matcher;
    return runsForEdits(matcher) && !runsFor(matcher, client) ? matcher + suffix : matcher;
  };
  const after = text.replace(
    /("matcher"\s*:\s*)("(?:\\.|[^"\\])*")/g,
    (whole, name: string, literal: string) => {
      const matcher: unknown = settingsIn(`[${literal}]`);
      const [given] = Array.isArray(matcher) ? matcher : [];
      const wanted = typeof given === "string" ? changed(given) : given;
      return wanted === given ? whole : name + JSON.stringify(wanted);
    },
  );
  const before = settingsIn(text);
  const wanted = isObject(before) ? withElements(before, changed) : before;
  return isDeepStrictEqual(settingsIn(after), wanted) ? after : text;
}

/** The end of a matcher that names our tools. */
function suffixFor(client: ClientName): string {
  return changingTools.map((tool) => `|${toolNameIn(client, tool)}`).join("");
}

/** The events before and after a call, in the words of each client. */
const toolEvents = ["PreToolUse", "PostToolUse", "BeforeTool", "AfterTool"];
const ownEdits = ["Edit", "Write", "MultiEdit", "write_file", "replace", "edit", "WriteFile"];

function runsForEdits(matcher: string): boolean {
  return ownEdits.some((tool) => fits(matcher, tool));
}

function runsFor(matcher: string, client: ClientName): boolean {
  return fits(matcher, toolNameIn(client, "edit_file"));
}

/** Names between bars are whole names; anything else is a pattern, and an odd one fits nothing. */
function fits(matcher: string, tool: string): boolean {
  if (matcher === "" || matcher === "*") return true;
  if (/^[\w|]+$/.test(matcher)) return matcher.split("|").includes(tool);
  try {
    return new RegExp(matcher).test(tool);
  } catch {
    return false;
  }
}

function settingsIn(text: string): unknown {
  try {
    return readSettings(text);
  } catch {
    return undefined;
  }
}

function hookElements(settings: unknown): readonly {
  readonly event: string;
  readonly matcher: string;
  readonly element: Readonly<Record<string, unknown>>;
}[] {
  const hooks = isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};
  return toolEvents.flatMap((event) => {
    const elements: unknown = hooks[event];
    return (Array.isArray(elements) ? elements : []).flatMap((element: unknown) =>
      isObject(element) && typeof element.matcher === "string"
        ? [{ event, matcher: element.matcher, element }]
        : [],
    );
  });
}

function withElements(
  settings: Readonly<Record<string, unknown>>,
  changed: (matcher: string) => string,
): unknown {
  const known = new Map(hookElements(settings).map(({ element, matcher }) => [element, changed(matcher)]));
  const hooks = isObject(settings.hooks) ? settings.hooks : {};
  const renewed = Object.entries(hooks).map(([event, elements]) => [
    event,
    Array.isArray(elements)
      ? elements.map((one) => (known.has(one) ? { ...one, matcher: known.get(one) } : one))
      : elements,
  ]);
  return settings.hooks === undefined ? settings : { ...settings, hooks: Object.fromEntries(renewed) };
}
