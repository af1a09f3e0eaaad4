import { credentialsPath } from "@holdfast/agent";
import type { Limits, Workspace } from "@holdfast/core/files";
import type { Refusal } from "@holdfast/core/files/values";
import {
  homeFolder,
  type OpenedWorkspace,
  type OpenWorkspaceOptions,
  openWorkspace,
  type RecoveredSets,
} from "@holdfast/core/node";
import { counted, defined, escapeForPeople } from "@holdfast/core/text";
import { answerBudgetChars, type ResultContent } from "@holdfast/core/tools";
import type { Settings } from "../shell/invocation.js";
import type { Terminal } from "../shell/terminal.js";
import type { ToolResult } from "./json.js";
import { reportRefusal } from "./report.js";

/**
 * Opens the workspace that the flags name, for one piece of work. Where that is refused (a root that is
 * no folder, a state folder that belongs to somebody else), it says so.
 *
 * @param work prints to the terminal that it is given: one answer has one budget.
 * @param session guards and rereads of the session; those of a single command unless given.
 * @returns the exit code.
 */
export async function withWorkspace(
  { settings, terminal: whole }: { readonly settings: Settings; readonly terminal: Terminal },
  work: (workspace: Workspace, terminal: Terminal) => Promise<number>,
  session: Partial<OpenWorkspaceOptions> = {},
): Promise<number> {
  // JSON is rendered within the budget: cut anywhere else, it would be none.
  const limited = settings.json ? undefined : withinBudget(whole);
  const terminal = limited ?? whole;
  const workspace = await openSettings(settings, terminal, session);
  if (workspace.kind === "refusal") return answerRefusal({ settings, terminal }, workspace);
  try {
    return await work(workspace, terminal);
  } finally {
    await workspace.close();
    limited?.finish();
  }
}

/**
 * Who waits at a terminal ends a command himself, and half a search would be taken for the whole: nothing that a person
 * starts has a limit of time, but the waiting for somebody else's lock.
 */
const commandLimits = {
  searchMs: Number.POSITIVE_INFINITY,
  patchMs: Number.POSITIVE_INFINITY,
  editMs: Number.POSITIVE_INFINITY,
} as const satisfies { readonly [Name in Exclude<TimeLimit, "lockMs">]: number };

type TimeLimit = Extract<keyof Limits, `${string}Ms`>;

/** The workspace that the flags name, which the caller closes; as `withWorkspace`. */
export function openSettings(
  { roots, stateDir, allowProtected, inPlace, keepSecrets }: Settings,
  terminal: Pick<Terminal, "err">,
  session: Partial<OpenWorkspaceOptions> = {},
): Promise<OpenedWorkspace | Refusal> {
  const keys = keysOfPerson();
  // A command knows no reads: the hash that a person names is its word.
  const { hostRules, guards = { wholeReplacement: "hash" } } = session;
  return openWorkspace({
    limits: commandLimits,
    // Who names a wide folder by hand means it; an empty name is an empty variable of the shell.
    allowWideRoot: roots.every((root) => root.trim() !== ""),
    ...session,
    roots,
    stateDir,
    allowProtected,
    guards: inPlace.includes("auto") ? { ...guards, inPlace: "auto" } : guards,
    inPlacePaths: inPlace.filter((glob) => glob !== "auto"),
    ...defined({ keepSecrets }),
    hostRules: () => [...(hostRules?.() ?? []), keys],
    onRecovered: (sets) => terminal.err(reportRecovered(sets)),
    onHalfWritten: (path) => terminal.err(`holdfast: ${escapeForPeople(path)} ${halfWritten}\n`),
  });
}

const halfWritten =
  "may be half written: a process was killed while it wrote in place. An undo puts the old bytes back.";

/** The keys that a person has given the agent are for no tool, wherever its roots lie. */
function keysOfPerson(): ReturnType<NonNullable<OpenWorkspaceOptions["hostRules"]>>[number] {
  const path = credentialsPath({ home: homeFolder(), environment: process.env });
  const shown = "keys of Holdfast's agent are for no tool";
  return { denies: "reading", shown, matches: (realPath) => realPath === path };
}

/** What was refused before a tool of the workspace was asked, or where none has an answer for it. @returns the exit code. */
export async function answerRefusal(
  { settings, terminal }: { readonly settings: Settings; readonly terminal: Terminal },
  refusal: Refusal,
  about: { readonly path?: string; readonly writing: boolean } = { writing: false },
): Promise<number> {
  if (!settings.json) return reportRefusal(refusal, terminal);
  return answerInJson({ kind: "refused", refusal, ...about }, terminal);
}

/** See `printJson`, which this loads. @returns the exit code. */
export async function answerInJson(
  result: ToolResult,
  terminal: Terminal,
  resultContent?: ResultContent,
): Promise<number> {
  const { printJson } = await import("./json.js");
  return printJson(result, terminal, resultContent);
}

/** Reports the change sets that recovery finished or took back, as lines for standard error. */
function reportRecovered({ finished, takenBack, leftAlone }: RecoveredSets): string {
  const lines: string[] = [];
  const sets = (count: number) =>
    counted(count, "change set that was interrupted", "change sets that were interrupted");
  if (finished > 0) lines.push(`Finished ${sets(finished)}: all of its files are new.`);
  if (takenBack > 0) lines.push(`Took back ${sets(takenBack)}: its files are as before.`);
  for (const path of leftAlone)
    lines.push(`Left alone, because somebody else wrote it meanwhile: ${escapeForPeople(path)}`);
  return lines.map((line) => `holdfast: ${line}\n`).join("");
}

/**
 * A terminal through which one answer goes, on both streams together: what is more than an answer may hold is
 * not printed, and the end of standard error says how much that was.
 */
interface BudgetedTerminal extends Terminal {
  /** Says what was not printed, if anything. */
  finish(): void;
}

/** @param budgetChars UTF-16 units. */
function withinBudget(terminal: Terminal, budgetChars = answerBudgetChars): BudgetedTerminal {
  // What says that something was left out has to fit, too.
  let left = budgetChars - noteChars;
  let missing = 0;
  const fitting = (text: string): string => {
    const kept = text.length <= left ? text : wholeLines(text, Math.max(0, left));
    left -= kept.length;
    if (kept.length < text.length) {
      missing += text.length - kept.length;
      // The lines that follow are no answer without those that were left out.
      left = 0;
    }
    return kept;
  };
  return {
    ...terminal,
    async out(text) {
      const kept = typeof text === "string" ? fitting(text) : text;
      if (kept.length > 0) await terminal.out(kept);
    },
    err(text) {
      const kept = fitting(text);
      if (kept !== "") terminal.err(kept);
    },
    finish() {
      if (missing > 0)
        terminal.err(`… ${missing.toLocaleString("en-US")} more characters are not shown: ask for less.\n`);
    },
  };
}

const noteChars = 100;

/** The beginning of a text up to the end of a line, where it has one. */
function wholeLines(text: string, limit: number): string {
  const end = text.lastIndexOf("\n", limit - 1);
  return limit === 0 ? "" : end < 0 ? text.slice(0, limit) : text.slice(0, end + 1);
}
