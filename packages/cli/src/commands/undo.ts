import type { Invocation } from "../shell/invocation.js";
import { changeFile } from "./changing.js";

/** `holdfast undo FILE`: works from the recorded history of writes, so it needs no base; one keeps a repeat apart. */
export function undoCommand(call: Invocation): Promise<number> {
  const [path = ""] = call.args;
  const named = typeof call.flags.base === "string" ? { base: call.flags.base } : {};
  return changeFile(call, (workspace) => workspace.undo({ path, tool: "holdfast undo", ...named }));
}
