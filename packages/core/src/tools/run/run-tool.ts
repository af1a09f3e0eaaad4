import {
  DiskFault,
  type MadeState,
  outcomeOfOneFile,
  type Preview,
  type RunScope,
  type WriteCaller,
} from "../../files/index.js";
import type { CallKnowledge, Knowledge, ShownLines } from "../../files/seen/index.js";
import {
  type ApplyChangesOutcome,
  type FileOutcome,
  type FileRequest,
  type FileState,
  isLook,
  isRefusal,
  refuse,
  type WriteOutcome,
} from "../../files/values/index.js";
import { causeOf, defined } from "../../text/index.js";
import { findTool, tools } from "../file-tools/catalog.js";
import { type Approve, carryApproved, type Question } from "../tool/approval.js";
import {
  type ArgumentRefusal,
  type FileIntent,
  type FileTool,
  fileOfRefusal,
  ignoredIn,
  intentOf,
  parseArguments,
  type ToolWorkspace,
} from "../tool/tool.js";
import { phraseResult, vocabularyOf } from "../tool/vocabulary.js";
import { defaultWireOptions, type SharedRoom, type Spoken, type WireOptions } from "../wire/options.js";
import { printedSize, renderResult } from "../wire/render.js";
import type { ToolReply, ToolResult } from "../wire/result.js";

