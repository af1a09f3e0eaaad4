import { type AnsweredCall, type ContextManager, openCall } from "../../conversation/index.js";
import type { JsonObject } from "../../conversation/values/index.js";
import type { ConversationCode } from "../../files/values/index.js";
import { isRefusal } from "../../files/values/index.js";
import { causeOf, defined } from "../../text/index.js";
import { catching } from "../run/run-tool.js";
import { ignoredIn, intentOf, withIgnored } from "../tool/arguments.js";
import { carryConversation } from "./carry-conversation.js";
import { type ConversationAnswer, type ConversationHost, renderAnswer } from "./conversation-tool.js";
import { meantCall, toolOfName } from "./tool-of-name.js";

/** What a call or a command gets back. `code` is "ok" or says why nothing was done. */
export interface ConversationReply {
  /** What the caller reads. */
  readonly text: string;
  readonly isError: boolean;
  readonly code: ConversationCode | "ok" | "internal_error";
  readonly data?: JsonObject;
}

/** The host of one run, and who asks. */
export interface ConversationToolContext extends ConversationHost {
  /** The call of the model that asks; absent where a person does, by a command. */
  readonly callId?: string;
  /** The name that the call has in the tree; that of the tool unless given. */
  readonly calledAs?: string;
  /** Told what was thrown, for the host's log. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}

/**
 * Runs a conversation tool by name. Where a call of the model asked, its result is a node of the tree when
 * this resolves: on the branch that the call stands on, also where the head has left it.
 *
 * @param name of a tool; see `conversationTools` and `conversationTool`.
 * @param args as the caller gave them; checked here.
 */
export async function runConversationTool(
  name: string,
  args: unknown,
  context: ConversationToolContext,
): Promise<ConversationReply> {
  const { manager, callId, calledAs = name } = context;
  const reply = await obtainReply(name, args, context);
  if (callId !== undefined) recordResult(manager, { name: calledAs, callId }, reply);
  return reply;
}

async function obtainReply(
  name: string,
  args: unknown,
  context: ConversationToolContext,
): Promise<ConversationReply> {
  const meant = meantCall({ name, args });
  const tool = toolOfName(meant.name);
  if (tool?.kind !== "conversation")
    return refused("invalid_arguments", "There is no conversation tool of this name.");
  const work = async () => {
    const request = intentOf(tool, meant.args);
    if (isRefusal(request)) return refused("invalid_arguments", request.message);
    const { callId, calledAs = name } = context;
    const answered = (output: string): AnsweredCall => ({ callId: callId ?? "", name: calledAs, output });
    const result = await carryConversation(context, request, {
      byModel: callId !== undefined,
      answered,
      answering: (told) => (callId === undefined ? undefined : answered(renderAnswer(told))),
    });
    const ignored = ignoredIn(tool, meant.args);
    if (isRefusal(result)) return refused(result.code, withIgnored(result.message, ignored));
    return told(result, ignored);
  };
  return catching(name, work, context, (error) =>
    refused(
      "internal_error",
      `${name} failed unexpectedly (${causeOf(error)}); look at the state before you go on.`,
    ),
  );
}

function told(answer: ConversationAnswer, ignored: string): ConversationReply {
  const text = [...(ignored === "" ? [] : [ignored]), renderAnswer(answer)].join("\n");
  return { text, isError: false, code: "ok", ...defined({ data: answer.data }) };
}

function refused(code: ConversationReply["code"], message: string): ConversationReply {
  return { text: `${code}: ${message}`, isError: true, code };
}

/** A call that moved the head was answered with the move; every other is answered now. */
function recordResult(
  manager: ContextManager,
  { name, callId }: { readonly name: string; readonly callId: string },
  { text, isError }: ConversationReply,
): void {
  const { context } = manager;
  const waits = openCall(context, context.currentNodeId, { callId }) !== undefined;
  if (!waits) return;
  const failed = isError ? { isError } : {};
  const added = manager.addNode({ kind: "tool_result", callId, name, output: text, ...failed });
  if (isRefusal(added)) throw new Error(`a result could not be recorded: ${added.message}`);
}
