import {
  type ConversationContext,
  type ConversationRefusal,
  isTurnRefusal,
  openCalls,
  refuseTurn,
  type ToolCall,
  type TurnNode,
  type TurnPayload,
} from "../../conversation/index.js";
import { runToolWithResult, type ToolContext } from "../run-tool.js";
import type { ToolReply } from "../wire/result.js";
import { findConversationTool } from "./catalog.js";
import type { ConversationHost } from "./conversation-tool.js";
import { fileEffects, shownTexts } from "./file-traces.js";
import { type ConversationReply, runConversationTool } from "./run-conversation-tool.js";

export interface ToolTurnContext extends ConversationHost, ToolContext {
  /** The call of the model that is answered; it waits for its result where the head stands. */
  readonly callId: string;
  /** The tool's own name, where the model calls it by another; the call's unless given. */
  readonly name?: string;
  /** As the model gave them, where the tree holds them in another form; the call's unless given. */
  readonly args?: unknown;
}

interface Ran {
  /** What the model reads: the output of the node. */
  readonly text: string;
  readonly code: ToolReply["code"] | ConversationReply["code"];
  readonly isError: boolean;
}

export type ToolTurn =
  | (Ran & { readonly kind: "answered"; readonly node: TurnNode })
  /** The tool ran, and its result came too late: the user had spoken, or the journal was gone. */
  | (Ran & { readonly kind: "unrecorded"; readonly refusal: ConversationRefusal });

/**
 * Carries out a call of the model that stands in the tree: runs the tool of its name, of files or of the
 * conversation, and adds the result with the lines it shows (`shows`) and what it did to files (`files`).
 * What the tool refuses is an answer like any other.
 *
 * @returns the answer; a refusal where nothing was run: `unmatched_result` (no such call waits there), or
 *   why the conversation cannot be changed.
 */
export async function runToolTurn(context: ToolTurnContext): Promise<ToolTurn | ConversationRefusal> {
  const { manager, callId } = context;
  if (manager.readOnly !== undefined) return manager.readOnly;
  const { currentNodeId } = manager.context;
  const open = openCalls(manager.context, currentNodeId).find(({ call }) => call.callId === callId);
  if (open === undefined) return unmatched(callId);
  const { nodeId, call } = open;
  const { name = call.name, args = call.args } = context;
  if (findConversationTool(name) === undefined) return runOnFiles({ name, args, call }, context);
  const { text, code, isError } = await runConversationTool(name, args, context);
  const node = resultBelow(manager.context, nodeId, callId);
  if (node === undefined) return { kind: "unrecorded", text, code, isError, refusal: unmatched(callId) };
  return { kind: "answered", text, code, isError, node };
}

interface FileCall {
  readonly name: string;
  readonly args: unknown;
  readonly call: ToolCall;
}

async function runOnFiles(
  { name, args, call }: FileCall,
  context: ToolTurnContext,
): Promise<ToolTurn | ConversationRefusal> {
  const { result, reply } = await runToolWithResult(name, args, context);
  const { text, code } = reply;
  const [shows, files] = [shownTexts(result, text), fileEffects(result)];
  const payload: TurnPayload = {
    kind: "tool_result",
    callId: call.callId,
    name: call.name,
    output: text,
    ...(reply.success ? {} : { isError: true }),
    ...(shows.length === 0 ? {} : { shows }),
    ...(files.length === 0 ? {} : { files }),
  };
  const ran: Ran = { text, code, isError: !reply.success };
  const node = context.manager.addNode(payload);
  if (isTurnRefusal(node)) return { ...ran, kind: "unrecorded", refusal: node };
  return { ...ran, kind: "answered", node };
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
  return refuseTurn("unmatched_result", `No call ${callId} waits for its result where the head stands.`);
}
