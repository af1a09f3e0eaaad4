import type { Invocation } from "../shell/invocation.js";
import { changeFile, checkBaseFlags, writeOptions } from "./changing.js";

/** `holdfast delete FILE`: deletes the state that is named; its bytes are kept for `holdfast undo`. */
export function deleteCommand(call: Invocation): Promise<number> {
  const [path = ""] = call.args;
  checkBaseFlags(call);
  return changeFile(call, (workspace) =>
    workspace.delete({ path, tool: "holdfast delete", ...writeOptions(call.flags) }),
  );
}
