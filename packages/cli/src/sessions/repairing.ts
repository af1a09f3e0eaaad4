import { describeLosses, repairSession, type SessionRepair } from "@holdfast/core/conversation/journal";
import { isRefusal } from "@holdfast/core/files/values";
import { cappedLines, escapeForPeople } from "@holdfast/core/text";
import { counted } from "../answers/amounts.js";
import { answer } from "../answers/one-answer.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import { onSession } from "./open-store.js";

/** `holdfast sessions repair ID`: shows what it would do; with `--apply` it does it, and keeps what was there. */
export const repairOne = onSession(async (call, store, { id }) => {
  const apply = call.flags.apply === true;
  const work = () => repairSession(store, id, { apply });
  const repair = await (apply ? finishOnceBegun(work) : work());
  if (isRefusal(repair)) return repair;
  const { kind, problems, losses, records, written, backup = null } = repair;
  const object = { success: true, id, state: kind, problems, losses, records, written, backup };
  return answer(call, object, linesOf(repair).map(escapeForPeople).join("\n"));
});

function linesOf(repair: SessionRepair): readonly string[] {
  const { kind, id, problems, losses, records, written, backup } = repair;
  if (kind === "sound") return [`${id} is sound: ${counted(records, "record")}, nothing to repair.`];
  const found = [
    `${id} is damaged: ${counted(problems.length, "problem")}, ${counted(losses.length, "lost place")}.`,
    ...cappedLines(problems.map(({ message }) => message)).map(indented),
    ...describeLosses(losses).slice(1).map(indented),
  ];
  const what = `${counted(written, "record")}: what can be read of ${counted(records, "record")}, and placeholders for what is lost`;
  if (kind === "planned")
    return [
      ...found,
      `A repair writes ${what}.`,
      "What is there now is kept beside it. Nothing was changed.",
      `To do it: holdfast sessions repair ${id} --apply`,
    ];
  return [
    ...found,
    backup === undefined ? "It was repaired when it was opened." : `Repaired: it has ${what}.`,
    ...(backup === undefined ? [] : [`What was there is kept in ${backup}`]),
  ];
}

function indented(line: string): string {
  return `  ${line}`;
}
