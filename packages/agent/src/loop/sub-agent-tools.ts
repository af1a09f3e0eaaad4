import type { ModelPort } from "@holdfast/core/context";
import type { ConversationToolName } from "@holdfast/core/tools";
import type { ToolSet } from "./offered-tools.js";
import type { Delegation } from "./sub-agents.js";

/** A sub-agent at work. */
export interface SubAgent {
  readonly taskId: string;
  readonly model: ModelPort;
  readonly tools: () => ToolSet;
}

/** The tools of a sub-agent: those that were named, and what ends its task. It does not move the head otherwise. */
export function toolsOfSubAgent(all: ToolSet, { tools }: Delegation): ToolSet {
  const has = (name: string) =>
    name === "task_complete" || (!leaving.has(name) && (tools === undefined || tools.includes(name)));
  return {
    fileTools: all.fileTools.filter(({ name }) => has(name)),
    conversationTools: all.conversationTools.filter(({ name }) => has(name)),
    hostTools: all.hostTools.filter(({ name }) => has(name)),
    offered: all.offered.filter(({ name }) => has(name)),
  };
}

/** Moves of the head that would leave a sub-agent's task unfinished, or go where it knows nothing of. */
const moves: readonly ConversationToolName[] = ["task_pop", "task_resume", "task_restart", "rewind"];
const leaving: ReadonlySet<string> = new Set(moves);
