import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ContextManager,
  type ConversationToolName,
  conversationToolNames,
  type FileEffect,
  followFiles,
  isTurnRefusal,
  type Rendering,
  renderContext,
  runConversationTool,
  runTool,
  timeSortedIds,
  type Workspace,
} from "@holdfast/core";
import type { ToolArguments } from "./printer.js";

/** What the model reads, and what came of its call. */
export interface ToldReply {
  readonly text: string;
  readonly code: string;
  readonly success: boolean;
}

/**
 * The conversation of the tour: every call of the model and every answer is a node of a tree, with what it
 * did to files, as a host keeps it.
 */
export class Talk {
  readonly manager = new ContextManager({
    ids: timeSortedIds(Date.now, (bytes) => randomBytes(bytes)),
    now: Date.now,
    title: "The tour",
  });

  constructor(
    private readonly workspace: Workspace,
    private readonly folder: string,
  ) {}

  /** A turn of the user. */
  say(text: string): void {
    const node = this.manager.commitStagedItems(text);
    if (isTurnRefusal(node)) throw new Error(node.message);
  }

  /** A call of the model, of a file tool or of one of the conversation's own. */
  async call(name: string, args: ToolArguments): Promise<ToldReply> {
    const callId = `call_${this.manager.context.nodes.size}`;
    const asked = this.manager.addNode({ kind: "tool_call", callId, name, args });
    if (isTurnRefusal(asked)) throw new Error(asked.message);
    return isConversationTool(name) ? this.callOwn(name, args, callId) : this.callFiles(name, args, callId);
  }

  /** What the model would be sent now. */
  prompt(): Rendering {
    return renderContext(this.manager.context);
  }

  private async callOwn(name: string, args: ToolArguments, callId: string): Promise<ToldReply> {
    const { manager, workspace } = this;
    const files = followFiles(manager, workspace, () => randomBytes(8).toString("hex"));
    const { text, code, isError } = await runConversationTool(name, args, { manager, callId, files });
    return { text, code, success: !isError };
  }

  private async callFiles(name: string, args: ToolArguments, callId: string): Promise<ToldReply> {
    const path = args.file_path ?? "";
    const before = this.hashOf(path);
    const reply = await runTool(name, args, {
      workspace: this.workspace,
      wire: "text",
      resultContent: "auto",
    });
    const after = this.hashOf(path);
    const effect: FileEffect = { path, before, after, by: before === after ? "seen" : "tool" };
    const isError = reply.success ? {} : { isError: true };
    this.manager.addNode({
      kind: "tool_result",
      callId,
      name,
      output: reply.text,
      files: [effect],
      ...isError,
    });
    return reply;
  }

  private hashOf(path: string): string | null {
    try {
      return createHash("sha256")
        .update(readFileSync(join(this.folder, path)))
        .digest("hex");
    } catch {
      return null;
    }
  }
}

function isConversationTool(name: string): boolean {
  const own: readonly ConversationToolName[] = conversationToolNames;
  return own.some((tool) => tool === name);
}
