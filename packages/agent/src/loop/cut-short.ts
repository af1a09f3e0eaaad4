import { type ContextManager, openCalls, upwards } from "@holdfast/core/conversation";
import type { ConversationRefusal, FormChange } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import type { CarriedCall } from "./carry-calls.js";
import type { TurnStop } from "./turn.js";

/** What the model reads of a turn that the person ended. */
const stoppedWords =
  "[The person stopped this here. Nothing more of it is to be done unless they ask for it again.]";

/** What it reads of a turn of which nobody knows how it ended: the process was killed. */
const brokenOffWords =
  "[This was broken off here before it was done. Nothing more of it is to be done unless the person asks for it again.]";

const endWords: ReadonlySet<string> = new Set([stoppedWords, brokenOffWords]);

/**
 * Notes how a turn ended, where it did before the model had done: for the model, that the person stopped it; for the
 * person, any other reason, so that the next run does not take the turn for one that was broken off.
 */
export function noteEnd(
  manager: ContextManager,
  { reason, message }: TurnStop,
): ConversationRefusal | undefined {
  switch (reason) {
    case "complete":
    case "conversation":
      return undefined;
    case "cancelled":
      return endOpenCalls(manager) ?? note(manager, "model", stoppedWords);
    case "max_turns":
    case "max_cost":
    case "repeating":
    case "failed":
    case "incomplete":
      return note(manager, "person", message ?? reason);
    default:
      return reason satisfies never;
  }
}

/**
 * Notes for the model that the last turn was broken off, where a conversation ends in one when this program first goes on
 * with it. Nothing of that turn runs any more, so its open calls are ended, too.
 */
export function noteBrokenOff(manager: ContextManager): ConversationRefusal | undefined {
  if (goneOn.has(manager) || manager.readOnly !== undefined) return undefined;
  goneOn.add(manager);
  if (!isBrokenOff(manager)) return undefined;
  return endOpenCalls(manager, notKnown) ?? note(manager, "model", brokenOffWords);
}

/** The conversations that this program has gone on with. */
const goneOn = new WeakSet<ContextManager>();

const notKnown = "Interrupted: no result of this call was recorded. Whether it took effect is not known.";

/** A branch with open calls cannot be left: each of them is told what is known of it. */
export function endOpenCalls(
  manager: ContextManager,
  output = "Interrupted before it was begun: nothing was done.",
): ConversationRefusal | undefined {
  for (const { call } of openCalls(manager.context, manager.context.currentNodeId)) {
    const { callId, name } = call;
    const node = manager.addNode({ kind: "tool_result", callId, name, output, isError: true });
    if (isRefusal(node)) return node;
  }
  return undefined;
}

/** Whether the last words at the head are the person's, or calls and results, and nothing says that their turn is over. */
function isBrokenOff({ context }: ContextManager): boolean {
  // Who went back to the middle of a turn knows that it goes on elsewhere.
  if (context.nodes.get(context.currentNodeId)?.childIds.length !== 0) return false;
  for (const { payload } of upwards(context, context.currentNodeId)) {
    if (payload.kind === "model_message") return false;
    if (payload.kind === "note" && (payload.audience === "person" || endWords.has(payload.text)))
      return false;
    if (payload.kind === "user_message" || payload.kind === "tool_call" || payload.kind === "tool_result")
      return true;
  }
  return false;
}

function note(
  manager: ContextManager,
  audience: "model" | "person",
  text: string,
): ConversationRefusal | undefined {
  const node = manager.addNode({ kind: "note", text, audience });
  return isRefusal(node) ? node : undefined;
}

/**
 * Calls whose arguments alone would fill a prompt, as one line from now on: what they wrote stands in the files. Else the
 * next request is refused for its length, and a summary reads all of it in pieces.
 *
 * @param mostChars of arguments, as JSON; undefined where no window is known.
 */
export function shortenedCalls(
  carried: readonly CarriedCall[],
  mostChars = Number.POSITIVE_INFINITY,
): readonly FormChange[] {
  return carried.flatMap(({ nodeId, call: { args } }) => {
    const { length } = JSON.stringify(args);
    if (length <= mostChars) return [];
    const text = `[${length} characters of arguments, which arrived whole, are left out. The result says what became of them.]`;
    return [{ targetId: nodeId, form: { form: "replaced", by: "cleared", text } }];
  });
}
