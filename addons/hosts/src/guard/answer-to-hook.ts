import type { OnMismatch } from "@holdfast/core/files/values";
import { openHostMemory } from "@holdfast/core/node";
import { type HookEvent, type Host, readHookEvent } from "./hook-event.js";
import { judge, type Verdict } from "./verdict.js";

/**
 * What the hook says to one event.
 *
 * @param input the JSON that the host wrote.
 * @param stateDir where the memory of the hook is kept; the user's own place unless given.
 * @param acceptEdits all that is said is that an accepted edit may run.
 * @returns JSON for the host, "" where there is nothing to say.
 * @throws Error where the input is no event: the call cannot be judged.
 */
export async function answerToHook(
  input: string,
  {
    stateDir,
    onMismatch = "rebase",
    acceptEdits,
  }: {
    readonly stateDir?: string | undefined;
    readonly onMismatch?: OnMismatch | undefined;
    readonly acceptEdits?: boolean | undefined;
  },
): Promise<string> {
  const event = readHookEvent(input);
  if (event === undefined) return "";
  if (acceptEdits === true) return event.isAccepted ? JSON.stringify(decisionOfClaude("allow")) : "";
  const memory = openHostMemory(stateDir, event.session);
  const verdict: Verdict =
    memory.kind === "refusal"
      ? { kind: "deny", reason: `holdfast guard: ${memory.message}` }
      : await judge(event, { memory, onMismatch });
  const answer = answerTo(event, verdict);
  return answer === undefined ? "" : JSON.stringify(answer);
}

function answerTo({ host, moment, name }: HookEvent, verdict: Verdict): object | undefined {
  if (verdict.kind === "deny") return moment === "before" ? denial(host, verdict.reason) : undefined;
  if (verdict.said === undefined || moment !== "after") return undefined;
  return { hookSpecificOutput: { hookEventName: name, additionalContext: verdict.said } };
}

function denial(host: Host, reason: string): object {
  switch (host) {
    case "claude":
      return decisionOfClaude("deny", { permissionDecisionReason: reason });
    case "gemini":
      return { decision: "deny", reason };
    default:
      return host satisfies never;
  }
}

function decisionOfClaude(permissionDecision: "allow" | "deny", why: object = {}): object {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...why } };
}
