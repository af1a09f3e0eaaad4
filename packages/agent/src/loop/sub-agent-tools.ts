import { type ConversationToolName, conversationName } from "@holdfast/core/tools";
import type { AgentParts } from "./agent-parts.js";
import type { Gate } from "./gate.js";
import { type ToolSet, vendorsTools, withOffers } from "./offered-tools.js";
import type { Place } from "./side-by-side.js";
import type { Delegation } from "./sub-agents.js";

/** A sub-agent at work. */
export interface SubAgent extends Place {
  readonly taskId: string;
  /** What the person allowed, to whichever agent, holds for all. */
  readonly gate: Gate;
  readonly tools: () => ToolSet;
  /** How many sub-agents it is within, itself counted. */
  readonly depth: number;
}

/** The tools of a sub-agent: those that were named, and what ends its task. It does not move the head otherwise. */
export function toolsOfSubAgent(all: ToolSet, { tools }: Delegation, parts: AgentParts): ToolSet {
  const has = ({ name }: { readonly name: string }) => tools === undefined || tools.includes(name);
  const hasAll = has({ name: conversationName });
  const { fileTools, moreFileTools, conversationTools, hostTools } = all;
  const set = {
    fileTools: [...fileTools, ...(tools === undefined ? [] : moreFileTools)].filter(has),
    moreFileTools: tools === undefined ? moreFileTools : vendorsTools,
    conversationTools: conversationTools.filter(
      (tool) => tool.name === "task_complete" || (!leaving.has(tool.name) && (hasAll || has(tool))),
    ),
    hostTools: hostTools.filter(has),
  };
  return withOffers(set, parts);
}

/** Moves of the head that would leave a sub-agent's task unfinished, or go where it knows nothing of. */
const moves: readonly ConversationToolName[] = ["task_pop", "task_resume", "task_restart", "rewind"];
const leaving: ReadonlySet<string> = new Set(moves);
