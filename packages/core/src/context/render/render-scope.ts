import type { Ancestry, Choice, Choices } from "../../conversation/index.js";
import {
  type ConversationContext,
  type FileDelta,
  type FileLedgerEntry,
  isOfModel,
  type Restore,
  type ShownText,
  type Summary,
  type TaskBoundary,
  type TaskSummary,
  type TurnNode,
} from "../../conversation/values/index.js";
import type { PersistentMap } from "../../files/seen/index.js";
import { escapeForDisplay, quoteForDisplay } from "../../text/index.js";
import { type DraftPart, type Layout, sameAnswer } from "../layout/layout.js";

/** What a step may know beyond the layout so far. */
export interface RenderScope {
  readonly context: ConversationContext;
  readonly ancestry: Ancestry;
  readonly choices: Choices;
  readonly settings: RenderSettings;
  /** The summary in whose place this path is rendered. */
  readonly within: string | undefined;
  /** Tasks that are being rendered in full around this path. */
  readonly around: PersistentMap<true>;
}

/** The options with their defaults filled in. */
export interface RenderSettings {
  readonly expand: ReadonlySet<string>;
  readonly target: { readonly provider: string; readonly model: string } | undefined;
  readonly now: number;
  readonly bound: boolean;
  readonly files: "text" | "json";
}

/** What all parts of one node have in common. */
export interface PartSource {
  readonly nodeId: string;
  readonly cut: boolean;
  readonly within: string | undefined;
  readonly choice: Choice | undefined;
}

/** What all parts of this node will have in common. */
export function sourceOf(layout: Layout, node: TurnNode, scope: RenderScope): PartSource {
  const carriesOn = isOfModel(node) && sameAnswer(layout.speaker, { step: node.payload.step });
  return {
    nodeId: node.id,
    cut: layout.exchange.size === 0 && !carriesOn,
    within: scope.within,
    choice: scope.choices.forms.get(node.id),
  };
}

/** A text of the user's side. */
export function userText(source: PartSource, rule: DraftPart["rule"], text: string): DraftPart {
  return { ...source, role: "user", part: { text }, rule };
}

/** Leaves the form of a node, and the cut before it, on its first part only. */
export function followers(drafts: readonly DraftPart[]): readonly DraftPart[] {
  return drafts.map((draft, at) => (at === 0 ? draft : { ...draft, cut: false, choice: undefined }));
}

/** Those that name lines within the text; the others are a tool's mistake and show nothing. */
export function withinText(text: string, shows: readonly ShownText[]): readonly ShownText[] {
  return shows.filter((shown) => isWithin(text, shown) && isPart(text, shown));
}

function isWithin(text: string, { start, end, from, to }: ShownText): boolean {
  return 0 <= start && start <= end && end <= text.length && 0 < from && from <= to;
}

/** A part of a line names the one line and as many of its characters as stand there. */
function isPart(text: string, { chars, from, to, start, end }: ShownText): boolean {
  if (chars === undefined) return true;
  const fits = from === to && chars.from <= chars.to && chars.to <= chars.of;
  return fits && codePoints(text.slice(start, end)) === chars.to - chars.from;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

// The renderer's own words. Every change here changes the bytes of all prompts.

export const interruptedText =
  "interrupted: no result of this call was recorded. Whether it took effect is not known.";

/** What stands in the prompt for a node whose record is lost. */
export const lostNodeText =
  "[A part of the conversation is lost here: it cannot be read any more, and what it said is not known.]";

export const placeholderText = "[The output of this call is hidden.]";

/** @param summary what stands for all that came before, where the task begins with that. */
export function taskText(task: TaskBoundary, summary: string | undefined): string {
  const lines = [`[Task ${quoteForDisplay(task.name)} begins here.]`];
  if (task.lost !== undefined) lines.push(lostNodeText);
  if (hasText(task.goal)) lines.push(`Goal: ${task.goal}`);
  if (task.restartOf !== undefined) lines.push("An earlier attempt at it failed.");
  if (hasText(task.hint)) lines.push(`Hint: ${task.hint}`);
  if (hasText(summary)) lines.push(`What came before, in short:\n${summary}`);
  return lines.join("\n");
}

/** Of a session that begins with the summary of another. */
export function sessionText(summary: string): string {
  return `[What came before this session, in short:]\n${summary}`;
}

/** What stands in the prompt for a completed task: its summary, its files, how to see it in full. */
export function taskSummaryText({ name, taskId, summary, files }: TaskSummary): string {
  return [
    `[Task ${quoteForDisplay(name)} is complete.]`,
    ...(hasText(summary) ? [summary] : []),
    ...deltaLines("Files that it changed", files),
    `[Its full history can be shown: its task_id is ${quoteForDisplay(taskId)}.]`,
  ].join("\n");
}

/** What stands in the prompt for a summary of a branch: of the one on which it stands, or of another. */
export function branchSummaryText(text: string, isOfThis: boolean): string {
  return isOfThis
    ? `[Summary of this task's branch up to here:]\n${text}`
    : `[Summary of another branch of this conversation:]\n${text}`;
}

/** What stands in the prompt for all that a compaction left out. */
export function compactionText(summary: Extract<Summary, { of: "compaction" }>): string {
  const { text, files, ledger, instruction } = summary;
  return [
    "[What came before this point is left out. In short:]",
    ...(hasText(text) ? [text] : []),
    ...deltaLines("Files that were changed", files ?? []),
    ...ledgerLines(ledger ?? []),
    ...(instruction === undefined
      ? []
      : ["The instruction that holds now, word for word:", instruction.text]),
  ].join("\n");
}

function ledgerLines(ledger: readonly FileLedgerEntry[]): readonly string[] {
  if (ledger.length === 0) return [];
  const lines = ledger.map((entry) => `- ${ledgerLine(entry)}`);
  return ["Files that were changed, as recorded by the tools:", ...lines];
}

function ledgerLine({ path, to, version, added, removed, check }: FileLedgerEntry): string {
  const state = to === null ? "deleted" : `sha256 ${shortState(to)}`;
  const number = version === undefined ? "" : `version ${version}, `;
  const last =
    check === undefined
      ? "nothing was run since"
      : `then ${quoteForDisplay(check.command)} ${check.failed ? "failed" : "ran"}`;
  return `${escapeForDisplay(path)}: ${number}${state}, +${added} -${removed} lines, ${last}`;
}

/** The note to the model on a move that put files back, or on its undoing. */
export function restoreText({ files, undoes }: Restore): string {
  const what = undoes === undefined ? "The conversation was moved" : "A move of the conversation was undone";
  if (files.length === 0) return `[${what}; no file was changed by it.]`;
  return [`[${what}, and files were put back with it.]`, ...deltaLines("Files", files)].join("\n");
}

/** Names a file whose bytes come by address. */
export function addressText(attributes: string): string {
  return `<file${attributes} content="attached"/>`;
}

/** Whether there is a text that is not blank. */
export function hasText(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== "";
}

function deltaLines(title: string, files: readonly FileDelta[]): readonly string[] {
  if (files.length === 0) return [];
  const lines = files.map(
    ({ path, from, to }) => `- ${escapeForDisplay(path)}: ${shortState(from)} → ${shortState(to)}`,
  );
  return [`${title}:`, ...lines];
}

/** Twelve digits: a prompt reads as it did when it was first sent, or the provider's cache of it is lost. */
function shortState(sha256: string | null): string {
  return sha256 === null ? "no file" : sha256.slice(0, 12);
}
