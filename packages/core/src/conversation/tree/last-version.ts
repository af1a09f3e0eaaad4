import { effectsOf } from "../values/file-effects.js";
import type { ConversationContext, TurnNode } from "../values/node.js";

/**
 * The last version of a file's state that any turn of a conversation was given, on whatever branch: a
 * workspace with which the conversation goes on counts from there (`WorkspaceOptions.resumedVersion`,
 * `Workspace.countOn`), so that the highest version in a prompt is still the newest state.
 *
 * @returns 0 where no turn says one. Turns of earlier builds say it of files that were put before the model alone.
 */
export function lastVersion({ nodes }: Pick<ConversationContext, "nodes">): number {
  let last = 0;
  for (const node of nodes.values()) for (const version of versionsOf(node)) last = Math.max(last, version);
  return last;
}

function versionsOf({ payload }: TurnNode): readonly number[] {
  if (payload.kind === "file_content") return [payload.version];
  return effectsOf(payload).map(({ version = 0 }) => version);
}

/**
 * Under which version a node gave out a state of a file.
 *
 * @returns undefined where it says none.
 */
export function versionAtNode(
  { nodes }: Pick<ConversationContext, "nodes">,
  nodeId: string,
  { path, sha256 }: { readonly path: string; readonly sha256: string },
): number | undefined {
  const payload = nodes.get(nodeId)?.payload;
  if (payload === undefined) return undefined;
  if (payload.kind === "file_content")
    return payload.path === path && payload.sha256 === sha256 ? payload.version : undefined;
  return effectsOf(payload).find((effect) => effect.path === path && effect.after === sha256)?.version;
}
