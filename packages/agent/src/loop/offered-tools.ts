import type { OfferedTool } from "@holdfast/core/context";
import {
  conversationTools as allConversationTools,
  allTools,
  type ConversationTool,
  type ConversationToolName,
  conversationName,
  conversationTool,
  dialectTools,
  type FileTool,
  type HostTool,
  hostSchema,
  jsonSchema,
  moreTools,
  moreToolsName,
  tools as usualTools,
} from "@holdfast/core/tools";
import { planToolName } from "../host/plan.js";
import type { AgentParts } from "./agent-parts.js";
import { type Delegation, delegating } from "./sub-agents.js";

/** The tools of an agent, and what a model is told of them. */
export interface ToolSet {
  /** Tools of files that are listed. */
  readonly fileTools: readonly FileTool[];
  /** Those that are not, and are carried out all the same where a model calls them. */
  readonly moreFileTools: readonly FileTool[];
  readonly conversationTools: readonly ConversationTool[];
  /** Where many of them are of servers, these are not listed, and `more_tools` is among them. */
  readonly hostTools: readonly HostTool[];
  /** What is listed, as it is sent: of the tools of the conversation one that stands for all. */
  readonly offered: readonly OfferedTool[];
  /** The names of all that may be called. */
  readonly accepted: readonly string[];
}

const rare = ["read_many_files", "update_section", "move_file", "delete_file", "undo_edit"];

/** The tools of files that are listed unless a host names others: what a day needs. */
export const dayTools: readonly FileTool[] = usualTools.filter(({ name }) => !rare.includes(name));

/** Names as other vendors' models know them: taken, and never listed but by a host. */
export const vendorsTools: readonly FileTool[] = dialectTools;

/** What is offered, the same in each mode: a cache outlives its change. */
export function offeredTools(parts: AgentParts): ToolSet {
  const { fileTools = dayTools, conversationTools = allConversationTools } = parts;
  const { moreFileTools = parts.fileTools === undefined ? allTools : vendorsTools } = parts;
  const hidden = moreFileTools.filter((tool) => !fileTools.includes(tool));
  const hostTools = parts.hostTools?.() ?? [];
  return withOffers({ fileTools, moreFileTools: hidden, conversationTools, hostTools }, parts);
}

/** The tools with what is told of them. */
export function withOffers(
  { fileTools, moreFileTools, conversationTools, hostTools: given }: Omit<ToolSet, "offered" | "accepted">,
  { subAgents, findsTools = true }: Pick<AgentParts, "subAgents" | "findsTools">,
): ToolSet {
  const own = given.filter(({ name }) => name !== moreToolsName);
  const ofServers = own.filter(({ schema }) => schema !== undefined);
  const isMany = ofServers.length > mostTools || JSON.stringify(ofServers.map(offerOf)).length > mostChars;
  const hidden = findsTools ? own.filter(({ rare, schema }) => rare || (isMany && schema !== undefined)) : [];
  const found = findsTools
    ? [...moreFileTools.filter((tool) => !vendorsTools.includes(tool)), ...hidden]
    : [];
  const hostTools = found.length === 0 ? own : [...own, moreToolsFor(found.map(offerOf))];
  const one = conversationTools.length === 0 ? [] : [offerOf(conversationFor(conversationTools))];
  const isDelegating = conversationTools.some(({ name }) => name === "task_start");
  const offered = [
    ...fileTools.map(offerOf),
    ...(subAgents !== undefined && isDelegating ? one.map((offer) => delegating(offer, subAgents)) : one),
    ...hostTools.filter((tool) => !hidden.includes(tool)).map(offerOf),
  ];
  const all = [fileTools, moreFileTools, conversationTools, hostTools, offered].flat();
  const accepted = all.map(({ name }) => name);
  return { fileTools, moreFileTools, conversationTools, hostTools, offered, accepted };
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
    // Its plan would be nobody's to approve.
    hostTools: hostTools.filter((tool) => has(tool) && tool.name !== planToolName),
  };
  return withOffers(set, parts);
}

/** Moves of the head that would leave a sub-agent's task unfinished, or go where it knows nothing of. */
const moves: readonly ConversationToolName[] = ["task_pop", "task_resume", "task_restart", "rewind"];
const leaving: ReadonlySet<string> = new Set(moves);

/** More tools of servers than this, or longer ones together, are found before they are called. */
const mostTools = 20;
const mostChars = 8_000;

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

const conversationFor = onceFor(conversationTool);
const moreToolsFor = onceFor(moreTools);

/** Tools as one text, to be counted and compared: the same as before while the same tools are offered. */
export const toolsText = () => onceFor((offered: readonly OfferedTool[]) => JSON.stringify(offered));

/** A function of a list that gives what it gave last where the members are the same. */
function onceFor<Member, Made>(make: (members: readonly Member[]) => Made) {
  let last: { readonly members: readonly Member[]; readonly made: Made } | undefined;
  return (members: readonly Member[]): Made => {
    const isSame =
      last?.members.length === members.length && last.members.every((one, at) => one === members[at]);
    if (last === undefined || !isSame) last = { members, made: make(members) };
    return last.made;
  };
}
