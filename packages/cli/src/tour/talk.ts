import { randomBytes } from "node:crypto";
import {
  ContextManager,
  carryOut,
  followFiles,
  isRefusal,
  type Rendering,
  renderContext,
  timeSortedIds,
  type Workspace,
} from "@holdfast/core";
import type { ToolArguments } from "./printer.js";

/** The answer to a call, as the model reads it. */
export interface CallReply {
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

  constructor(private readonly workspace: Workspace) {}

  /** A turn of the user. */
  addUserMessage(text: string): void {
    const node = this.manager.commitStagedItems(text);
    if (isRefusal(node)) throw new Error(node.message);
  }

  /** A call of the model, of a file tool or of one of the conversation's own. */
  async call(name: string, args: ToolArguments): Promise<CallReply> {
    const callId = `call_${this.manager.context.nodes.size}`;
    const asked = this.manager.addAnswer({
      step: callId,
      parts: [{ kind: "tool_call", callId, name, args }],
    });
    if (isRefusal(asked)) throw new Error(asked.message);
    const { manager, workspace } = this;
    const files = followFiles(manager, workspace, () => randomBytes(8).toString("hex"));
    const turn = await carryOut({ callId }, { manager, workspace, files });
    if (turn.kind !== "answered") throw new Error("a result could not be recorded");
    return { text: turn.text, code: turn.code, success: !turn.isError };
  }

  /** What the model would be sent now. */
  prompt(): Rendering {
    return renderContext(this.manager.context);
  }
}
