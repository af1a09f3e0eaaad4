import {
  type ConversationRefusal,
  type JsonObject,
  openCalls,
  type ToolCall,
} from "@holdfast/core/conversation";
import { isLook, isRefusal, type Workspace } from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import {
  type Carried,
  carryOut,
  type FileTool,
  type HostTool,
  intentOf,
  meantCall,
  pathsOfCall,
  type TurnHost,
  toolOfName,
} from "@holdfast/core/tools";
import type { CallNames, Gate } from "./gate.js";
import type { Hooks } from "./hooks.js";
import { judgedCall } from "./judged-call.js";
import { refusingTool } from "./sub-agents.js";
import type { AgentEvent, EndedCall } from "./turn.js";
import type { CallAim } from "./undone.js";

/** What calls are carried out with. */
interface Carrying {
  readonly host: TurnHost;
  readonly workspace: Workspace;
  readonly gate: Gate;
  /**
   * What rules judge a call by, or why it is not made at all: its tool is not offered, or it asks for a sub-agent that
   * cannot be. Asked once a call.
   */
  readonly judged: (call: ToolCall) => CallNames | string;
  readonly hooks: Hooks | undefined;
  /** What answers in the place of the tool, for a call that may be made; asked after `judged`. */
  readonly standIn: (call: ToolCall) => HostTool | undefined;
  readonly onEvent: (event: AgentEvent) => void;
}

/** A call with its end, and what it was to change. */
export interface CarriedCall {
  readonly ended: EndedCall;
  readonly call: ToolCall;
  readonly about: CallAim;
}

/**
 * Carries out the calls that wait where the head stands, group by group. Calls of file tools that follow one another are
 * one group and run side by side, each file in the order of its calls; a command, and a tool that moves the head, is a
 * group of its own, so that it finds done what was asked for before it. A signal that comes leaves the rest undone: they
 * count as interrupted when the user speaks again.
 */
export async function carryCalls(carrying: Carrying): Promise<readonly CarriedCall[] | ConversationRefusal> {
  const { manager, signal } = carrying.host;
  const waiting = openCalls(manager.context, manager.context.currentNodeId).map(asMeant);
  const done: CarriedCall[] = [];
  for (const group of groupsOf(waiting, carrying.host)) {
    if (signal?.aborted === true) break;
    // Before any of them takes its place in the queues of the files: the calls keep their order.
    const judged = await Promise.all(
      group.map(async (one) => ({ one, by: await judge(one.call, carrying) })),
    );
    const questions = carrying.gate.group(firstOf(group, carrying.host));
    const carried = await Promise.all(judged.map(({ one, by }) => carryOne(one, carrying, by, questions)));
    for (const one of carried) {
      if ("code" in one) return one;
      done.push(one);
    }
  }
  return done;
}

type OpenCall = ReturnType<typeof openCalls>[number];

/** As the tool that it means would be called: so it is judged, told and carried out. */
function asMeant({ nodeId, call }: OpenCall): OpenCall {
  const { name, args } = meantCall(call);
  // A cast: they are a part of the call's own, which are JSON.
  return { nodeId, call: { ...call, name, args: args as JsonObject } };
}

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

/** The calls that wait for no other one of them, which changes a file of theirs. */
function firstOf(group: readonly OpenCall[], { manager, hostTools }: TurnHost): Set<string> {
  const taken = new Set<string>();
  const first = group.filter(({ call: { name, args } }) => {
    const tool = toolOfName(name, hostTools);
    const { paths, shared } = tool?.kind === "file" ? pathsOfCall(tool, args) : { paths: [], shared: true };
    const names = paths.map((path) => manager.manifests.naming(path));
    const waits = names.some((one) => taken.has(one));
    if (waits || !shared) for (const one of names) taken.add(one);
    return !waits;
  });
  return new Set(first.map(({ call }) => call.callId));
}

async function carryOne(
  { nodeId, call }: OpenCall,
  { host, gate, onEvent }: Carrying,
  { names, barred }: Judged,
  questions: ReturnType<Gate["group"]>,
): Promise<CarriedCall | ConversationRefusal> {
  const { callId, name, args } = call;
  onEvent({ kind: "call_begun", callId, name, args });
  const approve = gate.approverOf(names, host.signal, (asking) => questions.ask(callId, asking));
  const hostTools = [...(barred === undefined ? [] : [barred]), ...(host.hostTools ?? [])];
  const files = host.files === undefined ? {} : { files: gate.following(host.files, names, host.signal) };
  const carried = await carryOut(
    { callId, at: nodeId, name, args },
    { ...host, ...files, hostTools, approve },
  );
  questions.end(callId);
  if (isRefusal(carried)) return carried;
  const ended = endOf(call, carried);
  onEvent({ kind: "call_ended", call: ended });
  return { ended, call, about: aimOf(call, ended.isError, host) };
}

interface Judged {
  readonly names: CallNames;
  /** What answers in the place of the tool, where the call is not made. */
  readonly barred?: HostTool;
}

async function judge(
  call: ToolCall,
  { host, gate, judged, standIn, workspace, hooks, onEvent }: Carrying,
): Promise<Judged> {
  const names = judged(call);
  if (typeof names === "string")
    return { names: { tool: call.name, also: [] }, barred: refusingTool(call.name, names) };
  const { hostTools = [], signal } = host;
  const before = judgedCall(call, names, { hostTools, workspace });
  const asked = before ?? { ...names, paths: async () => [] };
  const denied =
    (before && (await gate.barred(before, signal))) ??
    (await hooks?.before(call, asked, { onEvent, signal }));
  if (denied !== undefined) return { names, barred: refusingTool(call.name, denied, "denied") };
  return { names, ...defined({ barred: standIn(call) }) };
}

function endOf({ callId, name, args }: ToolCall, carried: Carried): EndedCall {
  const { code, isError, text } = carried;
  return {
    callId,
    name,
    args,
    code,
    isError,
    text,
    ...(carried.kind === "answered" ? { node: carried.node } : {}),
    ...defined({ run: carried.run }),
  };
}

function aimOf({ name, args }: ToolCall, isError: boolean, host: TurnHost): CallAim {
  const tool = toolOfName(name, host.hostTools);
  if (tool?.kind === "file") return { kind: "files", what: changedBy(tool, args, isError, host) };
  if (tool?.kind === "host") return { kind: "other", what: [`${name} ${JSON.stringify(args)}`] };
  // Another call of it that succeeds is what the model did in its place.
  return { kind: "other", what: tool === undefined || tool.annotations.readOnly ? [] : [`${name}()`] };
}

/** The files that a call was to change; a dry run changes none. One that names none is made good by a later call of its tool. */
function changedBy(tool: FileTool, args: unknown, isError: boolean, host: TurnHost): readonly string[] {
  const intent = intentOf(tool, args);
  if (!isRefusal(intent) && intent.isDryRun === true) return [];
  const request = isRefusal(intent) ? undefined : intent.request;
  if (request === undefined ? tool.annotations.readOnly : isLook(request)) return [];
  const named = pathsOfCall(tool, args).paths.map((path) => host.manager.manifests.naming(path));
  return isError && named.length > 0 ? named : [...named, `${tool.name}()`];
}
