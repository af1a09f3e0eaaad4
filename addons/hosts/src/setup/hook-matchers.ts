import { isObject } from "@holdfast/core/text";
import { type ClientName, changingTools, readingTools, toolNameIn, writingTools } from "../clients.js";
import { readSettings } from "../rules/settings-text.js";
import { runsGuard } from "./client-settings.js";

/** A hook that runs before or after calls of a client's tools. */
export interface ToolHook {
  readonly event: string;
  readonly moment: HookMoment;
  readonly matcher: string;
  readonly command: string;
  /** The members from the root of the settings to the matcher. */
  readonly path: readonly (string | number)[];
  /** The matcher with our tools in it, or without them. */
  readonly wanted: string;
}

/** Which hooks are meant: those that run before a call, which they can refuse, or those after it, such as formatters. */
export type HookMoment = "before" | "after";

/**
 * The hooks in a text of settings whose matcher names tools of the client's own, and none of ours that do the same; or to
 * which a setup added ours. None in a text that cannot be read: whoever changes it says why.
 */
export function hooksToChange(
  client: ClientName,
  text: string,
  doing: "remove" | readonly HookMoment[],
): readonly ToolHook[] {
  const named = (tools: readonly string[]) => tools.map((tool) => toolNameIn(client, tool));
  return toolHooks(text).flatMap((hook) => {
    const { matcher, command, moment } = hook;
    const own = (tools: readonly string[]) => tools.some((tool) => fits(matcher, tool));
    const edits = own(ownEdits) ? named(moment === "before" ? writingTools : changingTools) : [];
    const reads = moment === "before" && own(ownReads) ? named(readingTools) : [];
    if (doing === "remove") {
      const ours = new Set(named([...writingTools, ...readingTools]));
      const wanted = matcher
        .split("|")
        .filter((name) => !ours.has(name))
        .join("|");
      return wanted === matcher || wanted === "" ? [] : [{ ...hook, wanted }];
    }
    const missed = [...edits, ...reads].filter((tool) => !fits(matcher, tool));
    if (missed.length === 0 || !doing.includes(moment) || runsGuard(command)) return [];
    return [{ ...hook, wanted: [matcher, ...missed].join("|") }];
  });
}

/** The events before and after a call, and the tools that read and change files, in the words of each client. */
const toolEvents: Readonly<Record<string, HookMoment>> = {
  PreToolUse: "before",
  BeforeTool: "before",
  PostToolUse: "after",
  AfterTool: "after",
};
const ownEdits = ["Edit", "Write", "MultiEdit", "write_file", "replace", "edit", "WriteFile"];
const ownReads = ["Read", "read_file", "ReadFile"];

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
  return Object.entries(toolEvents).flatMap(([event, moment]) => {
    const elements: unknown = hooks[event];
    return (Array.isArray(elements) ? elements : []).flatMap((element: unknown, at: number) => {
      if (!isObject(element) || typeof element.matcher !== "string") return [];
      const commands = (Array.isArray(element.hooks) ? element.hooks : []).map(
        (hook) => Object(hook).command,
      );
      return [
        {
          event,
          moment,
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
