import {
  byteEncoding,
  currentBase,
  type GivenBase,
  type Refusal,
  type Workspace,
  type WriteOutcome,
} from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { reportRefusal, reportWrite } from "../answers/report.js";
import { readInput, readInputDiff, readInputText } from "../shell/input.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Flags, Invocation } from "../shell/invocation.js";

/** The part of a request that the flags of every changing command make up. */
export function writeOptions(flags: Flags): { base?: GivenBase; encoding?: string } {
  const base = flags.atomic === true ? currentBase : flags.base;
  return {
    ...(typeof base === "string" || base === currentBase ? { base } : {}),
    ...defined({ encoding: flags.encoding }),
  };
}

/** `--base` and `--atomic` say the opposite of each other. */
export function checkBaseFlags({ flags, misuse }: Invocation): void {
  if (flags.base !== undefined && flags.atomic === true) {
    misuse("--base names the state to change and --atomic takes any; give one of them");
  }
}

/** Carries out one change of one file and prints what came of it. @returns the exit code. */
export async function changeFile(
  call: Invocation,
  change: (workspace: Workspace) => Promise<WriteOutcome>,
): Promise<number> {
  const { settings } = call;
  return withWorkspace(call, async (workspace, terminal) => {
    const outcome = await finishOnceBegun(() => change(workspace));
    if (!settings.json) return reportWrite(outcome, terminal);
    return answerInJson({ kind: "write", outcome }, terminal, call.flags.resultContent);
  });
}

/** What was refused before the workspace was asked. @returns the exit code. */
export async function refuseChange(call: Invocation, path: string, refusal: Refusal): Promise<number> {
  if (!call.settings.json) return reportRefusal(refusal, call.terminal);
  const result = { kind: "refused", refusal, path, writing: true } as const;
  return answerInJson(result, call.terminal);
}

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

/** `holdfast delete FILE`: deletes the state that is named; its bytes are kept for `holdfast undo`. */
export function deleteCommand(call: Invocation): Promise<number> {
  const [path = ""] = call.args;
  checkBaseFlags(call);
  return changeFile(call, (workspace) =>
    workspace.delete({ path, tool: "holdfast delete", ...writeOptions(call.flags) }),
  );
}

/** `holdfast move FILE TO`: another name for the state that is named; nothing is overwritten. */
export function moveCommand(call: Invocation): Promise<number> {
  const [path = "", to = ""] = call.args;
  checkBaseFlags(call);
  return changeFile(call, (workspace) =>
    workspace.move({ path, to, tool: "holdfast move", ...writeOptions(call.flags) }),
  );
}

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

/** `holdfast undo FILE`: works from the recorded history of writes, so it needs no base; one keeps a repeat apart. */
export function undoCommand(call: Invocation): Promise<number> {
  const [path = ""] = call.args;
  const named = typeof call.flags.base === "string" ? { base: call.flags.base } : {};
  return changeFile(call, (workspace) => workspace.undo({ path, tool: "holdfast undo", ...named }));
}

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
  const read = await readInputDiff(input);
  if ("kind" in read) return refuseChange(call, path, read);
  const diff = read.diff.replace(/^\ufeff/, "");
  const options = { ...writeOptions(flags), ...(read.isBytes ? { encoding: byteEncoding } : {}) };
  return changeFile(call, (workspace) => workspace.patch({ path, diff, tool: "holdfast patch", ...options }));
}
