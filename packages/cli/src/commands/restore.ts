import type { Invocation } from "../shell/invocation.js";
import { changeFile, writeOptions } from "./changing.js";

/** `holdfast restore FILE@SHA256`: brings a recorded state back, where `--base` names a state only over that one. */
export function restoreCommand(call: Invocation): Promise<number> {
  const [target = ""] = call.args;
  const at = target.lastIndexOf("@");
  if (at < 1 || at === target.length - 1)
    call.misuse("restore takes FILE@SHA256, as `holdfast log FILE` shows it");
  const [path, sha256] = [target.slice(0, at), target.slice(at + 1)];
  return changeFile(call, (workspace) =>
    workspace.restore({ path, sha256, tool: "holdfast restore", ...writeOptions(call.flags) }),
  );
}
