import type { ModelPort, OfferedTool } from "@holdfast/core/context";
import { type ContextManager, isOnPath } from "@holdfast/core/conversation";
import type { ToolCall } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { cutVisibly, defined, isObject } from "@holdfast/core/text";
import {
  conversationTools,
  failedCall,
  findConversationTool,
  foreignName,
  type HostTool,
  type HostToolResult,
  intentOf,
  understand,
} from "@holdfast/core/tools";

/** What a model may hand to another one: a task that is run to its end on its branch, by a model with tools of its own. */
export interface SubAgents {
  /** Models that a call may name, as `provider/name`; without a name it is the model that asks. */
  readonly models: readonly string[];
  /** Those that people have written down, which a call may name. */
  readonly agents?: readonly NamedAgent[];
  /** Opens one of `models`; a text says why it cannot be. Nothing is sent by that. */
  readonly open: (name: string) => SubAgentModel | string;
  /** How deep sub-agents of sub-agents may go; 1 unless given: none of them has one. */
  readonly maxDepth?: number;
  /** Requests of one sub-agent; 50 unless given. They count as those of the turn, too. */
  readonly maxSteps?: number;
  /** How many sub-agents of one answer work at once; 4 unless given. The rest wait. */
  readonly maxAtOnce?: number;
}

/** A sub-agent that somebody has written down, as in `.claude/agents`. */
export interface NamedAgent {
  readonly name: string;
  /** What it is for, in one line. */
  readonly says: string;
  /** What it is told before its task. */
  readonly body: string;
  /** The only tools that it has; all unless given. */
  readonly tools?: readonly string[];
  /** Counts where it is one of `SubAgents.models`. */
  readonly model?: string;
}

/** A model that was opened for a sub-agent. */
export interface SubAgentModel {
  /** With `costOf` where the run has a limit of money. */
  readonly port: ModelPort;
}

/** What a call of `task_start` asks for: who works on the task, and with what. */
export interface Delegation {
  /** The model that asks, where it names none. */
  readonly model?: SubAgentModel;
  /** All that the asking model has, where it names none. */
  readonly tools?: readonly string[];
  readonly maxSteps: number;
  /** What the sub-agent is told before it begins. */
  readonly words: readonly string[];
  /** The arguments of `task_start` without `agent`. */
  readonly task: Readonly<Record<string, unknown>>;
}

/** What a delegation is held against. */
interface DelegationScope {
  readonly subAgents: SubAgents;
  readonly offered: readonly OfferedTool[];
  /** Names of tools that may be called, offered or not. */
  readonly accepted: readonly string[];
  /** How many sub-agents are at work above this call. */
  readonly depth: number;
  readonly hasCostLimit: boolean;
}

/**
 * What a call of `task_start` delegates.
 *
 * @returns undefined for a call that delegates nothing; a text says why it cannot be done, for the model.
 */
export function delegationIn(
  { name, args }: Pick<ToolCall, "name" | "args">,
  scope: DelegationScope,
): Delegation | string | undefined {
  const { agent: given, ...task } = args;
  if (name !== "task_start" || given === undefined || given === null) return undefined;
  const schema = { properties: { agent: agentSchema(scope.subAgents) } };
  const understood = understand({ name, schema, readOnly: false }, { agent: given });
  if (isRefusal(understood)) return understood.message;
  const { agent } = understood.values;
  if (!isObject(agent)) return "`agent` is an object: {name, model, tools, max_steps}.";
  const { maxDepth = 1, maxSteps = 50 } = scope.subAgents;
  if (scope.depth >= maxDepth)
    return `Sub-agents may go ${maxDepth} deep, and that is where you are: do the task yourself, without \`agent\`.`;
  const { name: called, max_steps: wanted = maxSteps } = agent;
  const written = writtenAgent(called, scope.subAgents);
  if (typeof written === "string") return written;
  const { model: named = modelOf(written, scope.subAgents), tools = toolsOf(written, scope) } = agent;
  if (typeof wanted !== "number" || !Number.isSafeInteger(wanted) || wanted < 1)
    return "`agent.max_steps` is a whole number from 1 on.";
  const tool = findConversationTool(name);
  const meant = tool && intentOf(tool, task);
  if (meant !== undefined && isRefusal(meant)) return meant.message;
  const names = toolsIn(tools, scope);
  if (typeof names === "string") return names;
  const model = modelIn(named, scope);
  if (typeof model === "string") return model;
  return {
    task,
    maxSteps: Math.min(wanted, maxSteps),
    words: [subAgentWords, ...(written === undefined ? [] : [written.body])],
    ...defined({ model, tools: names }),
  };
}

/** The agent of this name; undefined where none is named, a text where there is none. */
function writtenAgent(name: unknown, { agents = [] }: SubAgents): NamedAgent | string | undefined {
  if (name === undefined || name === null || name === "") return undefined;
  const found = agents.find((one) => one.name === name);
  const names =
    agents.length === 0 ? "there is none" : `there are ${agents.map((one) => one.name).join(", ")}`;
  return (
    found ?? `there is no agent ${JSON.stringify(name)}; ${names}. Without a name it has all of your tools.`
  );
}

