import { bareName } from "../../files/index.js";
import { effectsOf } from "../values/file-effects.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { ToolResultPayload, TurnPayload } from "../values/payload.js";
import { upwards } from "./path.js";
import { inOrder } from "./tree-writes.js";

/** The same payload, with versions as a person counts them. */
export type CountStates = <Payload extends TurnPayload | ToolResultPayload>(payload: Payload) => Payload;

/** Versions as a person counts them; see `StateCounter`. Costs the sorted tree. */
export function countedStates(context: Pick<ConversationContext, "nodes">): CountStates {
  return counting(statesIn(context));
}

/**
 * Versions as a person counts them: the distinct states of each file, on whatever branch, where a state that comes back has
 * its old number. Those of the model count what it was given, of all files together. The tree is sorted the first time,
 * and where nodes came elsewhere than above the head; else only what is new is counted.
 */
export class StateCounter {
  #states: States = new Map();
  #nodes = 0;
  #last = Number.POSITIVE_INFINITY;

  /** @param headId the newest node, or one at the end of the newest. */
  at(context: ConversationContext, headId: string): CountStates {
    const fresh: TurnNode[] = [];
    for (const node of upwards(context, headId)) {
      if (node.order <= this.#last) break;
      fresh.push(node);
    }
    if (fresh.length === context.nodes.size - this.#nodes)
      for (const { payload } of fresh.reverse()) meet(this.#states, payload);
    else this.#states = statesIn(context);
    this.#nodes = context.nodes.size;
    this.#last = context.nodes.get(headId)?.order ?? this.#last;
    return counting(this.#states);
  }
}

/** The hashes of each file's states, in the order of their first time. */
type States = Map<string, string[]>;

function statesIn({ nodes }: Pick<ConversationContext, "nodes">): States {
  const states: States = new Map();
  for (const { payload } of [...nodes.values()].sort(inOrder)) meet(states, payload);
  return states;
}

function meet(states: States, payload: TurnPayload): void {
  for (const { path, before, after, from } of effectsOf(payload)) {
    // What was moved goes on being counted.
    if (from !== undefined) states.set(bareName(path), states.get(bareName(from)) ?? []);
    versionOf(states, path, before);
    versionOf(states, path, after);
  }
}

function versionOf(states: States, path: string, sha256: string | null | undefined): number {
  if (sha256 === null || sha256 === undefined) return 0;
  const known = states.get(bareName(path)) ?? [];
  states.set(bareName(path), known);
  const at = known.indexOf(sha256);
  return at < 0 ? known.push(sha256) : at + 1;
}

function counting(states: States): CountStates {
  return (payload) => {
    if (payload.kind === "file_content")
      return { ...payload, version: versionOf(states, payload.path, payload.sha256) };
    if (payload.kind !== "tool_result" || payload.files === undefined) return payload;
    const files = payload.files.map((one) => ({ ...one, version: versionOf(states, one.path, one.after) }));
    return { ...payload, files };
  };
}
