import {
  type Carried,
  type ConversationRefusal,
  carryOut,
  isRefusal,
  openCalls,
  pathsOfCall,
  type ToolCall,
  type TurnHost,
  toolOfName,
} from "@holdfast/core";
import type { Gate } from "./gate.js";
import { refusingTool } from "./sub-agents.js";
import type { AgentEvent, EndedCall } from "./turn.js";

/** What calls are carried out with. */
export interface Carrying {
  readonly host: TurnHost;
  readonly gate: Gate;
  readonly onEvent: (event: AgentEvent) => void;
  /** Why a call is not made at all: it asks for a sub-agent that cannot be, or is none of a sub-agent's own. */
  readonly refused?: (call: ToolCall) => string | undefined;
}

/** A call with its end, and what it was to change. */
export interface CarriedCall {
  readonly ended: EndedCall;
  readonly call: ToolCall;
  /** Paths of a writing call, the words of a command; empty for one that only looks. */
  readonly about: readonly string[];
}

/**
 * Carries out the calls that wait where the head stands, group by group. Calls of file tools that follow one another are
 * one group and run side by side, each file in the order of its calls; a command, and a tool that moves the head, is a
 * group of its own, so that it finds done what was asked for before it. A signal that comes leaves the rest undone: they
 * count as interrupted when the user speaks again.
 */
export async function carryCalls(carrying: Carrying): Promise<readonly CarriedCall[] | ConversationRefusal> {
  const { manager, signal } = carrying.host;
  const waiting = openCalls(manager.context, manager.context.currentNodeId);
  const done: CarriedCall[] = [];
  for (const group of groupsOf(waiting, carrying.host)) {
    if (signal?.aborted === true) break;
    const carried = await Promise.all(group.map((one) => carryOne(one, carrying)));
    for (const one of carried) {
      if ("code" in one) return one;
      done.push(one);
    }
  }
  return done;
}

type OpenCall = ReturnType<typeof openCalls>[number];

function groupsOf(calls: readonly OpenCall[], host: TurnHost): readonly (readonly OpenCall[])[] {
  const groups: OpenCall[][] = [];
  let together: OpenCall[] | undefined;
  for (const one of calls) {
    const isFile = toolOfName(one.call.name, host.hostTools)?.kind === "file";
    if (isFile && together !== undefined) together.push(one);
    else groups.push([one]);
    together = isFile ? groups.at(-1) : undefined;
  }
  return groups;
}

async function carryOne(
  { nodeId, call }: OpenCall,
  { host, gate, onEvent, refused: refusedCall }: Carrying,
): Promise<CarriedCall | ConversationRefusal> {
  const { callId, name, args } = call;
  onEvent({ kind: "call_begun", callId, name, args });
  const approve = gate.approverOf(name, host.signal);
  const refused = refusedCall?.(call);
  const first = refused === undefined ? [] : [refusingTool(name, refused)];
  const hostTools = [...first, ...(host.hostTools ?? [])];
  const files = host.files === undefined ? {} : { files: gate.following(host.files, name, host.signal) };
  const carried = await carryOut({ callId, at: nodeId }, { ...host, ...files, hostTools, approve });
  if (isRefusal(carried)) return carried;
  const ended = endOf(call, carried);
  onEvent({ kind: "call_ended", call: ended });
  return { ended, call, about: aboutOf(call, host) };
}

function endOf({ callId, name }: ToolCall, carried: Carried): EndedCall {
  const { code, isError, text } = carried;
  return {
    callId,
    name,
    code,
    isError,
    text,
    ...(carried.kind === "answered" ? { node: carried.node } : {}),
  };
}

function aboutOf({ name, args }: ToolCall, host: TurnHost): readonly string[] {
  const tool = toolOfName(name, host.hostTools);
  if (tool?.kind === "file") {
    const { paths, shared } = pathsOfCall(tool, args);
    return shared ? [] : paths.map((path) => host.manager.manifests.naming(path));
  }
  return tool?.kind === "host" ? [`${name} ${JSON.stringify(args)}`] : [];
}
