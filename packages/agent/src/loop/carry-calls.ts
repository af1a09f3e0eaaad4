import { type ContextManager, openCalls, StateCounter } from "@holdfast/core/conversation";
import {
  type ConversationRefusal,
  effectsOf,
  type FileEffect,
  type ToolCall,
  type TurnNode,
} from "@holdfast/core/conversation/values";
import type { Workspace } from "@holdfast/core/files";
import { hasTrait, isLook, isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { type Carried, carryOut, type HostTool, type TurnHost } from "@holdfast/core/tools";
import type { CallNames, Gate } from "./gate.js";
import type { Hooks } from "./hooks.js";
import { judgedCall, type ReadCall, readCall } from "./judged-call.js";
import { refusingTool } from "./sub-agents.js";
import type { AgentEvent, EndedCall, TurnEnd } from "./turn.js";

/** What calls are carried out with. */
interface Carrying {
  readonly host: TurnHost;
  readonly workspace: Workspace;
  readonly gate: Gate;
  /**
   * What rules judge a call by, or why it is not made at all: its tool is not offered, or it asks for a sub-agent that
   * cannot be. Asked once a call.
   */
  readonly judged: (call: ToolCall) => Judged | string;
  readonly hooks: Hooks | undefined;
  readonly onEvent: (event: AgentEvent) => void;
}

/** By what rules judge a call, and what answers in the place of its tool, where something does. */
export interface Judged extends CallNames {
  readonly standIn?: HostTool;
}

/** A call with its end, and what it was to change. */
export interface CarriedCall {
  readonly nodeId: string;
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
  const { manager, signal, hostTools } = carrying.host;
  const open = openCalls(manager.context, manager.context.currentNodeId);
  const done: CarriedCall[] = [];
  for (const group of groupsOf(open.map(({ nodeId, call }) => readCall(nodeId, call, hostTools)))) {
    if (signal?.aborted === true) break;
    // Before any of them takes its place in the queues of the files: the calls keep their order.
    const judged = await Promise.all(group.map(async (one) => ({ one, by: await judge(one, carrying) })));
    const questions = carrying.gate.group(firstOf(group, carrying.host));
    const carried = await Promise.all(judged.map(({ one, by }) => carryOne(one, carrying, by, questions)));
    for (const one of carried) {
      if ("code" in one) return one;
      done.push(one);
    }
  }
  return done;
}

function groupsOf(calls: readonly ReadCall[]): readonly (readonly ReadCall[])[] {
  const groups: ReadCall[][] = [];
  let together: ReadCall[] | undefined;
  for (const one of calls) {
    const isFile = one.files !== undefined;
    if (isFile && together !== undefined) together.push(one);
    else groups.push([one]);
    together = isFile ? groups.at(-1) : undefined;
  }
  return groups;
}

/** The calls that wait for no other one of them, which changes a file of theirs. */
function firstOf(group: readonly ReadCall[], { manager }: TurnHost): Set<string> {
  const taken = new Set<string>();
  const first = group.filter(({ files: { paths, shared } = { paths: [], shared: true } }) => {
    const names = paths.map((path) => manager.manifests.naming(path));
    const waits = names.some((one) => taken.has(one));
    if (waits || !shared) for (const one of names) taken.add(one);
    return !waits;
  });
  return new Set(first.map(({ call }) => call.callId));
}

async function carryOne(
  read: ReadCall,
  { host, gate, onEvent }: Carrying,
  { standIn, ...names }: Judged,
  questions: ReturnType<Gate["group"]>,
): Promise<CarriedCall | ConversationRefusal> {
  const { nodeId, call } = read;
  const { callId, name, args } = call;
  onEvent({ kind: "call_begun", callId, name, args });
  const approve = gate.approverOf(names, host.signal, (asking) => questions.ask(callId, asking));
  const hostTools = [...(standIn === undefined ? [] : [standIn]), ...(host.hostTools ?? [])];
  const files = host.files === undefined ? {} : { files: gate.following(host.files, names, host.signal) };
  const carried = await carryOut(
    { callId, at: nodeId, name, args },
    { ...host, ...files, hostTools, approve },
  );
  questions.end(callId);
  if (isRefusal(carried)) return carried;
  const ended = endOf(call, carried, host.manager);
  onEvent({ kind: "call_ended", call: ended });
  return { nodeId, ended, call, about: aimOf(read, ended.isError, host) };
}

async function judge(
  read: ReadCall,
  { host: { signal }, gate, judged, workspace, hooks, onEvent }: Carrying,
): Promise<Judged> {
  const { call } = read;
  const names = judged(call);
  if (typeof names === "string")
    return { tool: call.name, also: [], standIn: refusingTool(call.name, names) };
  const before = judgedCall(read, names, workspace);
  const asked = before ?? { ...names, paths: async () => [] };
  const denied =
    (before && (await gate.barred(before, signal))) ??
    (await hooks?.before(call, asked, { onEvent, signal }));
  return denied === undefined ? names : { ...names, standIn: refusingTool(call.name, denied, "denied") };
}

const counters = new WeakMap<ContextManager, StateCounter>();

/** The files of a result, with versions as a person counts them. */
function countedFiles({ id, payload }: TurnNode, manager: ContextManager): readonly FileEffect[] {
  const counter = counters.get(manager) ?? new StateCounter();
  counters.set(manager, counter);
  return effectsOf(counter.at(manager.context, id)(payload));
}

function endOf({ callId, name, args }: ToolCall, carried: Carried, manager: ContextManager): EndedCall {
  const { code, isError, text } = carried;
  const node = carried.kind === "answered" ? carried.node : undefined;
  const hasFiles = node?.payload.kind === "tool_result" && node.payload.files !== undefined;
  return {
    callId,
    name,
    args,
    code,
    isError,
    text,
    ...(hasFiles ? { counted: countedFiles(node, manager) } : {}),
    ...defined({ node, run: carried.run }),
  };
}

function aimOf({ call: { name, args }, tool, files }: ReadCall, isError: boolean, host: TurnHost): CallAim {
  if (tool?.kind === "file" && files !== undefined) {
    const { request, isDryRun, paths } = files;
    // A dry run changes none.
    if (isDryRun || (request === undefined ? tool.annotations.readOnly : isLook(request)))
      return { kind: "files", what: [] };
    const named = paths.map((path) => host.manager.manifests.naming(path));
    // One that names none is made good by a later call of its tool.
    return { kind: "files", what: isError && named.length > 0 ? named : [...named, `${name}()`] };
  }
  if (tool?.kind === "host") return { kind: "other", what: [`${name} ${JSON.stringify(args)}`] };
  // Another call of it that succeeds is what the model did in its place.
  return { kind: "other", what: tool === undefined || tool.annotations.readOnly ? [] : [`${name}()`] };
}

/** A call that was to change something, and how it ended. */
interface WritingCall extends Pick<EndedCall, "callId" | "name" | "code" | "isError"> {
  readonly about: CallAim;
}

/** What a call was to do: change files, run something, move the head. */
interface CallAim {
  readonly kind: "files" | "other";
  /** Paths, or the call by its name where it has none; empty for a call that only looks. */
  readonly what: readonly string[];
}

/**
 * What a turn left undone: for each file the last change, where that was refused, whatever the code. A change that was made
 * in a later answer, by whatever tool, takes its file off the list; one of the same answer was made without knowing of the
 * refusal, so it does not.
 *
 * What changes no files itself counts only where it was denied, stood in conflict or failed for the machine: that a command
 * ended with an error is a fact for the model, and often what it looked for.
 */
export class Undone {
  readonly #open = new Map<string, TurnEnd["undone"][number]>();

  /** Takes in the calls of one answer. */
  add(calls: readonly WritingCall[]): void {
    for (const { isError, about } of calls) {
      if (!isError) for (const what of about.what) this.#open.delete(what);
    }
    for (const { about, isError, callId, name, code } of calls) {
      if (!isError || (about.kind === "other" && !hasTrait(code, "undone"))) continue;
      for (const what of about.what) this.#open.set(what, { callId, name, code });
    }
  }

  clear(): void {
    this.#open.clear();
  }

  /** Each call once, in the order in which it was left. */
  get list(): TurnEnd["undone"] {
    return [...new Map([...this.#open.values()].map((one) => [one.callId, one])).values()];
  }
}

/** One of so many places at which jobs go on at once. */
export interface Place {
  /** Gives it up, and resolves once all jobs before this one have ended. */
  readonly earlier: () => Promise<void>;
  /** Takes one again, where it was given up and the job is not over after all. */
  readonly again: () => Promise<void>;
}

/** Runs jobs at the same time, at most so many at once; they begin in their order. */
export async function sideBySide<Job, Result>(
  jobs: readonly Job[],
  most: number,
  run: (job: Job, place: Place) => Promise<Result>,
): Promise<readonly Result[]> {
  let free = most;
  const waiting: (() => void)[] = [];
  const enter = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  // A place goes to who waits for it: nobody else takes it meanwhile.
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const results: Promise<Result>[] = [];
  for (const job of jobs) {
    await enter();
    const before = Promise.allSettled([...results]);
    let isIn = true;
    const leaveOnce = () => {
      if (isIn) leave();
      isIn = false;
    };
    const earlier = async () => {
      leaveOnce();
      await before;
    };
    const again = async () => {
      if (!isIn) await enter();
      isIn = true;
    };
    results.push(run(job, { earlier, again }).finally(leaveOnce));
  }
  return Promise.all(results);
}
