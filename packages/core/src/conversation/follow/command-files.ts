import { counted, escapeForDisplay } from "../../text/index.js";
import { commonAncestor, nodesBelow } from "../tree/path.js";
import type { ConversationContext } from "../values/node.js";

/** What commands changed between two nodes, which no restore brings back. */
export interface CommandFiles {
  /** Sorted. */
  readonly paths: readonly string[];
  /** How many commands there are of which nobody knows all that they changed. */
  readonly unknown: number;
}

/** What commands changed on the branch that a move leaves. */
export function filesOfCommands(context: ConversationContext, fromId: string, toId: string): CommandFiles {
  const paths = new Set<string>();
  let unknown = 0;
  for (const { payload } of nodesBelow(context, commonAncestor(context, fromId, toId).id, fromId)) {
    const touched = payload.kind === "tool_result" || payload.kind === "note" ? payload.touched : undefined;
    for (const { path } of touched?.files ?? []) paths.add(path);
    if (touched?.isWhole === false) unknown += 1;
    if (touched?.isLater === true) unknown = Math.max(0, unknown - 1);
  }
  return { paths: [...paths].toSorted(), unknown };
}

/** A sentence on what stays, with a blank before it; empty where nothing does. */
export function commandWords({ paths, unknown }: CommandFiles): string {
  const shown = paths.slice(0, mostNamed).map(escapeForDisplay).join(", ");
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : "";
  const [file, stay] = paths.length === 1 ? ["1 file was", "stays"] : [`${paths.length} files were`, "stay"];
  const named = paths.length === 0 ? "" : ` ${file} changed by commands and ${stay}: ${shown}${more}.`;
  return unknown === 0 ? named : `${named} What ${counted(unknown, "command")} changed was not looked at.`;
}

const mostNamed = 20;
