import { type ClientName, changingTools, toolNameIn } from "../clients.js";
import { isObject, readSettings } from "../rules/settings-text.js";
import { runsGuard } from "./client-settings.js";

/** A hook that runs before or after calls of a client's tools. */
export interface ToolHook {
  readonly event: string;
  readonly matcher: string;
  readonly command: string;
  /** The members from the root of the settings to the matcher. */
  readonly path: readonly (string | number)[];
  /** The matcher with our tools in it, or without them. */
  readonly wanted: string;
}

/**
 * The hooks in a text of settings whose matcher names the client's own edits, and none of ours; or to which a setup added
 * ours. None in a text that cannot be read: whoever changes it says why.
 */
export function hooksToChange(
  client: ClientName,
  text: string,
  doing: "add" | "remove",
): readonly ToolHook[] {
  const suffix = changingTools.map((tool) => `|${toolNameIn(client, tool)}`).join("");
  return toolHooks(text).flatMap((hook) => {
    const { matcher, command } = hook;
    const isMissed =
      !runsGuard(command) &&
      ownEdits.some((tool) => fits(matcher, tool)) &&
      !fits(matcher, toolNameIn(client, "edit_file"));
    if (doing === "add") return isMissed ? [{ ...hook, wanted: matcher + suffix }] : [];
    return matcher.endsWith(suffix) ? [{ ...hook, wanted: matcher.slice(0, -suffix.length) }] : [];
  });
}

/** The events before and after a call, and the tools that change files, in the words of each client. */
const toolEvents = ["PreToolUse", "PostToolUse", "BeforeTool", "AfterTool"];
const ownEdits = ["Edit", "Write", "MultiEdit", "write_file", "replace", "edit", "WriteFile"];

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

function toolHooks(text: string): readonly Omit<ToolHook, "wanted">[] {
  const hooks = hooksIn(text);
  return toolEvents.flatMap((event) => {
    const elements: unknown = hooks[event];
    return (Array.isArray(elements) ? elements : []).flatMap((element: unknown, at: number) => {
      if (!isObject(element) || typeof element.matcher !== "string") return [];
      const commands = (Array.isArray(element.hooks) ? element.hooks : []).map(
        (hook) => Object(hook).command,
      );
      return [
        {
          event,
          matcher: element.matcher,
          command: commands.join(", "),
          path: ["hooks", event, at, "matcher"],
        },
      ];
    });
  });
}

function hooksIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const settings = readSettings(text);
    return isObject(settings) && isObject(settings.hooks) ? settings.hooks : {};
  } catch {
    return {};
  }
}
