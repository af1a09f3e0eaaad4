import type { Visibility } from "../../context/index.js";
import { isOnPath, lastOfAnswer, openCall, settleLate, versionAtNode } from "../../conversation/index.js";
import type {
  ConversationContext,
  ConversationRefusal,
  FileEffect,
  RepeatedLines,
  ShownText,
  ToolCall,
  TurnNode,
  TurnPayload,
} from "../../conversation/values/index.js";
import { deltaReads } from "../../economy/index.js";
import type { Workspace, WriteCaller } from "../../files/index.js";
import type { ShownLines } from "../../files/seen/index.js";
import {
  type FileRequest,
  type FileState,
  isRefusal,
  type ReadOutcome,
  refuse,
  type WriteOutcome,
} from "../../files/values/index.js";
import { splitByFile } from "../../patch/index.js";
import { defined } from "../../text/index.js";
import { type HostScope, type HostTool, type HostToolResult, runHostTool } from "../run/host-tool.js";
import { type MediaKind, mediaOfRead, mediaReply, type ReadMedia } from "../run/read-media.js";
import { runToolWithResult, type ToolContext, type ToolRun } from "../run/run-tool.js";
import { type FileTool, fileOfRefusal, intentOf, type ToolWorkspace } from "../tool/tool.js";
import type { ToolReply, ToolResult } from "../wire/result.js";
import type { ConversationHost } from "./conversation-tool.js";
import { type ConversationReply, runConversationTool } from "./run-conversation-tool.js";
import { meantCall, toolOfName } from "./tool-of-name.js";

/** A call of the model that stands in the tree. */
export interface RecordedCall {
  readonly callId: string;
  /** The node of the call; where the head stands unless given. */
  readonly at?: string;
  /** The tool's own name, where the model calls it by another; the call's unless given. */
  readonly name?: string;
  /** As the model gave them, where the tree holds them in another form; the call's unless given. */
  readonly args?: unknown;
}

/** What a call is carried out with. */
export interface TurnHost extends ConversationHost, Omit<ToolContext, "knowledge"> {
  /** Images and PDF are read where it can read bytes. */
  readonly workspace: ToolWorkspace & Partial<Pick<Workspace, "readBytes">>;
  /** What `read_file` shows of files that are no text, as media of its result; both unless given. */
  readonly media?: readonly MediaKind[];
  /** Tools of the host's own, such as a shell or those of an MCP server; they are asked for first. */
  readonly hostTools?: readonly HostTool[];
  /**
   * The prompt as it would be now, where results shall not repeat what it shows: for conversations whose every prompt a
   * `ContextRenderer` makes. Without it every result is sent whole.
   */
  readonly deltaReads?: () => Pick<Visibility, "blocks">;
  /** Told how far a long call is. Must not throw. */
  readonly progress?: (callId: string, ...told: Parameters<HostScope["progress"]>) => void;
}

interface Ran {
  /** What the model reads: the output of the node. */
  readonly text: string;
  readonly code: ToolReply["code"] | ConversationReply["code"] | HostToolResult["code"];
  readonly isError: boolean;
}

/** How carrying out went: the tool ran, and its result is a node; or it could not become one any more. */
export type Carried = (
  | (Ran & { readonly kind: "answered"; readonly node: TurnNode })
  | (Ran & { readonly kind: "unrecorded"; readonly refusal: ConversationRefusal })
) & {
  /** Where the result came late: the node below the head that says what the call did to files, if it did anything. */
  readonly told?: TurnNode;
  /** What the answer was made of, as data: of a tool of files, whose media are no such answer, or of the host. */
  readonly run?: ToolRun | HostToolResult;
};

/**
 * Carries out a call of the model that stands in the tree: takes its turn among the calls about the same
 * files (reads side by side, changes in the order of these calls), asks, runs, and adds the result below the
 * call's own answer, wherever the head is by then, with the lines it shows and what it did to files. What a
 * tool refuses is an answer like any other.
 *
 * @returns a refusal where nothing was run: `unmatched_result` (no such call waits there), or why the
 *   conversation cannot be changed.
 */
