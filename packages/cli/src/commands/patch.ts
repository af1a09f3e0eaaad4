import { readInputText } from "../shell/input.js";
import type { Invocation } from "../shell/invocation.js";
import { changeFile, checkBaseFlags, refuseChange, writeOptions } from "./changing.js";

/** `holdfast patch FILE [DIFF|-]`, and `--jsonl`, which knows no files. */
export async function patchCommand(call: Invocation): Promise<number> {
  const { args, flags, terminal, misuse } = call;
  const [path, input] = args;
  if (flags.jsonl === true) {
    if (path !== undefined) return misuse("--jsonl reads everything from standard input and takes no file");
    // Loaded alone: the engine needs none of what works on files.
    const { patchLines } = await import("./patch-lines.js");
    return patchLines(process.stdin, terminal);
  }
  if (path === undefined) return misuse("missing required argument 'file'");
  checkBaseFlags(call);
  const diff = await readInputText(input);
  if (typeof diff !== "string") return refuseChange(call, path, diff);
  return changeFile(call, (workspace) =>
    workspace.patch({
      path,
      diff: diff.replace(/^\ufeff/, ""),
      tool: "holdfast patch",
      ...writeOptions(flags),
    }),
  );
}
