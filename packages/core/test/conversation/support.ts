import { ContextManager } from "../../src/conversation/index.js";
import type {
  ConversationContext,
  ConversationRefusal,
  IdSource,
  TurnNode,
  TurnPayload,
} from "../../src/conversation/values/index.js";
import type { AnyRefusalCode } from "../../src/files/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";

/** Ids that can be foretold: `n1`, `n2`, … */
export function countedIds(prefix = "n"): IdSource {
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}${count}`;
  };
}

/** A clock that goes on by a second each time it is looked at. */
export function steadyClock(from = 1_000_000): () => number {
  let time = from;
  return () => {
    time += 1_000;
    return time;
  };
}

/** A clock that somebody puts back and forth: no two times in a row need be in their order. */
export function restlessClock(from = 1_000_000_000): () => number {
  let calls = 0;
  return () => {
    calls += 1;
    // 37 has no divisor in common with 101: every time of a hundred seconds comes, in no order.
    return from + ((calls * 37) % 101) * 1_000;
  };
}

/** A conversation in memory whose root is `n1`. */
export function newManager(): ContextManager {
  return new ContextManager({ ids: countedIds(), now: steadyClock() });
}

/** The answer of something that must not be refused. */
export function must<Answer extends object>(answer: Answer | ConversationRefusal): Answer {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
}

/** The code of a refusal, or "done". */
export function codeOf(answer: object | ConversationRefusal): AnyRefusalCode | "done" {
  return isRefusal(answer) ? answer.code : "done";
}

export function say(manager: ContextManager, text: string): TurnNode {
  return must(manager.commitStagedItems(text));
}

export function reply(manager: ContextManager, text: string): TurnNode {
  return must(manager.addNode({ kind: "model_message", text }));
}

export function call(manager: ContextManager, callId: string, name = "read_file"): TurnNode {
  return must(manager.addNode({ kind: "tool_call", callId, name, args: {} }));
}

export function result(callId: string, output = "ok", name = "read_file"): TurnPayload {
  return { kind: "tool_result", callId, name, output };
}

/** The maps of a context by their entries, which is what they mean. */
export function plainContext(context: ConversationContext): unknown {
  const { nodes, tasks, pruned, ...rest } = context;
  const sorted = (map: Iterable<readonly [string, unknown]>) =>
    [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...{ ...rest, nodes: sorted(nodes), tasks: sorted(tasks), pruned: sorted(pruned) },
  };
}