export async function carryOut(call: RecordedCall, host: TurnHost): Promise<Carried | ConversationRefusal> {
  const { manager } = host;
  if (manager.readOnly !== undefined) return manager.readOnly;
  const open = standingCall(manager.context, call);
  if (open === undefined) return unmatched(call.callId);
  const { name, args } = meantCall(
    { name: call.name ?? open.call.name, args: call.args ?? open.call.args },
    host.hostTools,
  );
  const tool = toolOfName(name, host.hostTools);
  const { paths, shared, encoding }: CallPaths = tool?.kind === "file" ? pathsOfCall(tool, args) : everything;
  const running: RunningCall = { ...open, name, args, encoding };
  if (tool?.kind === "conversation") return onConversation(running, host);
  // The place in the queues is taken before anything is awaited.
  const keys = paths.map((path) => manager.manifests.naming(path));
  manager.running.add(running.nodeId);
  const release = await manager.turns.acquire(keys, { shared, signal: host.signal });
  try {
    return tool?.kind === "host" ? await onHost(tool, running, host) : await onFiles(running, host);
  } finally {
    manager.running.delete(running.nodeId);
    release?.();
  }
}

/** Nobody knows what a tool of the host touches: it runs beside everything, and files are hashed anyway. */
const everything = { paths: [], shared: true } as const;

interface RunningCall {
  readonly nodeId: string;
  readonly call: ToolCall;
  readonly name: string;
  readonly args: unknown;
  /** The encoding that it insists on: under another one the lines that it shows are other lines. */
  readonly encoding: string | undefined;
}

async function onFiles(running: RunningCall, host: TurnHost): Promise<Carried> {
  const { manager } = host;
  const knowledge = manager.knowledge.forCall(running.nodeId, {
    isTold: host.deltaReads === undefined,
  });
  try {
    const run = await runToolWithResult(running.name, running.args, {
      ...host,
      knowledge,
      caller: callerOf(running, host),
    });
    const { result, reply, ignored } = run;
    const media = await mediaOfRead(result, host.workspace, host.media ?? ["image", "pdf"]);
    if (media !== undefined) return recordMedia(running, media, ignored, host);
    const insisted = defined({ encoding: running.encoding });
    const refers = reply.refers.flatMap((lines) => knowledge.asShown({ ...lines, ...insisted }));
    const { text, code, success } = reply;
    const facts = factsOf({
      shows: reply.shows.map((shown) => ({ ...shown, ...insisted })),
      refers,
      files: fileEffects(result, reply.shown),
    });
    const repeats = asksForAll(running.args) ? [] : repeatsOf(text, facts.shows ?? [], host);
    const all = repeats.length > 0 ? { ...facts, repeats } : facts;
    return { ...record(running, { text, code, isError: !success }, all, host), run };
  } finally {
    // Its result is a node by now: what it learnt is told there.
    knowledge.end([]);
  }
}

/** An image or a PDF is a state that was seen, of which no line is shown. */
function recordMedia(running: RunningCall, media: ReadMedia, ignored: string, host: TurnHost): Carried {
  const { path, mimeType, data, sha256: after } = media;
  const { text, code } = mediaReply(media, host.wire ?? "text", ignored);
  const facts = factsOf({ media: [{ mimeType, data }], files: [{ path, after, by: "seen" }] });
  return record(running, { text, code, isError: false }, facts, host);
}

async function onHost(tool: HostTool, running: RunningCall, host: TurnHost): Promise<Carried> {
  const { callId } = running.call;
  const result = await runHostTool(tool, running.args, {
    caller: callerOf(running, host),
    manager: host.manager,
    ...(host.signal === undefined ? {} : { signal: host.signal }),
    progress: (...told) => host.progress?.(callId, ...told),
    ...(host.onError === undefined ? {} : { onError: host.onError }),
  });
  const { text, code, media = [], files = [], touched } = result;
  const facts = { ...factsOf({ media, files }), ...defined({ touched }) };
  return { ...record(running, { text, code, isError: code !== "ok" }, facts, host), run: result };
}

async function onConversation(running: RunningCall, host: TurnHost): Promise<Carried> {
  const { nodeId, call, name, args } = running;
  const { text, code, isError } = await runConversationTool(name, args, {
    ...host,
    callId: call.callId,
    calledAs: call.name,
  });
  const node = resultBelow(host.manager.context, nodeId, call.callId);
  if (node === undefined) {
    return { kind: "unrecorded", text, code, isError, refusal: unmatched(call.callId) };
  }
  return { kind: "answered", text, code, isError, node };
}

