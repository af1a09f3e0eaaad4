import type { Workspace } from "@holdfast/core/files";
import {
  byteEncoding,
  currentBase,
  type GivenBase,
  type Refusal,
  type WriteOutcome,
} from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { answerInJson, answerRefusal, withWorkspace } from "../answers/open.js";
import { reportWrite } from "../answers/report.js";
import { readInput, readInputDiff, readInputText } from "../shell/input.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";

/** What every command that changes one file says of it. */
interface ChangedFile {
  readonly path: string;
  readonly base?: GivenBase;
  readonly encoding?: string;
  /** The command, for the history. */
  readonly tool: string;
}

/** One change, which the workspace is asked for. */
type Change = (workspace: Workspace) => Promise<WriteOutcome>;

/**
 * Carries out one change of one file and prints what came of it.
 *
 * @param ask reads what the command works with. @returns the change, or why it cannot be read.
 * @returns the exit code.
 */
export async function changeFile(
  call: Invocation,
  ask: (file: ChangedFile) => Change | Refusal | Promise<Change | Refusal>,
): Promise<number> {
  const { args, command, flags, settings, misuse } = call;
  const { base, atomic = false, encoding } = flags;
  const [path = ""] = args;
  if (base !== undefined && atomic)
    misuse("--base names the state to change and --atomic takes any; give one of them");
  // A list of bases is of `holdfast apply`, which changes several files.
  const state: { base?: GivenBase } = atomic
    ? { base: currentBase }
    : typeof base === "string"
      ? { base }
      : {};
  const change = await ask({ path, tool: `holdfast ${command}`, ...state, ...defined({ encoding }) });
  if (typeof change !== "function") return answerRefusal(call, change, { path, writing: true });
  return withWorkspace(call, async (workspace, terminal) => {
    const outcome = await finishOnceBegun(() => change(workspace));
    if (!settings.json) return reportWrite(outcome, terminal);
    return answerInJson({ kind: "write", outcome }, terminal, flags.resultContent);
  });
}

/** A command that takes a text, from the file that its argument at this place names, or from standard input. */
function takesText(
  at: number,
  change: (workspace: Workspace, file: ChangedFile, text: string, call: Invocation) => Promise<WriteOutcome>,
) {
  return (call: Invocation) =>
    changeFile(call, async (file) => {
      const text = await readInputText(call.args[at]);
      return typeof text === "string" ? (workspace) => change(workspace, file, text, call) : text;
    });
}

/** `holdfast append FILE [CONTENT|-]`: needs no base. */
export const appendCommand = takesText(1, (workspace, file, content) =>
  workspace.append({ ...file, content }),
);

/** `holdfast prepend FILE [CONTENT|-]`: needs no base. */
export const prependCommand = takesText(1, (workspace, file, content) =>
  workspace.prepend({ ...file, content }),
);

/** `holdfast section FILE HEADING [CONTENT|-]`: needs no base. */
export const sectionCommand = takesText(2, (workspace, file, newContent, { args, flags }) =>
  workspace.updateSection({
    ...file,
    sectionHeader: args[1] ?? "",
    newContent,
    create: flags.create === true,
  }),
);

const insertText = takesText(2, (workspace, file, content, { args }) =>
  workspace.insertLines({ ...file, afterLine: Number(args[1]), content }),
);

/** `holdfast insert FILE LINE [CONTENT|-]`: the line counts in the state that --base names. */
export function insertCommand(call: Invocation): Promise<number> {
  if (!/^\d{1,9}$/.test(call.args[1] ?? "")) call.misuse("the line is a whole number from 0 (the top) up");
  return insertText(call);
}

/** `holdfast write FILE [CONTENT|-]`: a text in the file's encoding, or with `--exact` the bytes given. */
export function writeCommand(call: Invocation): Promise<number> {
  const [, input] = call.args;
  return changeFile(call, async (file) => {
    const content = call.flags.exact === true ? await readInput(input) : await readInputText(input);
    if (typeof content !== "string" && !(content instanceof Uint8Array)) return content;
    return (workspace) => workspace.write({ ...file, content });
  });
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
  return changeFile(call, async (file) => {
    const read = await readInputDiff(input);
    if ("kind" in read) return read;
    const diff = read.diff.replace(/^\ufeff/, "");
    const encoding = read.isBytes ? { encoding: byteEncoding } : {};
    return (workspace) => workspace.patch({ ...file, diff, ...encoding });
  });
}

/** `holdfast delete FILE`: deletes the state that is named; its bytes are kept for `holdfast undo`. */
export function deleteCommand(call: Invocation): Promise<number> {
  return changeFile(call, (file) => (workspace) => workspace.delete(file));
}

/** `holdfast move FILE TO`: another name for the state that is named; nothing is overwritten. */
export function moveCommand(call: Invocation): Promise<number> {
  const [, to = ""] = call.args;
  return changeFile(call, (file) => (workspace) => workspace.move({ ...file, to }));
}

/** `holdfast restore FILE@SHA256`: brings a recorded state back, where `--base` names a state only over that one. */
export function restoreCommand(call: Invocation): Promise<number> {
  const [target = ""] = call.args;
  const at = target.lastIndexOf("@");
  if (at < 1 || at === target.length - 1)
    call.misuse("restore takes FILE@SHA256, as `holdfast log FILE` shows it");
  const [path, sha256] = [target.slice(0, at), target.slice(at + 1)];
  return changeFile(call, (file) => (workspace) => workspace.restore({ ...file, path, sha256 }));
}

/** `holdfast undo FILE`: works from the recorded history of writes, so it needs no base; one keeps a repeat apart. */
export function undoCommand(call: Invocation): Promise<number> {
  return changeFile(call, ({ path, tool, base }) => {
    const named = typeof base === "string" ? { base } : {};
    return (workspace) => workspace.undo({ path, tool, ...named });
  });
}
