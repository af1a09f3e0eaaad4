import { defined, nameWithLink } from "@holdfast/core/text";
import { closedNote, ignoredNote } from "@holdfast/core/tools";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { reportNotes, reportRefusal } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast find GLOB [DIR]`: one path a line. */
export function findCommand(call: Invocation): Promise<number> {
  const { args, flags, settings } = call;
  const { limit, after, all, exclude } = flags;
  const request = {
    glob: args[0] ?? "",
    ...defined({ path: args[1], exclude, limit, after, all }),
    // They are told in JSON only.
    ...(settings.json ? {} : { sized: false }),
  };
  return withWorkspace(call, async (workspace, terminal) => {
    const outcome = await workspace.find(request);
    if (settings.json) return answerInJson({ kind: "find", outcome }, terminal);
    if (outcome.kind === "refusal") return reportRefusal(outcome, terminal);
    await terminal.out(outcome.files.map((file) => `${nameWithLink(file)}\n`).join(""));
    const isNothing = outcome.files.length === 0;
    const ignored = isNothing ? ["No file matches.", ...ignoredNote(outcome.ignored, "--all")] : [];
    reportNotes([...ignored, ...closedNote(outcome.closedFolders)], outcome, terminal);
    return exitCodes.success;
  });
}
