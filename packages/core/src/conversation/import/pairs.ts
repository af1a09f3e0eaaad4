import type { NewNode } from "../event.js";

/** A call without a result, or a result without a call. */
export interface BrokenPair {
  readonly nodeId: string;
  readonly message: string;
}

/**
 * Calls and results that do not belong together one to one on their paths.
 *
 * @param nodes parents before their children.
 */
export function brokenPairs(nodes: readonly NewNode[]): readonly BrokenPair[] {
  const pairs = new PairCheck();
  for (const node of nodes) pairs.add(node);
  return pairs.finish();
}

/** A call that waits for its result, or the end of the list. */
interface UnansweredCall {
  readonly nodeId: string;
  readonly callId: string;
  readonly name: string;
  readonly step: string | undefined;
}

class PairCheck {
  private readonly open = new Map<string, readonly UnansweredCall[]>();
  private readonly parents = new Set<string>();
  private readonly broken = new Map<string, BrokenPair>();

  add(node: NewNode): void {
    if (node.parentId !== null) this.parents.add(node.parentId);
    const before = this.open.get(node.parentId ?? "") ?? [];
    this.open.set(node.id, this.after(node, before));
  }

  finish(): readonly BrokenPair[] {
    for (const [nodeId, calls] of this.open) if (!this.parents.has(nodeId)) this.unanswered(calls);
    return [...this.broken.values()];
  }

  private after({ id, payload }: NewNode, before: readonly UnansweredCall[]): readonly UnansweredCall[] {
    switch (payload.kind) {
      case "tool_call": {
        const { callId, name, step } = payload;
        const others = before.filter((call) => call.step !== step);
        this.unanswered(others);
        return [...before.filter((call) => call.step === step), { nodeId: id, callId, name, step }];
      }
      case "tool_result":
        return this.answered(id, payload.callId, before);
      case "model_message":
        if (before.some(({ step }) => step === undefined || step !== payload.step)) this.unanswered(before);
        return before.filter(({ step }) => step !== undefined && step === payload.step);
      case "user_message":
        this.unanswered(before);
        return [];
      case "task_boundary":
        return [];
      default:
        return before;
    }
  }

  private answered(
    nodeId: string,
    callId: string,
    before: readonly UnansweredCall[],
  ): readonly UnansweredCall[] {
    const at = before.findIndex((call) => call.callId === callId);
    if (at < 0) this.report(nodeId, `The result of ${callId} has no open call above it.`);
    return at < 0 ? before : before.toSpliced(at, 1);
  }

  private unanswered(calls: readonly UnansweredCall[]): void {
    for (const { nodeId, callId, name } of calls)
      this.report(nodeId, `The call ${callId} of ${name} was never answered.`);
  }

  private report(nodeId: string, message: string): void {
    if (!this.broken.has(nodeId)) this.broken.set(nodeId, { nodeId, message });
  }
}
