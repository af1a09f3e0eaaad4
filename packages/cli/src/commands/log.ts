import type { LoggedWrite, LogOutcome } from "@holdfast/core/files/values";
import { defined, escapeForPeople, escapeInJson } from "@holdfast/core/text";
import { answerBudgetChars } from "@holdfast/core/tools";
import { localTime } from "../answers/amounts.js";
import { answerRefusal, withWorkspace } from "../answers/open.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import type { Paint, Terminal } from "../shell/terminal.js";

/** `holdfast log FILE`: the recorded writes, newest first, and how to bring a state back. */
export function logCommand(call: Invocation): Promise<number> {
  const path = call.args[0] ?? "";
  return withWorkspace(call, async (workspace, terminal) => {
    const outcome = await workspace.log({ path });
    if (outcome.kind !== "log")
      return answerRefusal({ ...call, terminal }, outcome, { path, writing: false });
    await (call.settings.json ? printJson(outcome, terminal) : printTable(outcome, terminal));
    return exitCodes.success;
  });
}

type Log = Extract<LogOutcome, { kind: "log" }>;

/** The newest writes that one answer holds; `more` says how many older ones there are. */
function printJson({ path, leadsTo, entries }: Log, terminal: Terminal): Promise<void> {
  const shown: string[] = [];
  const named = escapeInJson(JSON.stringify({ path, ...defined({ leads_to: leadsTo }) })).slice(1, -1);
  let left = answerBudgetChars - named.length - frameChars;
  for (const entry of entries) {
    const written = escapeInJson(JSON.stringify(entryToJson(entry)));
    left -= written.length + 1;
    if (left < 0) break;
    shown.push(written);
  }
  const missing = entries.length - shown.length;
  const more = missing === 0 ? "" : `,"more":${missing}`;
  return terminal.out(`{${named},"entries":[${shown.join(",")}]${more}}\n`);
}

/** Names, brackets and the number of what is left out. */
const frameChars = 60;

async function printTable({ path, leadsTo, entries }: Log, terminal: Terminal): Promise<void> {
  if (entries.length === 0) {
    terminal.err(`No write of ${escapeForPeople(path)} is recorded.\n`);
    return;
  }
  await terminal.out(table(entries, terminal.outPaint));
  if (leadsTo !== undefined)
    terminal.err(
      `${escapeForPeople(path)} is a link to ${escapeForPeople(leadsTo)} now; -> marks the writes to that.\n`,
    );
  const isFile = ({ isLink, isThrough }: LoggedWrite) =>
    isLink !== true && (leadsTo === undefined || isThrough === true);
  const older = entries.find(
    (entry) => entry.kept && !entry.current && entry.after !== null && isFile(entry),
  );
  if (older === undefined) return;
  terminal.err(`To bring one back: holdfast restore ${escapeForPeople(path)}@${short(older.after)}\n`);
}

function table(entries: readonly LoggedWrite[], paint: Paint): string {
  const tools = entries.map(toolOf);
  const width = Math.max(...tools.map((tool) => tool.length));
  // A state may have been there before, too: the newest write of it made the present one.
  const now = entries.find((entry) => entry.current);
  const lines = entries.map((entry, at) => {
    const mark =
      entry === now
        ? paint.green("* now")
        : entry.kept || entry.ofOtherFolder === true
          ? ""
          : paint.yellow("bytes gone");
    const time = localTime(entry.time, "seconds");
    const hash = paint.cyan(short(entry.after));
    return `${time}  ${hash}  ${(tools[at] ?? "").padEnd(width)}  ${paint.dim(escapeForPeople(entry.session).slice(0, 12))}  ${mark}`.trimEnd();
  });
  return `${lines.join("\n")}\n`;
}

function toolOf(entry: LoggedWrite): string {
  const notes = [
    ...(entry.changeSet === undefined ? [] : [`set ${entry.changeSet.slice(0, 8)}`]),
    ...(entry.undoes === undefined ? [] : ["took back a write"]),
    ...(entry.ofOtherFolder === true ? ["in another folder"] : []),
    ...(entry.isLink === true ? ["link"] : entry.isThrough === true ? ["->"] : []),
  ];
  return escapeForPeople(notes.length === 0 ? entry.tool : `${entry.tool} (${notes.join(", ")})`);
}

function short(sha256: string | null): string {
  return sha256 === null ? "deleted".padEnd(hashDigits) : sha256.slice(0, hashDigits);
}

/** As many digits as every message shows. */
const hashDigits = 16;

function entryToJson(entry: LoggedWrite) {
  const { id, time, session, tool, before, after, undoes, changeSet, kept, current } = entry;
  const taken = defined({ undoes });
  const links = { is_link: entry.isLink, is_through: entry.isThrough };
  const together = defined({ change_set: changeSet, of_other_folder: entry.ofOtherFolder, ...links });
  return {
    id,
    time: new Date(time).toISOString(),
    sha256: after,
    before,
    tool,
    session,
    kept,
    current,
    ...taken,
    ...together,
  };
}
