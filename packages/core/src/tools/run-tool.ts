import { DiskFault, type FileState, refuse, type WriteOutcome } from "../files/index.js";
import { parseArguments } from "./arguments.js";
import { findTool } from "./catalog.js";
import type { Tool, ToolWorkspace } from "./tool.js";
import { defaultWireOptions, type WireOptions } from "./wire/options.js";
import { renderResult } from "./wire/render.js";
import type { ToolReply, ToolResult } from "./wire/result.js";

/** The form is `text` and the content `auto` unless given. */
export interface ToolContext extends Partial<WireOptions> {
  readonly workspace: ToolWorkspace;
  /** Refuses every writing tool with `read_only`. */
  readonly readOnly?: boolean;
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

/** `runTool` for those who also need what the reply was rendered from. */
export async function runToolWithResult(
  name: string,
  args: unknown,
  context: ToolContext,
): Promise<{ readonly result: ToolResult; readonly reply: ToolReply }> {
  const tool = findTool(name);
  const result = tool === undefined ? unknownTool() : await obtainResult(tool, args, context);
  const { wire = defaultWireOptions.wire, resultContent = defaultWireOptions.resultContent } = context;
  return { result, reply: renderResult(result, { wire, resultContent }) };
}

async function obtainResult(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const writing = !tool.annotations.readOnly;
  if (writing && context.readOnly === true) {
    const message = `This server is read-only: ${tool.name} is not offered, nothing was written.`;
    const several = tool.several === true;
    return { kind: "refused", refusal: refuse("read_only", message), writing, several };
  }
  const parsed = parseArguments(tool, args);
  if (parsed.kind === "refusal") return refused(parsed.code, parsed.message, args, tool, context);
  try {
    return await tool.run(context.workspace, parsed.values);
  } catch (error) {
    context.onError?.(error, tool.name);
    const reason = error instanceof DiskFault ? error.message : `${tool.name} failed unexpectedly`;
    const check = writing ? " Check the file's state before you go on." : "";
    return refused("internal_error", `Internal Error: ${reason}.${check}`, args, tool, context);
  }
}

/**
 * A refusal with the true state where that can be read. Reading it counts as a read, so it is done only
 * where the content is shown, too.
 */
async function refused(
  code: "internal_error" | "invalid_arguments",
  message: string,
  args: unknown,
  tool: Tool,
  context: ToolContext,
): Promise<ToolResult> {
  const writing = !tool.annotations.readOnly;
  const several = tool.several === true;
  const path = pathOf(args);
  const wanted = writing && !several && (code === "internal_error" || context.resultContent === "full");
  const state = wanted && path !== undefined ? await latestState(context.workspace, path) : null;
  if (state === null) {
    const named = path === undefined ? {} : { path };
    return { kind: "refused", refusal: refuse(code, message), writing, several, ...named };
  }
  const outcome: WriteOutcome = { kind: "write", success: false, code, message, state, shownBefore: false };
  return { kind: "write", outcome };
}

async function latestState(workspace: ToolWorkspace, path: string): Promise<FileState | null> {
  try {
    const outcome = await workspace.read({ path });
    return outcome.kind === "read" ? outcome.state : null;
  } catch {
    // The disk that broke the call may break this read, too; the call's own failure is reported already.
    return null;
  }
}

function pathOf(args: unknown): string | undefined {
  if (typeof args !== "object" || args === null || !("file_path" in args)) return undefined;
  return typeof args.file_path === "string" && args.file_path !== "" ? args.file_path : undefined;
}

function unknownTool(): ToolResult {
  const refusal = refuse("invalid_arguments", "There is no tool of this name.");
  return { kind: "refused", refusal, writing: false };
}
