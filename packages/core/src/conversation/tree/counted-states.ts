import { bareName } from "../../files/index.js";
import { effectsOf } from "../values/file-effects.js";
import type { ConversationContext } from "../values/node.js";
import type { ToolResultPayload, TurnPayload } from "../values/payload.js";
import { inOrder } from "./tree-writes.js";

/** The same payload, with versions as a person counts them. */
export type CountStates = <Payload extends TurnPayload | ToolResultPayload>(payload: Payload) => Payload;

/**
 * Versions as a person counts them: the distinct states of each file, on whatever branch, where a state that comes back has
 * its old number. Those of the model count what it was given, of all files together. Costs the sorted tree, once: payloads
 * that come later are counted on.
 */
export function countedStates({ nodes }: Pick<ConversationContext, "nodes">): CountStates {
  const known = new Map<string, string[]>();
  const statesOf = (path: string) => known.get(bareName(path)) ?? [];
  const versionOf = (path: string, sha256: string | null | undefined): number => {
    if (sha256 === null || sha256 === undefined) return 0;
    const states = statesOf(path);
    known.set(bareName(path), states);
    const at = states.indexOf(sha256);
    return at < 0 ? states.push(sha256) : at + 1;
  };
  const meet = (payload: TurnPayload) => {
    for (const { path, before, after, from } of effectsOf(payload)) {
      // What was moved goes on being counted.
      if (from !== undefined) known.set(bareName(path), statesOf(from));
      versionOf(path, before);
      versionOf(path, after);
    }
  };
  for (const { payload } of [...nodes.values()].sort(inOrder)) meet(payload);
  return (payload) => {
    meet(payload);
    if (payload.kind === "file_content")
      return { ...payload, version: versionOf(payload.path, payload.sha256) };
    if (payload.kind !== "tool_result" || payload.files === undefined) return payload;
    const files = payload.files.map((one) => ({ ...one, version: versionOf(one.path, one.after) }));
    return { ...payload, files };
  };
}