/** The form is `text` and the content `auto` unless given. */
export interface ToolContext extends Partial<Omit<WireOptions, "vocabulary">> {
  readonly workspace: ToolWorkspace;
  /** The tools that the caller has; refusals name no others. Those of the default set unless given. */
  readonly offered?: readonly FileTool[];
  /** In place of `budgetChars` and `within`, where several calls share what the host lets through. */
  readonly room?: SharedRoom;
  /** Refuses every writing tool with `read_only`. */
  readonly readOnly?: boolean;
  /** What the caller was shown; that of the workspace's own session unless given. */
  readonly knowledge?: Knowledge;
  /** The call of a conversation that is carried out, as `RunScope.caller`. */
  readonly caller?: WriteCaller;
  /** Cancels the call, as `RunScope.signal`. */
  readonly signal?: AbortSignal;
  /** What the same call came to, whose answer was never delivered; as `RunScope.repeats`. */
  readonly repeats?: MadeState;
  /** Asks a person before every change that would be made. */
  readonly approve?: Approve;
  /** Told what was thrown, for the host's log; the model never sees it. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}

/**
 * Runs a tool by name: validates the arguments, runs it, renders the answer. The one place where what the
 * tools throw is caught; it never rejects and its answers hold no stack trace.
 */
export async function runTool(name: string, args: unknown, context: ToolContext): Promise<ToolReply> {
  return (await runToolWithResult(name, args, context)).reply;
}

/**
 * What a person is to be asked about a call, for hosts that ask between two runs of their own. Nothing is learnt
 * or written by it. Rejects where the disk fails: then nobody knows what the call would do.
 *
 * @returns undefined for a call that changes nothing now or would be refused: it needs nobody's consent.
 */
export async function questionOf(
  name: string,
  args: unknown,
  context: Pick<ToolContext, "workspace" | "readOnly">,
): Promise<Question | undefined> {
  const tool = findTool(name);
  if (tool === undefined || tool.annotations.readOnly || context.readOnly === true) return undefined;
  const intent = intentOf(tool, args);
  if (isRefusal(intent) || isLook(intent.request) || intent.isDryRun === true) return undefined;
  const { request } = intent;
  const preview = await context.workspace.preview(request);
  return preview.kind === "preview" ? { request, preview } : undefined;
}

/** A call's answer as it is sent, and what it was rendered from. */
export interface ToolRun {
  readonly result: ToolResult;
  readonly reply: ToolReply;
  /** What of the arguments was ignored, in a sentence; "" where nothing was. */
  readonly ignored: string;
}

/** `runTool` for those who also need what the reply was rendered from. */
export async function runToolWithResult(name: string, args: unknown, context: ToolContext): Promise<ToolRun> {
  const { wire = defaultWireOptions.wire, resultContent = defaultWireOptions.resultContent } = context;
  // Begun on arrival, before anything is awaited: replies that are sent from here on were not seen by it.
  const own: CallKnowledge | undefined =
    context.knowledge === undefined ? context.workspace.begin() : undefined;
  let shown: readonly ShownLines[] = [];
  try {
    const offered = offeredTo(context);
    const tool = context.offered?.find((one) => one.name === name) ?? findTool(name);
    const knowledge = context.knowledge ?? own;
    const scoped = { ...context, ...(knowledge === undefined ? {} : { knowledge }) };
    const result = tool === undefined ? unknownTool() : await obtainResult(tool, args, scoped);
    const script = context.room === undefined ? {} : { script: "a script" };
    const vocabulary = tool === undefined ? {} : { ...vocabularyOf(tool, offered), ...script };
    const spoken = tool === undefined ? undefined : spokenBy(tool, args, result);
    const ignored = tool === undefined ? "" : ignoredIn(tool, args);
    const reply = renderResult(phraseResult(result, vocabulary), {
      ...context,
      ...context.room?.left(),
      wire,
      resultContent,
      vocabulary,
      ...(spoken === undefined ? {} : { spoken }),
      ...(ignored === "" ? {} : { ignored }),
    });
    context.room?.take(printedSize(reply));
    shown = reply.shown;
    return { result, reply, ignored };
  } finally {
    const end = () => own?.end(shown);
    if (context.room === undefined) end();
    else context.room.hold(end);
  }
}

function spokenBy(tool: FileTool, args: unknown, result: ToolResult): Spoken | undefined {
  if (tool.spoken === undefined) return undefined;
  const parsed = parseArguments(tool, args);
  return parsed.kind === "refusal" ? undefined : tool.spoken(parsed.values, result);
}

function offeredTo({ offered = tools, readOnly = false }: ToolContext): readonly FileTool[] {
  return readOnly ? offered.filter((tool) => tool.annotations.readOnly) : offered;
}

async function obtainResult(tool: FileTool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const writing = !tool.annotations.readOnly;
  if (writing && context.readOnly === true) {
    const message = `This server is read-only: ${tool.shownAs ?? tool.name} is not offered, nothing was written.`;
    const several = tool.several === true;
    return { kind: "refused", refusal: refuse("read_only", message), writing, several };
  }
  const work = async () => {
    const intent = intentOf(tool, args);
    return isRefusal(intent) ? refuseCall(tool, args, intent, context) : carry(intent, context);
  };
  return catching(tool.name, work, context, (error) => {
    const reason =
      error instanceof DiskFault
        ? error.message
        : `${tool.shownAs ?? tool.name} failed unexpectedly (${causeOf(error)})`;
    const check = writing ? " Check the file's state before you go on." : "";
    const refusal = refuse("internal_error", `Internal Error: ${reason}.${check}`);
    return refuseCall(tool, args, refusal, context);
  });
}

/**
 * Does a tool's work: the one place where what is thrown by mistake is caught, for every door. It is told to
 * the host's log and becomes an answer without a stack trace.
 *
 * @param failed makes the answer; what it throws itself is not caught.
 */
export async function catching<Answer>(
  name: string,
  work: () => Promise<Answer>,
  { onError }: Pick<ToolContext, "onError">,
  failed: (error: unknown) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    onError?.(error, name);
    return failed(error);
  }
}

async function carry(intent: FileIntent, context: ToolContext): Promise<ToolResult> {
  const { knowledge, signal, caller, repeats } = context;
  const scope = defined({ knowledge, signal, caller, repeats });
  const { approve, workspace } = context;
  const { request } = intent;
  if (approve === undefined || isLook(request) || intent.isDryRun === true)
    return resultOf(await carryRequest(workspace, intent, scope));
  return resultOf({ intent, outcome: await carryApproved(workspace, request, scope, approve) });
}

/**
 * A refusal with the true state where that can be read. Reading it counts as a read, so it is done only
 * where the content is shown, too.
 */
async function refuseCall(
  tool: FileTool,
  args: unknown,
  refusal: ArgumentRefusal,
  context: ToolContext,
): Promise<ToolResult> {
  const { code } = refusal;
  const writing = !tool.annotations.readOnly && refusal.looksOnly !== true;
  const several = tool.several === true;
  const path = fileOfRefusal(tool, args, refusal);
  const isShown =
    code === "internal_error" ||
    code === "missing_base" ||
    (code === "invalid_arguments" && context.resultContent === "full");
  const state =
    writing && !several && isShown && path !== undefined ? await latestState(context, path) : null;
  if (state === null) {
    const named = path === undefined ? {} : { path };
    return { kind: "refused", refusal, writing, several, ...named };
  }
  const { looksOnly: _, path: __, ...said } = refusal;
  const outcome = { ...said, success: false, state, shownBefore: false } as const;
  return { kind: "write", outcome };
}

