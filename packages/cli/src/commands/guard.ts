import type { OnMismatch } from "@holdfast/core/files";
import { openHostMemory } from "@holdfast/core/node";
import { type HookEvent, type Host, readHookEvent } from "../guard/hook-event.js";
import { judge, type Verdict } from "../guard/verdict.js";
import { exitCodes } from "../shell/exit-codes.js";
import { readInputText } from "../shell/input.js";
import type { Invocation } from "../shell/invocation.js";

/** What the hook needs of a call. */
interface HookCall {
  readonly settings: Pick<Invocation["settings"], "stateDir">;
  readonly terminal: Invocation["terminal"];
  readonly flags: { readonly onMismatch?: OnMismatch | undefined };
  /** Left out where no person can have called. */
  readonly misuse?: Invocation["misuse"];
}

/**
 * `holdfast guard`: a hook of Claude Code or Gemini CLI. It says nothing where a call may run. Where it
 * cannot judge it denies: a hook that fails in another way would let the call pass.
 */
export async function guardCommand({ settings, terminal, flags, misuse }: HookCall): Promise<number> {
  if (process.stdin.isTTY) misuse?.("guard is a hook: its input is the JSON that a host writes to it");
  try {
    const input = await readInputText(undefined, eventLimits);
    if (typeof input !== "string") throw new Error(input.message);
    const answer = await answerToHook(input, { stateDir: settings.stateDir, onMismatch: flags.onMismatch });
    if (answer !== "") await terminal.out(`${answer}\n`);
    return exitCodes.success;
  } catch (error) {
    terminal.err(
      `holdfast guard: the call cannot be judged: ${error instanceof Error ? error.message : error}\n`,
    );
    return blocked;
  }
}

/**
 * What the hook says to one event.
 *
 * @param input the JSON that the host wrote.
 * @param stateDir where the memory of the hook is kept; the user's own place unless given.
 * @returns JSON for the host, "" where there is nothing to say.
 * @throws Error where the input is no event: the call cannot be judged.
 */
export async function answerToHook(
  input: string,
  {
    stateDir,
    onMismatch = "rebase-own",
  }: { readonly stateDir?: string | undefined; readonly onMismatch?: OnMismatch | undefined },
): Promise<string> {
  const event = readHookEvent(input);
  if (event === undefined) return "";
  const memory = openHostMemory(stateDir, event.session);
  const verdict: Verdict =
    memory.kind === "refusal"
      ? { kind: "deny", reason: `holdfast guard: ${memory.message}` }
      : await judge(event, { memory, onMismatch });
  const answer = answerTo(event, verdict);
  return answer === undefined ? "" : JSON.stringify(answer);
}

/** A host sends what its call says, and what a file of text held. It is held in memory several times. */
const eventLimits = { bytes: 32 * 1024 * 1024 };

/** The exit code that both hosts take for "this call must not run". */
const blocked = 2;

function answerTo({ host, moment }: HookEvent, verdict: Verdict): object | undefined {
  if (verdict.kind === "deny") return moment === "before" ? denial(host, verdict.reason) : undefined;
  if (verdict.said === undefined || moment !== "after") return undefined;
  const hookEventName = host === "claude" ? "PostToolUse" : "AfterTool";
  return { hookSpecificOutput: { hookEventName, additionalContext: verdict.said } };
}

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
