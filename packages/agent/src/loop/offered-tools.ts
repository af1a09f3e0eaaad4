import type { OfferedTool } from "@holdfast/core/context";
import {
  conversationTools as allConversationTools,
  type ConversationTool,
  tools as defaultTools,
  type FileTool,
  type HostTool,
  hostSchema,
  jsonSchema,
} from "@holdfast/core/tools";
import type { ApprovalMode } from "../config/approval.js";
import type { AgentParts } from "./agent-parts.js";
import { delegating } from "./sub-agents.js";

/** The tools of an agent, and what a model is told of them. */
export interface ToolSet {
  readonly fileTools: readonly FileTool[];
  readonly conversationTools: readonly ConversationTool[];
  readonly hostTools: readonly HostTool[];
  /** All of them, as they are sent. */
  readonly offered: readonly OfferedTool[];
}

/** What is offered in a mode: in plan mode only what looks. */
export function offeredTools(parts: AgentParts, mode: ApprovalMode): ToolSet {
  const { fileTools = defaultTools, conversationTools = allConversationTools } = parts;
  const { harmless = [], hostTools: askedTools } = parts;
  const hostTools = askedTools?.() ?? [];
  const isPlan = mode === "plan";
  const kept = {
    fileTools: isPlan ? fileTools.filter(({ annotations }) => annotations.readOnly) : fileTools,
    conversationTools: isPlan
      ? conversationTools.filter(({ annotations }) => annotations.readOnly)
      : conversationTools,
    hostTools: isPlan ? hostTools.filter(({ name }) => harmless.includes(name)) : hostTools,
  };
  const offers = [...kept.fileTools, ...kept.conversationTools, ...kept.hostTools].map(offerOf);
  const { subAgents } = parts;
  const offered = subAgents === undefined ? offers : offers.map((offer) => delegating(offer, subAgents));
  return { ...kept, offered };
}

/** Made once a tool: a schema is asked for with every request. */
function offerOf(tool: FileTool | ConversationTool | HostTool): OfferedTool {
  const made = offers.get(tool);
  if (made !== undefined) return made;
  const { name, description, parameters } = tool;
  const inputSchema = tool.kind === "host" ? hostSchema(tool) : jsonSchema(parameters);
  const offer = { name, description, inputSchema };
  offers.set(tool, offer);
  return offer;
}

const offers = new WeakMap<object, OfferedTool>();

/** Tools as one text, to be counted and compared: the same text as before while the same tools are offered. */
export class ToolsText {
  #last: { readonly offered: readonly OfferedTool[]; readonly text: string } | undefined;

  of(offered: readonly OfferedTool[]): string {
    const last = this.#last;
    const isSame =
      last?.offered.length === offered.length && last.offered.every((tool, at) => tool === offered[at]);
    if (isSame) return last.text;
    const text = JSON.stringify(offered);
    this.#last = { offered, text };
    return text;
  }
}