/** With each write it is recorded which call made it: so it is found again where the result is lost. */
function callerOf({ nodeId }: RunningCall, { manager }: TurnHost): WriteCaller {
  return { conversation: manager.context.sessionId, call: nodeId };
}

/** `full` of the tools that read. */
function asksForAll(args: unknown): boolean {
  return typeof args === "object" && args !== null && "full" in args && args.full === true;
}

/** What of an answer's lines the prompt shows already. */
function repeatsOf(
  text: string,
  shows: readonly ShownText[],
  { manager: { context }, deltaReads: prompt }: TurnHost,
): readonly RepeatedLines[] {
  if (prompt === undefined || shows.length === 0) return [];
  const visible = prompt();
  return deltaReads({
    text,
    shows,
    blocks: (path) => visible.blocks(path),
    versionOf: (nodeId, state) => versionAtNode(context, nodeId, state),
  });
}

type ResultFacts = Pick<
  Extract<TurnPayload, { kind: "tool_result" }>,
  "shows" | "refers" | "repeats" | "files" | "media" | "touched"
>;

/** What there is of these facts; a result without a fact of a kind has no key for it. */
function factsOf(facts: Omit<ResultFacts, "touched">): ResultFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, of]) => of.length > 0));
}

/** Adds the result below the last node of the call's own answer: on its branch, also where the head left it. */
function record({ nodeId, call }: RunningCall, ran: Ran, facts: ResultFacts, host: TurnHost): Carried {
  const { manager } = host;
  const payload: TurnPayload = {
    kind: "tool_result",
    callId: call.callId,
    name: call.name,
    output: ran.text,
    ...(ran.isError ? { isError: true } : {}),
    ...facts,
  };
  const node = manager.addNode(payload, lastOfAnswer(manager.context, nodeId).id);
  const { context } = manager;
  const isAside = isRefusal(node) || !isOnPath(context, node.id, context.currentNodeId);
  const isLate = isAside && (isRefusal(node) || isOnPath(context, nodeId, context.currentNodeId));
  const told = isLate ? settleLate(manager, nodeId, facts.files ?? []) : undefined;
  const late = told === undefined || isRefusal(told) ? {} : { told };
  return isRefusal(node)
    ? { ...ran, ...late, kind: "unrecorded", refusal: node }
    : { ...ran, ...late, kind: "answered", node };
}

function standingCall(
  context: ConversationContext,
  { callId, at }: RecordedCall,
): { readonly nodeId: string; readonly call: ToolCall } | undefined {
  const where = at === undefined ? context.currentNodeId : lastIn(context, at);
  if (where === undefined) return undefined;
  const open = openCall(context, where, { callId });
  return open !== undefined && (at === undefined || open.nodeId === at) ? open : undefined;
}

function lastIn(context: ConversationContext, nodeId: string): string | undefined {
  return context.nodes.has(nodeId) ? lastOfAnswer(context, nodeId).id : undefined;
}

/** The result of a call, which a move of the head may have left on another branch. */
function resultBelow(context: ConversationContext, nodeId: string, callId: string): TurnNode | undefined {
  const below = [nodeId];
  for (const id of below) {
    const node = context.nodes.get(id);
    if (node?.payload.kind === "tool_result" && node.payload.callId === callId) return node;
    below.push(...(node?.childIds ?? []));
  }
  return undefined;
}

function unmatched(callId: string): ConversationRefusal {
  return refuse("unmatched_result", `No call ${callId} waits for its result where the head stands.`);
}

/** The files that a call is about, as far as its arguments name them, and whether it only looks at them. */
export interface CallPaths {
  readonly paths: readonly string[];
  readonly shared: boolean;
  /** The encoding that the call insists on. */
  readonly encoding?: string;
}

/**
 * Read off the arguments alone, so that calls can take their turns before anything is looked at. A call with wrong
 * arguments looks at one file at most: the one that its refusal shows.
 */