/** Those of its tools that are here: its file may have been written for another program. */
function toolsOf(written: NamedAgent | undefined, scope: DelegationScope): readonly string[] | undefined {
  return written?.tools?.filter((name) => Array.isArray(toolsIn([name], scope)));
}

function modelOf(written: NamedAgent | undefined, { models }: SubAgents): string | undefined {
  return written?.model !== undefined && models.includes(written.model) ? written.model : undefined;
}

/** A tool that starts tasks with the argument by which a task is delegated. */
export function delegating(offer: OfferedTool, subAgents: SubAgents): OfferedTool {
  const known = delegatingOffers.get(subAgents);
  if (known?.of === offer) return known.offer;
  const made = withAgent(offer, subAgents);
  delegatingOffers.set(subAgents, { of: offer, offer: made });
  return made;
}

/** Made once: it is offered with every request. */
const delegatingOffers = new WeakMap<SubAgents, { readonly of: OfferedTool; readonly offer: OfferedTool }>();

function withAgent(offer: OfferedTool, subAgents: SubAgents): OfferedTool {
  const { inputSchema } = offer;
  // A cast: the schema of an object has properties, or none.
  const properties = (inputSchema.properties ?? {}) as object;
  const agent = offeredAgent(subAgents);
  return { ...offer, inputSchema: { ...inputSchema, properties: { ...properties, agent } } };
}

/** As it is offered: what it says of itself is in each request, so that what few calls need is left out. */
function offeredAgent(subAgents: SubAgents) {
  const { type, properties } = agentSchema(subAgents);
  const { name, model } = properties;
  const listed = defined({ name, model });
  const description = "task start: a sub-agent does it alone; several at once";
  return { type, description, ...(Object.keys(listed).length === 0 ? {} : { properties: listed }) };
}

function agentSchema({ models, agents = [] }: SubAgents) {
  const enumOf = (names: readonly string[], description?: string) =>
    names.length === 0 ? undefined : { type: "string", enum: names, ...defined({ description }) };
  const says = cutVisibly(agents.map((one) => `${one.name}: ${one.says}`).join("\n"), 4_000);
  const name = enumOf(
    agents.map((one) => one.name),
    says,
  );
  const tools = { type: "array", items: { type: "string" } };
  const max_steps = { type: "integer", minimum: 1 };
  return { type: "object", properties: { ...defined({ name, model: enumOf(models) }), tools, max_steps } };
}

/** A tool in the place of the one of this name, that says why nothing is done. */
export function refusingTool(
  name: string,
  why: string,
  code: "invalid_arguments" | "denied" = "invalid_arguments",
): HostTool {
  return answeringTool(name, failedCall(code, `${name}: ${why} Nothing was done.`));
}

/** Answers a call that delegates: the task begins once all calls of the answer have their results. */
export const begunTool = answeringTool("task_start", {
  code: "ok",
  text: "A sub-agent works on this task; its summary follows below. If none follows, it was interrupted: the list of tasks names its task, and resuming that shows its steps.",
});

function answeringTool(name: string, result: HostToolResult): HostTool {
  const [any] = conversationTools;
  if (any === undefined) throw new Error("core has no conversation tool");
  return {
    kind: "host",
    name,
    title: name,
    description: result.text,
    // The schema goes before them: whatever the arguments are, they are not looked at.
    parameters: any.parameters,
    schema: { type: "object" },
    intent: () => ({ kind: "host_request", tool: name, summary: name, args: {} }),
    run: async () => result,
  };
}

function toolsIn(
  tools: unknown,
  { offered, accepted }: DelegationScope,
): readonly string[] | string | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) return "`agent.tools` is a list of names.";
  const known = offered.map(({ name }) => name);
  const meant = tools.map((name) => (accepted.includes(name) ? name : (foreignName(String(name)) ?? name)));
  const unknown = meant.filter((name) => !accepted.includes(name));
  if (unknown.length > 0)
    return `you have no tool ${unknown.map((name) => JSON.stringify(name)).join(", ")}; those you have are ${known.join(", ")}.`;
  return meant;
}

function modelIn(named: unknown, scope: DelegationScope): SubAgentModel | string | undefined {
  if (named === undefined || named === null || named === "") return undefined;
  const { models, open } = scope.subAgents;
  if (typeof named !== "string" || !models.includes(named)) {
    const allowed = models.length === 0 ? "Leave it out: it is your own." : `Allowed: ${models.join(", ")}.`;
    return `the model ${JSON.stringify(named)} is not allowed for sub-agents. ${allowed}`;
  }
  const opened = open(named);
  if (typeof opened === "string") return opened;
  if (scope.hasCostLimit && opened.port.costOf === undefined)
    return `the prices of ${named} are not known, and there is a limit of money.`;
  return opened;
}

/** What a sub-agent is told before it begins. */
const subAgentWords =
  "You work on this task alone, as a sub-agent; nobody answers questions. When it is done, call `conversation` with the action task complete and a summary: " +
  "it is all that whoever gave you the task will see.";

/** Whether the head stands in this task, or in one within it. */
export function isWithin({ context }: ContextManager, taskId: string): boolean {
  return isOnPath(context, taskId, context.currentNodeId);
}

/** More tasks than this within one another are no work but a mistake. */
export const mostNested = 100;
