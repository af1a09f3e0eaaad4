import type { Invocation } from "../shell/invocation.js";
import { changeFile, checkBaseFlags, writeOptions } from "./changing.js";

/** `holdfast move FILE TO`: another name for the state that is named; nothing is overwritten. */
export function moveCommand(call: Invocation): Promise<number> {
  const [path = "", to = ""] = call.args;
  checkBaseFlags(call);
  return changeFile(call, (workspace) =>
    workspace.move({ path, to, tool: "holdfast move", ...writeOptions(call.flags) }),
  );
}
