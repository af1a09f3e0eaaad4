import { openHostMemory } from "@holdfast/core/node";
import { type Host, judge, readHookEvent, type Verdict } from "../guard/index.js";
import { exitCodes, type Invocation, readInputText } from "../shell/index.js";

/** What the hook needs of a call. */
interface HookCall {
  readonly settings: Pick<Invocation["settings"], "stateDir">;
  readonly terminal: Invocation["terminal"];
  /** Left out where no person can have called. */
  readonly misuse?: Invocation["misuse"];
}

/**
 * `holdfast guard`: a hook of Claude Code or Gemini CLI. It says nothing where a call may run. Where it
 * cannot judge it denies: a hook that fails in another way would let the call pass.
 */
export async function guardCommand({ settings, terminal, misuse }: HookCall): Promise<number> {
  if (process.stdin.isTTY) misuse?.("guard is a hook: its input is the JSON that a host writes to it");
  let host: Host = "claude";
  try {
    const input = await readInputText(undefined);
    if (typeof input !== "string") throw new Error(input.message);
    const event = readHookEvent(input);
    if (event === undefined) return exitCodes.success;
    host = event.host;
    const memory = openHostMemory(settings.stateDir, event.session);
    const verdict: Verdict =
      memory.kind === "refusal"
        ? { kind: "deny", reason: `holdfast guard: ${memory.message}` }
        : await judge(event, memory);
    if (verdict.kind === "deny" && event.moment === "before") {
      await terminal.out(`${JSON.stringify(denial(host, verdict.reason))}\n`);
    }
    return exitCodes.success;
  } catch (error) {
    terminal.err(
      `holdfast guard: the call cannot be judged: ${error instanceof Error ? error.message : error}\n`,
    );
    return blocked;
  }
}

/** The exit code that both hosts take for "this call must not run". */
const blocked = 2;

function denial(host: Host, reason: string): object {
  switch (host) {
    case "claude":
      return {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: reason,
        },
      };
    case "gemini":
      return { decision: "deny", reason };
    default:
      return host satisfies never;
  }
}
