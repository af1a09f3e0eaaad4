import { readInput, readInputText } from "../shell/input.js";
import type { Invocation } from "../shell/invocation.js";
import { changeFile, checkBaseFlags, refuseChange, writeOptions } from "./changing.js";

/** `holdfast write FILE [CONTENT|-]`: a text in the file's encoding, or with `--exact` the bytes given. */
export async function writeCommand(call: Invocation): Promise<number> {
  const { args, flags } = call;
  const [path = "", input] = args;
  checkBaseFlags(call);
  const content = flags.exact === true ? await readInput(input) : await readInputText(input);
  if (typeof content !== "string" && !(content instanceof Uint8Array))
    return refuseChange(call, path, content);
  return changeFile(call, (workspace) =>
    workspace.write({ path, content, tool: "holdfast write", ...writeOptions(flags) }),
  );
}
