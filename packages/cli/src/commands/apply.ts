import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ApplyChangesOutcome,
  bareName,
  currentBase,
  type GivenBase,
  type Refusal,
} from "@holdfast/core/files";
import { type FileDiff, splitByFileInTurns } from "@holdfast/core/patch";
import { defined } from "@holdfast/core/text";
import { answerInJson, commandLimits, withWorkspace } from "../answers/open.js";
import { reportChangeSet, reportRefusal } from "../answers/report.js";
import { readInputText } from "../shell/input.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast apply [DIFF|-]`: a diff of several files, all of it or nothing (docs/change-sets.md). */
export async function applyCommand(call: Invocation): Promise<number> {
  const { args, flags, settings } = call;
  const named = namedBases(call);
  const diff = await readInputText(args[0]);
  if (typeof diff !== "string") return refuseSet(call, diff);
  const bases = await basesOf(diff, named, flags.atomic === true);
  if ("kind" in bases) return refuseSet(call, bases);
  const { encoding } = flags;
  const request = {
    ...{ diff, bases: Object.fromEntries(bases), tool: "holdfast apply" },
    ...defined({ encoding }),
  };
  return withWorkspace(call, async (workspace, terminal) => {
    const outcome = await finishOnceBegun(() => workspace.applyChanges(request));
    if (!settings.json) return reportChangeSet(outcome, terminal);
    return answerInJson({ kind: "change_set", outcome }, terminal, flags.resultContent);
  });
}

/** What `--base` names, by tidy path. The last `=` parts the two: a name may hold one, a hash does not. */
function namedBases({ flags, misuse }: Invocation): ReadonlyMap<string, string> {
  const bases = new Map<string, string>();
  for (const given of typeof flags.base === "string" ? [flags.base] : (flags.base ?? [])) {
    const at = given.lastIndexOf("=");
    if (at < 1 || at === given.length - 1)
      return misuse(`--base takes PATH=SHA256, and ${JSON.stringify(given)} is none`);
    const path = bareName(given.slice(0, at));
    if (bases.has(path)) return misuse(`--base names ${JSON.stringify(path)} twice`);
    bases.set(path, given.slice(at + 1));
  }
  return bases;
}

/**
 * The base of each file of the diff. A base for a file that the diff does not change is refused: it is a
 * path that was mistyped, and the file that was meant would go without.
 */
async function basesOf(
  diff: string,
  named: ReadonlyMap<string, string>,
  takeCurrent: boolean,
): Promise<ReadonlyMap<string, GivenBase> | Refusal> {
  const split = await splitByFileInTurns(diff, nextTurn, commandLimits.patchMs);
  if (split.kind === "refusal") return { kind: "refusal", code: split.code, message: split.message };
  const files = new Map(split.files.map((file) => [bareName(file.path), file] as const));
  const stray = [...named.keys()].find((path) => !files.has(path));
  if (stray !== undefined) return strayBase(stray, [...files.keys()]);
  const bases = new Map<string, GivenBase>(named);
  if (takeCurrent) {
    for (const [path, file] of files) if (!bases.has(path) && isThere(file)) bases.set(path, currentBase);
  }
  return bases;
}

/** A file that the diff creates is made against nothing, also with `--atomic`: it replaces no other. */
function isThere({ action }: FileDiff): boolean {
  return action !== "create";
}

function strayBase(path: string, files: readonly string[]): Refusal {
  const shown = files.slice(0, 10).map((name) => JSON.stringify(name));
  const message = `--base names ${JSON.stringify(path)}, which the diff does not change. It changes ${shown.join(", ")}${files.length > 10 ? ", …" : ""}. Nothing was written.`;
  return { kind: "refusal", code: "invalid_arguments", message };
}

/** What was refused before the workspace was asked. @returns the exit code. */
function refuseSet({ settings, terminal }: Invocation, refusal: Refusal): Promise<number> | number {
  if (!settings.json) return reportRefusal(refusal, terminal);
  const outcome: ApplyChangesOutcome = { ...refusal, success: false, files: [] };
  return answerInJson({ kind: "change_set", outcome }, terminal);
}