export function pathsOfCall(tool: FileTool, args: unknown): CallPaths {
  const intent = intentOf(tool, args);
  if (intent.kind === "refusal") {
    const path = fileOfRefusal(tool, args, intent);
    return path === undefined ? none : { paths: [path], shared: true };
  }
  const { request } = intent;
  const encoding = "encoding" in request ? request.encoding : undefined;
  return { ...pathsOf(request), ...defined({ encoding }) };
}

const none: CallPaths = { paths: [], shared: true };

function pathsOf(request: FileRequest): CallPaths {
  switch (request.kind) {
    case "read":
      return { paths: [request.path], shared: true };
    case "read_many":
      return { paths: request.paths ?? [], shared: true };
    case "list":
    case "find":
    case "search":
      return none;
    case "apply_changes":
      return {
        paths: "changes" in request ? pathsOfChanges(request) : pathsOfDiff(request.diff),
        shared: false,
      };
    default:
      return { paths: [request.path], shared: false };
  }
}

function pathsOfChanges(
  request: Extract<FileRequest, { readonly kind: "apply_changes"; readonly changes: unknown }>,
): readonly string[] {
  return request.changes.flatMap(({ path, renameTo }) =>
    renameTo === undefined ? [path] : [path, renameTo],
  );
}

function pathsOfDiff(diff: string): readonly string[] {
  const split = splitByFile(diff, mostMs);
  if (split.kind === "refusal") return [];
  return split.files.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
}

/**
 * The place in the queues is taken before anything else has a turn, so this holds the thread. A diff that takes longer
 * is large; its call then waits for no other call, and the files' own locks keep the order of the writes.
 */
const mostMs = 40;

/**
 * What a tool did to files or found out about them: a read has seen a state; a write has replaced one by
 * another; a refusal that tells the true state has seen it.
 *
 * @param shown what the reply shows.
 */
function fileEffects(result: ToolResult, shown: readonly ShownLines[]): readonly FileEffect[] {
  return tracesOf(result).flatMap(({ state, written }): readonly FileEffect[] => {
    if (state === null) return [];
    const { path, sha256: after } = state;
    if (written === undefined || written.kind !== "written")
      return [{ path, after, by: "seen", ...told(state), ...sinceIn(shown, state) }];
    const { replaced, change, state: now, movedFrom, own } = written;
    const { changes, authored, derived, total } = change;
    const facts = total === undefined ? {} : { changes, authored, derived, lines: total };
    const from = movedFrom === undefined ? {} : { from: movedFrom };
    return [{ path, before: replaced, after, by: "tool", ...facts, ...from, version: now.version, own }];
  });
}

/** How the state came about, where the reply shows all that differs from one that the caller knows. */
function sinceIn(
  shown: readonly ShownLines[],
  { path, sha256 }: FileState,
): Pick<FileEffect, "before" | "changes"> {
  const since = shown.find((lines) => lines.path === path && lines.sha256 === sha256)?.since;
  return since === undefined ? {} : { before: since.before, changes: since.changes };
}

/** What the reply told of a state that is there, besides its hash. */
function told({ sha256, version, facts }: FileState): Pick<FileEffect, "lines" | "version"> {
  if (sha256 === null) return {};
  return { version, ...(facts === undefined ? {} : { lines: facts.totalLines }) };
}

interface Trace {
  readonly state: FileState | null;
  readonly written?: WriteOutcome;
}

function tracesOf(result: ToolResult): readonly Trace[] {
  switch (result.kind) {
    case "read":
      return traceOfRead(result.outcome);
    case "read_many":
      return result.outcome.files.flatMap(traceOfRead);
    case "write":
      return tracesOfWrite(result.outcome);
    case "change_set":
      return result.outcome.files.flatMap(({ outcome }) => tracesOfWrite(outcome));
    case "list":
    case "find":
    case "search":
    case "preview":
    case "refused":
      return [];
    default:
      return result satisfies never;
  }
}

function traceOfRead(outcome: ReadOutcome): readonly Trace[] {
  return outcome.kind === "read" ? [{ state: outcome.state }] : [];
}

function tracesOfWrite(written: WriteOutcome): readonly Trace[] {
  return [{ state: written.state, written }, ...(written.together ?? []).flatMap(tracesOfWrite)];
}
