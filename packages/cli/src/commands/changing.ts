import {
  currentBase,
  type GivenBase,
  type Refusal,
  type Workspace,
  type WriteOutcome,
} from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { reportRefusal, reportWrite } from "../answers/report.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Flags, Invocation } from "../shell/invocation.js";

/** The part of a request that the flags of every changing command make up. */
export function writeOptions(flags: Flags): { base?: GivenBase; encoding?: string; inPlace?: boolean } {
  const base = flags.atomic === true ? currentBase : flags.base;
  return {
    ...(typeof base === "string" || base === currentBase ? { base } : {}),
    ...defined({ encoding: flags.encoding }),
    ...(flags.inPlace === true ? { inPlace: true } : {}),
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
