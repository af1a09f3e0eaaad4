import { isObject } from "@holdfast/core/text";
import { memberAt } from "../rules/settings-text.js";
import { toolsMatched } from "./tools.js";

/** A hook of our settings. */
interface Hook {
  readonly event?: string;
  readonly tool?: string;
  readonly command: string;
  readonly timeoutMs?: number;
}

/** Hooks by the moment at which they run here. */
interface FoundHooks {
  readonly beforeTool: readonly Hook[];
  readonly afterTool: readonly Hook[];
  readonly turnEnd: readonly Hook[];
  readonly unused: readonly string[];
}

/** The hooks of several files. They are told of a call as Claude Code tells them, but for the names of our tools. */
export function hooksOf(files: readonly object[], folder: string): FoundHooks {
  const found = { beforeTool: [] as Hook[], afterTool: [] as Hook[], turnEnd: [] as Hook[] };
  const unused: string[] = [];
  for (const [event, elements] of files.flatMap((settings) =>
    Object.entries(Object(memberAt(settings, "hooks"))),
  )) {
    const moment = moments.get(event);
    for (const element of Array.isArray(elements) ? elements : []) {
      const tools = toolsMatched(String(memberAt(element, "matcher") ?? ""));
      const hooks = commandsIn(memberAt(element, "hooks"), folder);
      const isUsed = moment !== undefined && hooks !== undefined && tools?.length !== 0;
      if (!isUsed) unused.push(`a hook of ${event}`);
      else if (moment === "turnEnd") found.turnEnd.push(...hooks);
      else {
        const which = {
          ...(moment === "afterTool" && { event }),
          ...(tools !== undefined && { tool: tools.join("|") }),
        };
        found[moment].push(...hooks.map((hook) => ({ ...which, ...hook })));
      }
    }
  }
  return { ...found, unused: [...new Set(unused)] };
}

const moments: ReadonlyMap<string, "beforeTool" | "afterTool" | "turnEnd"> = new Map([
  ["PreToolUse", "beforeTool"],
  ["PostToolUse", "afterTool"],
  ["PostToolUseFailure", "afterTool"],
  ["Stop", "turnEnd"],
]);

/** @returns undefined where any of them is no command, such as a prompt for a model. */
function commandsIn(given: unknown, folder: string): readonly Hook[] | undefined {
  const hooks = (Array.isArray(given) ? given : []).map((hook) => {
    if (!isObject(hook) || typeof hook.command !== "string" || hook.command === "") return undefined;
    const seconds = typeof hook.timeout === "number" && hook.timeout > 0 ? hook.timeout : undefined;
    return {
      command: `export CLAUDE_PROJECT_DIR=${quoted(folder)}; ${hook.command}`,
      ...(seconds === undefined ? {} : { timeoutMs: Math.ceil(seconds * 1_000) }),
    };
  });
  const all = hooks.filter((hook) => hook !== undefined);
  return all.length === hooks.length ? all : undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
