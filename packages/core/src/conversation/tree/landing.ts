import type { ConversationEvent, NewNode } from "../values/event.js";
import type { ConversationContext, TurnMetadata, TurnNode } from "../values/node.js";
import type { TurnPayload } from "../values/payload.js";
import { isRefusal } from "../values/refusal.js";
import { applyEvent } from "./fold.js";
import { upwards } from "./path.js";
import type { MakeNode } from "./tasks.js";

/**
 * A move that a call of the model asked for, with what the model has to read where it lands: the person's words of this
 * turn, where the branch there does not show them, then a note on what was left and why. So the next request ends with
 * words to the model. Any other event stays as it is: after a move of a person their next message follows.
 */
export function withLanding(
  context: ConversationContext,
  event: ConversationEvent,
  make: MakeNode,
): ConversationEvent {
  if (event.type !== "nodes_added") return event;
  const [result] = event.nodes;
  if (result?.payload.kind !== "tool_result") return event;
  const landed = applyEvent(context, event);
  if (isRefusal(landed)) return event;
  const shown = shownAt(landed, event.head);
  const missing = promptOfTurn(context).filter(({ id }) => !shown.has(id));
  const nodes = [...event.nodes];
  let { head } = event;
  const add = (payload: TurnPayload, metadata?: TurnMetadata) => {
    const node = make(payload, head, metadata);
    nodes.push(node);
    head = node.id;
  };
  for (const { id, payload } of missing) add(payload, { provenance: { source: saidAgain, sourceId: id } });
  // The summary of a task says by itself what was left.
  const isTold = shown.has(result.id) || event.nodes.some(({ payload }) => payload.kind === "task_summary");
  if (!isTold || missing.length > 0)
    add({ kind: "note", audience: "model", text: landingWords(context, result, missing.length > 0) });
  return { ...event, nodes, head };
}

/** `provenance.source` of words that were said on a branch that was left; `sourceId` is the node there. */
const saidAgain = "prompt";

/**
 * What the person said to begin the turn that runs at the head, with what was staged for it, and what they said since, in
 * this order; of words that were said again, the first.
 */
function promptOfTurn(context: ConversationContext): readonly TurnNode[] {
  const said: TurnNode[] = [];
  let aboveStaged: string | undefined;
  let below: TurnPayload["kind"] | undefined;
  for (let node = context.nodes.get(context.currentNodeId); node !== undefined; ) {
    const { id, parentId, payload, turnParentId } = node;
    const origin = payload.kind === "user_message" ? originOf(node) : undefined;
    const isEnd = payload.kind === "model_message" && below !== "tool_call" && below !== "model_message";
    if (id === aboveStaged || (isEnd && said.length > 0)) break;
    below = payload.kind;
    if (origin === undefined && (aboveStaged !== undefined || payload.kind === "user_message"))
      said.unshift(node);
    if (payload.kind === "user_message" && origin === undefined) aboveStaged = turnParentId;
    const next = origin ?? parentId;
    node = next === null ? undefined : context.nodes.get(next);
  }
  return said;
}

function originOf({ metadata: { provenance } }: TurnNode): string | undefined {
  return provenance?.source === saidAgain ? provenance.sourceId : undefined;
}

/** The nodes that a prompt shows whose head is this node, and those whose words they say again. */
function shownAt(context: ConversationContext, head: string): ReadonlySet<string> {
  const shown = new Set<string>();
  for (const node of upwards(context, head)) {
    shown.add(node.id).add(originOf(node) ?? node.id);
    if (hidesAbove(node)) break;
  }
  return shown;
}

/** Whether nothing above it is shown and it has no goal, which would stand for the prompt. */
function hidesAbove({ payload, parentId }: TurnNode): boolean {
  if (payload.kind !== "task_boundary" || parentId === null) return false;
  return payload.transformation.kind !== "clone" && payload.goal === undefined;
}

function landingWords(context: ConversationContext, result: NewNode, isSaidAgain: boolean): string {
  if (result.payload.kind !== "tool_result") return "";
  const { name, output } = result.payload;
  const [answer = ""] = output.split("\n");
  const why = wordsWith(context, result);
  return [
    `[You came here by your call of ${name}. It answered: ${answer}`,
    ...(why === "" ? [] : [`Your words with it: ${why}`]),
    ...(isSaidAgain
      ? ["The person's words above are those on which you work: they are said again here."]
      : []),
    `What you left ends at node ${result.id}; the history shows it.]`,
  ].join("\n");
}

/** What the model said in the answer that holds the call. */
function wordsWith(context: ConversationContext, { parentId }: NewNode): string {
  const texts: string[] = [];
  for (const { payload } of parentId === null ? [] : upwards(context, parentId)) {
    if (payload.kind === "model_message") texts.unshift(payload.text);
    else if (payload.kind !== "tool_call") break;
  }
  return texts.join("").trim().slice(0, 2_000);
}
