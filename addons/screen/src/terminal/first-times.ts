import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@holdfast/agent";
import { innermost, type Line, span } from "@holdfast/agent/shown";
import type { ConversationContext } from "@holdfast/core/conversation/values";
import { readForeign } from "@holdfast/core/node";

/** What only Holdfast has, said the first time that it applies. */
export const firstTimes = {
  change:
    "First change. Esc Esc goes back to any prompt, and takes the files back with it; /changes shows each state of them.",
  refusal:
    "First refusal. Nothing was written: a change counts only for the state that the model has read. It reads what is there now, and tries again.",
  window:
    "The window fills for the first time. What is cleared stays in the tree; /context shows what fills the prompt.",
  branch: "First branch. What you left is kept: /history view shows both ways, and d compares them.",
} as const;

type FirstTime = keyof typeof firstTimes;

/** Says each of them once a person. */
export interface FirstTimes {
  /** The lines to be said behind an event; none where nothing happens for the first time. */
  after(event: AgentEvent, context: ConversationContext | undefined): readonly Line[];
}

/** What a person was told is kept in the state folder, in a file that only they may read; without one nothing is told. */
export function openFirstTimes(stateDir: string | undefined): FirstTimes {
  if (stateDir === undefined) return { after: () => [] };
  const [folder, name] = [join(stateDir, "input"), "first-times"];
  const read = readForeign(join(folder, name), { limitBytes: 4_096, isOwn: true });
  const told = new Set(read.kind === "read" ? read.bytes.toString().split("\n") : []);
  return {
    after: (event, context) => {
      const time = told.size < mostTold ? timeOf(event, context) : undefined;
      if (time === undefined || told.has(time)) return [];
      told.add(time);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(join(folder, name), `${time}\n`, { mode: 0o600 });
      } catch {
        // It is said once more in the next run.
      }
      return [[span(firstTimes[time], "note")]];
    },
  };
}

/** All of them, and the empty line behind the last. */
const mostTold = Object.keys(firstTimes).length + 1;

/** What an event is the first of, should it be the first. */
export function timeOf(event: AgentEvent, context: ConversationContext | undefined): FirstTime | undefined {
  const inner = innermost(event);
  switch (inner.kind) {
    case "call_ended": {
      const { run, code } = inner.call;
      if (run === undefined || !("result" in run)) return undefined;
      const { result } = run;
      if (result.kind !== "write" && result.kind !== "change_set") return undefined;
      if (stateCodes.has(code)) return "refusal";
      return inner.call.isError ? undefined : "change";
    }
    case "context":
      return inner.done.kind === "clear" || inner.done.kind === "compacted" ? "window" : undefined;
    case "turn_begun":
      return context !== undefined && isBranched(context) ? "branch" : undefined;
    default:
      return undefined;
  }
}

/** Refusals for the state of a file. */
const stateCodes: ReadonlySet<string> = new Set([
  "state_mismatch",
  "unknown_base",
  "not_read",
  "unseen_lines",
]);

/** Whether two prompts of the person follow one node. */
function isBranched({ nodes }: ConversationContext): boolean {
  const prompts = new Set<string>();
  for (const { payload, parentId } of nodes.values()) {
    if (payload.kind !== "user_message" || parentId === null) continue;
    if (prompts.has(parentId)) return true;
    prompts.add(parentId);
  }
  return false;
}
