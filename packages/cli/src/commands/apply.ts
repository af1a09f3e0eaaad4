import { bareName } from "@holdfast/core/files";
import {
  type ApplyChangesOutcome,
  currentBase,
  type GivenBase,
  type Refusal,
} from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { reportChangeSet, reportRefusal } from "../answers/report.js";
import { readInputDiff } from "../shell/input.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast apply [DIFF|-]`: a diff of several files, all of it or nothing (docs/change-sets.md). */
export async function applyCommand(call: Invocation): Promise<number> {
  const { args, flags, settings } = call;
  const bases = Object.fromEntries(namedBases(call));
  const read = await readInputDiff(args[0]);
  if ("kind" in read) return refuseSet(call, read);
  const { encoding, strip } = flags;
  const modes: { modes?: "change" | "keep" } =
    flags.modes === undefined ? {} : { modes: flags.modes ? "change" : "keep" };
  const others: { otherBase?: GivenBase } = flags.atomic === true ? { otherBase: currentBase } : {};
  const request = {
    ...read,
    ...others,
    bases,
    tool: `holdfast ${call.command}`,
    ...modes,
    ...defined({ encoding, strip }),
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

/** What was refused before the workspace was asked. @returns the exit code. */
function refuseSet({ settings, terminal }: Invocation, refusal: Refusal): Promise<number> | number {
  if (!settings.json) return reportRefusal(refusal, terminal);
  const outcome: ApplyChangesOutcome = { ...refusal, success: false, files: [] };
  return answerInJson({ kind: "change_set", outcome }, terminal);
}
