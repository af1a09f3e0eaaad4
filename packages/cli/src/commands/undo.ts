import type { Invocation } from "../shell/index.js";
import { changeFile } from "./changing.js";

/** `holdfast undo FILE`: works from the recorded history of writes, so it needs no base. */
export function undoCommand(call: Invocation): Promise<number> {
  const [path = ""] = call.args;
  return changeFile(call, (workspace) => workspace.undo({ path, tool: "holdfast undo" }));
}
