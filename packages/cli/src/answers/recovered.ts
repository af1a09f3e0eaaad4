import type { RecoveredSets } from "@holdfast/core/node";
import { escapeName } from "../shell/terminal.js";
import { counted } from "./amounts.js";

/** Reports the change sets that recovery finished or took back, as lines for standard error. */
export function reportRecovered({ finished, takenBack, leftAlone }: RecoveredSets): string {
  const lines: string[] = [];
  const sets = (count: number) =>
    counted(count, "change set that was interrupted", "change sets that were interrupted");
  if (finished > 0) lines.push(`Finished ${sets(finished)}: all of its files are new.`);
  if (takenBack > 0) lines.push(`Took back ${sets(takenBack)}: its files are as before.`);
  for (const path of leftAlone)
    lines.push(`Left alone, because somebody else wrote it meanwhile: ${escapeName(path)}`);
  return lines.map((line) => `holdfast: ${line}\n`).join("");
}
