import type { ListedEntry } from "@holdfast/core/files/values";
import { defined, nameWithLink } from "@holdfast/core/text";
import { closedNote, ignoredNote } from "@holdfast/core/tools";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { reportNotes, reportRefusal } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import type { Paint } from "../shell/terminal.js";

/** `holdfast list [DIR]`: one entry a line, its size before it. */
export function listCommand(call: Invocation): Promise<number> {
  const { args, flags, settings } = call;
  const { depth, limit, after, all } = flags;
  const request = defined({ path: args[0], depth, limit, after, all });
  return withWorkspace(call, async (workspace, terminal) => {
    const outcome = await workspace.list(request);
    if (settings.json) return answerInJson({ kind: "list", outcome }, terminal);
    if (outcome.kind === "refusal") return reportRefusal(outcome, terminal);
    const width = Math.max(1, ...outcome.entries.map((entry) => sizeOf(entry).length));
    const lines = outcome.entries.map((entry) => `${line(entry, width, terminal.outPaint)}\n`);
    await terminal.out(lines.join(""));
    const { more, because = "limit", after: next, closedFolders, ignored } = outcome;
    const notes = [...closedNote(closedFolders), ...ignoredNote(ignored, "--all")];
    reportNotes(notes, { more: more ? because : undefined, after: next }, terminal);
    return exitCodes.success;
  });
}

function line(entry: ListedEntry, width: number, paint: Paint): string {
  const name = nameWithLink(entry);
  const shown = entry.isDirectory ? paint.cyan(`${name}/`) : name;
  const notes = [
    ...(entry.special === undefined ? [] : [entry.special]),
    ...(entry.openable ? [] : ["not openable"]),
  ];
  const note = notes.length === 0 ? "" : paint.dim(`  (${notes.join(", ")})`);
  return `${paint.dim(sizeOf(entry).padStart(width))}  ${shown}${note}`;
}

function sizeOf(entry: ListedEntry): string {
  return entry.sizeBytes === undefined ? "-" : String(entry.sizeBytes);
}
