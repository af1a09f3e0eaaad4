import { collectGarbage, type GarbageReport } from "@holdfast/core/node";
import { counted, defined } from "@holdfast/core/text";
import { readableSize } from "../answers/amounts.js";
import { answerRefusal } from "../answers/open.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";

/** `holdfast gc`: bounds the state folder. What a live session saw is kept. */
export async function gcCommand(call: Invocation): Promise<number> {
  const { flags, settings, terminal } = call;
  const { keepDays, maxMegabytes, dryRun } = flags;
  const options = {
    stateDir: settings.stateDir,
    ...defined({
      maxAgeMs: keepDays && keepDays * dayMs,
      maxBytes: maxMegabytes && maxMegabytes * 1_000_000,
      dryRun,
    }),
    secrets: flags.secrets === true ? "all" : days(settings.keepSecrets),
  } as const;
  const doing = { doing: "Collecting" };
  const report = await atPersonsPace(call, doing, (pace) => collectGarbage({ ...options, pace }));
  if (report.kind === "refusal") return answerRefusal(call, report);
  const shown = settings.json ? JSON.stringify(toJson(report)) : describe(report, dryRun === true);
  await terminal.out(`${shown}\n`);
  if (report.interrupted !== true) return exitCodes.success;
  terminal.err("Interrupted: what is counted was done, and the rest stands as it was.\n");
  return exitCodes.cancelled;
}

/** Who keeps none wants none of those that others kept, either. */
function days(keepSecrets: number | "none" | undefined): number | "all" | undefined {
  return keepSecrets === "none" ? "all" : keepSecrets;
}

const dayMs = 24 * 60 * 60 * 1000;

function toJson(report: GarbageReport) {
  return {
    success: report.interrupted !== true,
    removed: {
      states: report.removedBlobs,
      bytes: report.removedBytes,
      secrets: report.secrets.removed,
      histories: report.removedHistories,
      locks: report.removedLocks,
      sessions: report.removedSessions,
    },
    kept: { states: report.keptBlobs, bytes: report.keptBytes, secrets: report.secrets.kept },
    recovered: report.recovered,
  };
}

function keptSecrets({ secrets: { kept } }: GarbageReport): string {
  return kept === 0 ? "" : `, ${counted(kept, "state of secrets", "states of secrets")}`;
}

function describe(report: GarbageReport, dryRun: boolean): string {
  const { removedBlobs, removedBytes, keptBlobs, keptBytes, recovered } = report;
  const verb = dryRun ? "Would remove" : "Removed";
  const rest: readonly (readonly [count: number, one: string, many?: string])[] = [
    [report.secrets.removed, "state of secrets", "states of secrets"],
    [report.removedHistories, "history", "histories"],
    [report.removedLocks, "abandoned lock"],
    [report.removedSessions, "sign of an ended program", "signs of ended programs"],
    [recovered.intents, "interrupted write"],
  ];
  const details = rest.filter(([count]) => count > 0).map((counts) => `, ${counted(...counts)}`);
  return [
    `${verb} ${counted(removedBlobs, "state")} (${readableSize(removedBytes)})${details.join("")}.`,
    `Kept ${counted(keptBlobs, "state")} (${readableSize(keptBytes)})${keptSecrets(report)}.`,
  ].join("\n");
}
