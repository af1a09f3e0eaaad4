import { escapeForDisplay } from "../../text/index.js";
import { makerWords } from "./file-makers.js";
import type { PlannedFile, RestorePlan } from "./restore-plan.js";
import { isMoving } from "./restoring.js";

/** A file of a plan that is not as it is to be. */
export type DueFile = Exclude<PlannedFile, { readonly kind: "same" }>;

/** Those files of a plan that are not as they are to be. */
export function filesDue({ files }: Pick<RestorePlan, "files">): readonly DueFile[] {
  return files.filter((file): file is DueFile => file.kind !== "same");
}

/** What a restore would do with a file, and whose work that takes back: a line for a person or a model. */
export function dueLine(file: DueFile): string {
  const path = escapeForDisplay(file.path);
  switch (file.kind) {
    case "conflict":
      return `${path}: CONFLICT (${file.why}${file.consentable ? "" : ", stays in any case"}). ${file.message}`;
    case "created":
      return `${path}: deleted again; ${makerWords(file.by)} left it.`;
    case "deleted":
      return `${path}: made again; ${makerWords(file.by)} deleted it.`;
    case "merged":
      return `${path}: the lines of this conversation are put back; other lines stay as ${makerWords(file.by)} changed them.`;
    case "restore":
      return `${path}: put back; ${makerWords(file.by)} changed it${file.others ? "; what others changed before goes back, too" : ""}.`;
    default:
      return file satisfies never;
  }
}

/**
 * What a restore with this consent does to a file, for the person who is asked about it: of a file in conflict, what is
 * lost.
 */
export function consentLine(file: DueFile, consent: readonly string[]): string {
  if (file.kind !== "conflict") return dueLine(file);
  const why = `in conflict (${file.why}). ${file.message}`;
  return `${escapeForDisplay(file.path)}: ${isMoving(file, { consent }) ? fateOf(file) : "stays as it is"}, ${why}`;
}

function fateOf({ from, to }: DueFile): string {
  if (to === null) return "DELETED";
  return from === null ? "MADE AGAIN" : "OVERWRITTEN";
}

/** The same as data. */
export function dueFact(file: DueFile) {
  const { path, kind, from = null, to, by } = file;
  const conflict = file.kind === "conflict" ? { why: file.why, consentable: file.consentable } : {};
  return { path, kind, from, to, by: makerWords(by), ...conflict };
}
