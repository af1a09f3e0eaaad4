import { defined, nameWithLink } from "@holdfast/core/text";
import { counted } from "../answers/amounts.js";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { goOnNote, reportRefusal } from "../answers/report.js";
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
    if (outcome.files.length === 0) terminal.err("No file matches.\n");
    if (outcome.more !== undefined) terminal.err(goOnNote(outcome.more, outcome.after));
    if (outcome.closedFolders !== undefined)
      terminal.err(`Not looked in: ${counted(outcome.closedFolders, "folder")} that may not be entered.\n`);
    if (outcome.ignored !== undefined && outcome.files.length === 0)
      terminal.err(`Left out as ignored: ${counted(outcome.ignored, "entry", "entries")}; see --all.\n`);
    return exitCodes.success;
  });
}
