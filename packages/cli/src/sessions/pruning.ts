import { type PrunedSessions, pruneSessions } from "@holdfast/core/conversation";
import type { SessionFacts } from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { defined, escapeForPeople } from "@holdfast/core/text";
import { counted, localTime, readableSize } from "../answers/amounts.js";
import { jsonLine } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";
import { onStore } from "./open-store.js";

/** `holdfast sessions prune`: old sessions, for good and in batches, so it wants `--yes`; `--dry-run` shows them. */
export const pruneStored = onStore(async (call, store) => {
  const { flags, settings, terminal, misuse } = call;
  const { olderThan: changedBefore, keep, dryRun = false } = flags;
  if (changedBefore === undefined && keep === undefined)
    return misuse(
      "prune what? --older-than 30d, --keep 100, or both: then what is old and not among those kept",
    );
  if (!dryRun && flags.yes !== true) {
    const message = "Sessions are deleted for good: look with --dry-run first, then say --yes.";
    if (settings.json) return refuse("invalid_arguments", message);
    terminal.err(`${message}\n`);
    return exitCodes.change;
  }
  const retention = { dryRun, ...defined({ changedBefore, keep }) };
  const pruned = await atPersonsPace(call, { doing: "Pruning" }, (pace) =>
    pruneSessions(store, retention, pace),
  );
  if (isRefusal(pruned)) return pruned;
  await report(call, pruned, dryRun);
  return pruned.isWhole ? exitCodes.success : exitCodes.cancelled;
});

async function report(
  { settings, terminal }: Invocation,
  { removed, kept, isWhole }: PrunedSessions,
  dryRun: boolean,
): Promise<void> {
  const bytes = removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (settings.json) {
    const ids = (facts: readonly SessionFacts[]) => facts.map(({ id }) => id);
    const outcome = { success: isWhole, dry_run: dryRun, removed: ids(removed), kept: ids(kept), bytes };
    await terminal.out(jsonLine(isWhole ? outcome : { ...outcome, code: "cancelled" }));
    return;
  }
  if (dryRun) for (const facts of removed.slice(0, mostShown)) await terminal.out(`${lineOf(facts)}\n`);
  if (dryRun && removed.length > mostShown) terminal.err(`… ${removed.length - mostShown} more\n`);
  const done = dryRun ? "Would delete" : "Deleted";
  await terminal.out(`${done} ${counted(removed.length, "session")}, ${readableSize(bytes)}.\n`);
  for (const { id, heldBy, problem } of kept.slice(0, mostShown)) {
    const why = heldBy === undefined ? (problem ?? "it has changed meanwhile") : `in use by ${heldBy}`;
    terminal.err(`Kept: ${escapeForPeople(id)}: ${escapeForPeople(why)}\n`);
  }
  if (kept.length > mostShown) terminal.err(`… ${kept.length - mostShown} more kept\n`);
  if (!isWhole) terminal.err("Interrupted: what was deleted is gone, all others stand.\n");
}

function lineOf({ id, title, modifiedMs, sizeBytes }: SessionFacts): string {
  return [
    escapeForPeople(id),
    localTime(modifiedMs),
    readableSize(sizeBytes).padStart(10),
    escapeForPeople(title ?? "untitled"),
  ].join("  ");
}

const mostShown = 20;
