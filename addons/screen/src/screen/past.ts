import { elastic, span } from "@holdfast/agent/shown";
import { drawnWords } from "@holdfast/core/context";
import { countedStates, openCalls, pathTo } from "@holdfast/core/conversation";
import type {
  ConversationContext,
  JsonObject,
  ToolResultPayload,
  TurnNode,
  TurnPayload,
} from "@holdfast/core/conversation/values";
import { clip } from "@holdfast/core/text";
import { appendMarkdown, emptyMarkdown, endMarkdown } from "../markdown/stream.js";
import { committed, type Finished, finished } from "./rows.js";

/** What was said, as it is shown, and the nodes that are shown now. */
interface Past {
  readonly finished: readonly Finished[];
  readonly known: ReadonlySet<string>;
}

/**
 * What was said up to the head, as the screen shows what is finished: words, and one line for a call with what it came to. A
 * call that is not answered yet is left for later, with all behind it. Pure.
 *
 * @param known nodes that are shown already, the newest last.
 */
export function pastOf(context: ConversationContext, known: ReadonlySet<string> = new Set()): Past {
  const path = pathTo(context, context.currentNodeId);
  const [open] = openCalls(context, context.currentNodeId);
  const answered = path.slice(0, open && path.findIndex(({ id }) => id === open.nodeId));
  const fresh = answered.filter(({ id, parentId }) => parentId !== null && !known.has(id));
  const nodes = fresh.slice(lastTurns(fresh));
  const payloads = nodes.map(({ payload }) => payload).map(countedStates(context));
  const results = new Map(
    payloads.flatMap((payload) =>
      payload.kind === "tool_result" ? [[payload.callId, payload] as const] : [],
    ),
  );
  const left = fresh.length - nodes.length;
  const before = left === 0 ? [] : [lineOf(`… ${left} earlier nodes; /history view shows them.`)];
  return {
    finished: [
      ...wentBack(context, fresh, known),
      ...before,
      ...payloads.flatMap((payload) => finishedOf(payload, results)),
    ],
    known: new Set([...known, ...answered.map(({ id }) => id)]),
  };
}

/** Says it where new nodes do not follow what was shown last. */
function wentBack(
  { nodes }: ConversationContext,
  [first]: readonly TurnNode[],
  known: ReadonlySet<string>,
): readonly Finished[] {
  const parent = known.size === 0 ? undefined : nodes.get(first?.parentId ?? "");
  // A summary says that its task has ended.
  const isSaid = parent?.id === [...known].at(-1) || first?.payload.kind === "task_summary";
  if (parent === undefined || isSaid) return [];
  return [lineOf(`… goes on after: ${drawnWords(parent.payload)}`)];
}

/** Where the last prompts begin, as many as a person looks back at. */
function lastTurns(path: readonly TurnNode[]): number {
  const prompts = path.flatMap(({ payload }, at) => (payload.kind === "user_message" ? [at] : []));
  return Math.max(prompts.at(-mostPrompts) ?? 0, path.length - mostNodes);
}

const mostPrompts = 3;
const mostNodes = 200;

function finishedOf(
  payload: TurnPayload,
  results: ReadonlyMap<string, ToolResultPayload>,
): readonly Finished[] {
  switch (payload.kind) {
    case "user_message":
      return shortened(payload.text.split(/\r?\n/u)).map((text, at) => ({
        kind: "line",
        line: [span(at === 0 ? "> " : "  "), elastic(text)],
      }));
    case "model_message": {
      const said = appendMarkdown(emptyMarkdown(), payload.text);
      return finished([...said.finished, ...endMarkdown(said.state)]);
    }
    case "tool_call":
      return [lineOf(drawnWords(payload, 100, results.get(payload.callId)))];
    case "tool_result":
      return [];
    case "note":
      return payload.audience === "model" ? [] : [lineOf(payload.text)];
    default:
      return [lineOf(drawnWords(payload, 100))];
  }
}

/** A log that was piped in would push all else out of sight; what is asked about it stands at its end. */
function shortened(lines: readonly string[]): readonly string[] {
  const left = lines.length - mostLines;
  if (left <= 1) return lines;
  const half = mostLines / 2;
  return [...lines.slice(0, half), `… ${left} lines …`, ...lines.slice(-half)];
}

const mostLines = 40;

function lineOf(text: string): Finished {
  return committed([span(text, "faint")]);
}

/** Where the conversation stands after a move back, and which files came back with it, in one line. */
export function placeAfter({ nodes, currentNodeId }: ConversationContext, data: JsonObject = {}): string {
  let at = nodes.get(currentNodeId);
  while (at !== undefined && at.payload.kind !== "user_message") at = nodes.get(at.parentId ?? "");
  const said = at?.payload.kind === "user_message" ? clip(at.payload.text.replace(/\s+/gu, " "), 60) : "";
  const place = at === undefined ? "You are at the beginning" : `You are behind your prompt "${said}"`;
  const files = Array.isArray(data.files) ? data.files : [];
  const names = files.flatMap((file) =>
    typeof file === "object" && file !== null && "path" in file ? [String(file.path)] : [],
  );
  const back = names.length === 0 ? "no file came back" : `${names.join(", ")} came back`;
  return `${place}; ${back}.`;
}
