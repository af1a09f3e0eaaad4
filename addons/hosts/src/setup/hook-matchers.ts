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
    const isMissed = runsForEdits(matcher) && !runsFor(matcher, client);
    return isMissed ? [{ event, matcher, command: commands.join(", ") }] : [];
  });
}

/** What is to be set so that such hooks run for our edits, or for the host's own alone again. */
export function matcherSettings(
  client: ClientName,
  text: string,
  doing: "add" | "remove",
): readonly { readonly path: readonly (string | number)[]; readonly value: string }[] {
  const suffix = suffixFor(client);
  return hookElements(settingsIn(text)).flatMap(({ event, at, matcher }) => {
    const isOurs = matcher.endsWith(suffix);
    const path = ["hooks", event, at, "matcher"];
    if (doing === "remove") return isOurs ? [{ path, value: matcher.slice(0, -suffix.length) }] : [];
    return runsForEdits(matcher) && !runsFor(matcher, client) ? [{ path, value: matcher + suffix }] : [];
  });
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
  /** Its place in the list of the event. */
  readonly at: number;
  readonly matcher: string;
  readonly element: Readonly<Record<string, unknown>>;
}[] {
  const hooks = isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};
  return toolEvents.flatMap((event) => {
    const elements: unknown = hooks[event];
    return (Array.isArray(elements) ? elements : []).flatMap((element: unknown, at: number) =>
      isObject(element) && typeof element.matcher === "string"
        ? [{ event, at, matcher: element.matcher, element }]
        : [],
    );
  });
}