async function latestState({ workspace, knowledge }: ToolContext, path: string): Promise<FileState | null> {
  try {
    const scope = { isUnasked: true, isSilent: true, ...(knowledge === undefined ? {} : { knowledge }) };
    const outcome = await workspace.run({ kind: "read", path }, scope);
    if (outcome.kind !== "read") return null;
    const { state } = outcome;
    return state.lines === undefined ? state : { ...state, content: null };
  } catch {
    // The disk that broke the call may break this read, too; the call's own failure is reported already.
    return null;
  }
}

function unknownTool(): ToolResult {
  const refusal = refuse("invalid_arguments", "There is no tool of this name.");
  return { kind: "refused", refusal, writing: false };
}

/** A request that was carried out, with its answer. */
interface CarriedOut {
  readonly intent: FileIntent;
  readonly outcome: FileOutcome | Preview;
}

/** Carries a call's request out; where the intent names another one for this refusal, that one. */
async function carryRequest(
  workspace: ToolWorkspace,
  intent: FileIntent,
  scope: RunScope,
): Promise<CarriedOut> {
  const carry = (request: FileRequest) =>
    intent.isDryRun !== true || isLook(request)
      ? workspace.run(request, scope)
      : workspace.preview(request, scope);
  const outcome = await carry(intent.request);
  const { otherwise } = intent;
  if (otherwise === undefined || !isRefusal(outcome) || outcome.code !== otherwise.on)
    return { intent, outcome };
  const { request } = otherwise;
  return { intent: { ...intent, request }, outcome: await carry(request) };
}

/** An outcome as what is to be shown of it. */
export function resultOf({ intent, outcome }: CarriedOut): ToolResult {
  switch (outcome.kind) {
    case "read":
      return {
        kind: "read",
        outcome,
        isPage: intent.request.kind === "read" && intent.request.limit === undefined,
      };
    case "read_many":
      return { kind: "read_many", outcome };
    case "listed":
      return { kind: "list", outcome };
    case "found":
      return { kind: "find", outcome };
    case "searched":
      return { kind: "search", outcome };
    case "preview":
      return {
        kind: "preview",
        preview: outcome,
        several: intent.request.kind === "apply_changes" && intent.oneFile !== true,
      };
    case "change_set":
      return ofSet(intent, outcome);
    case "written":
    case "unchanged":
      return ofWrite(intent, outcome);
    case "refusal":
      return ofRefusal(intent, outcome);
    default:
      return outcome satisfies never;
  }
}

type RefusedOutcome = Extract<FileOutcome, { readonly kind: "refusal" }>;

function ofRefusal(intent: FileIntent, outcome: RefusedOutcome): ToolResult {
  if ("files" in outcome) return ofSet(intent, outcome);
  if ("state" in outcome) return ofWrite(intent, outcome);
  switch (intent.request.kind) {
    case "list":
      return { kind: "list", outcome };
    case "find":
      return { kind: "find", outcome };
    case "search":
      return { kind: "search", outcome };
    default:
      return "path" in outcome
        ? { kind: "read", outcome }
        : { kind: "refused", refusal: outcome, writing: false };
  }
}

function ofSet(intent: FileIntent, outcome: ApplyChangesOutcome): ToolResult {
  return intent.oneFile === true && outcome.folder === undefined
    ? ofWrite(intent, outcomeOfOneFile(outcome))
    : { kind: "change_set", outcome };
}

function ofWrite({ request, quiet, sentBytes }: FileIntent, outcome: WriteOutcome): ToolResult {
  const named =
    sentBytes === undefined || outcome.kind !== "written" || !("path" in request)
      ? outcome
      : { ...outcome, message: `Written: ${request.path} (${sentBytes} bytes). ${outcome.message}` };
  return { kind: "write", outcome: named, ...(quiet === undefined ? {} : { quiet }) };
}
