import { spliceSteps, type TextSplice } from "../../patch/index.js";
import { defined, type Steps } from "../../text/index.js";
import type { Plan, PlannedWrite, Since } from "../access/change.js";
import { encodeFile } from "../access/file-text.js";
import type { Current, CurrentFile } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import type { LineEdit, LineSpan } from "../lines/line-spans.js";
import { keepLines, moveEdits } from "../lines/moved-lines.js";
import { placedReport } from "../values/change-report.js";
import type { ChangeReport } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { type TimeBudget, takeSteps } from "../values/time-budget.js";
import { textOf } from "./plans.js";
import { rebasedWords } from "./rebased-words.js";

/** A change of an older state, which is to be made on the present one. */
export interface Rebasing {
  readonly session: Session;
  readonly budget: TimeBudget;
  readonly encoding: string | undefined;
  readonly then: Current;
  readonly now: CurrentFile;
  readonly since: Since;
  /** What the change comes to on `then`. */
  readonly planned: PlannedWrite;
  /** Lines of `then` that the call names: its old text, a hunk with its context. They must stand as they are. */
  readonly named: readonly LineSpan[];
  /**
   * The message of the change where it was made.
   *
   * @param by how many lines further down than in its base the change begins.
   * @param quotes false for a message that quotes nothing of the file.
   */
  readonly message?: (by: number, landed: ChangeReport["landed"], quotes: boolean) => string;
}

/**
 * The same lines in the place of the same lines, which may stand elsewhere by now (docs/edits.md, on mismatch). No
 * text is looked for.
 *
 * @returns `state_mismatch` with the reason where one of the lines was changed since.
 */
export function moveChange(move: Rebasing): Promise<Plan> {
  return takeSteps(stepsOfMove(move), move.budget);
}

function* stepsOfMove(move: Rebasing): Steps<Plan> {
  const { session, planned, since } = move;
  const [before, present] = [
    textOf(session, move.encoding, move.then),
    textOf(session, move.encoding, move.now),
  ];
  if (isRefusal(before)) return before;
  if (isRefusal(present)) return present;
  const planText = planned.text ?? "";
  if (
    planned.text === undefined ||
    [before.text, present.text, planText].some((text) => loneReturn.test(text))
  )
    return noLines;
  const { changes } = planned.report;
  const moved = moveEdits(changes, since.steps);
  const named = moveEdits(keepLines(move.named), since.steps);
  if (moved.kind === "touched") return touched(moved.line);
  if (named.kind === "touched") return touched(named.line);
  const kept = [...changes, ...keepLines(move.named)];
  if (!areSame(before.text, present.text, kept, [...moved.edits, ...named.edits])) return noLines;
  const splices = splicesOf(present.text, planText, changes, moved.edits);
  if (splices.some((splice) => joinsLines(present.text, splice))) return noLines;
  yield;
  const text = yield* spliceSteps(present.text, splices);
  const bytes = yield* encodeFile(text, present, session.ports.codec, [{ before: present.text, splices }]);
  if ("kind" in bytes) return bytes;
  yield;
  const [by, landed] = [shiftOf(changes, moved.edits), landedAt(planned, moved.edits)];
  const report = {
    ...placedReport(present.text, text, {
      changes: moved.edits,
      authored: authoredAt(planned, moved.edits),
    }),
    landed,
    repairs: planned.report.repairs,
    derived: planned.report.derived,
    ...defined({ literal: planned.report.literal }),
  };
  const said = (quotes: boolean) =>
    move.message?.(by, landed, quotes) ??
    `${(quotes ? undefined : planned.plainMessage) ?? planned.message} ${rebasedWords(since)}`;
  const [message, plainMessage] = [said(true), said(false)];
  return { kind: "write", bytes, text, message, plainMessage, report, ...defined({ taken: planned.taken }) };
}

/** Whether it ends a line depends on the rest of the text (`splitLines`). */
const loneReturn = /\r(?!\n)/;

const noLines = refuse(
  "state_mismatch",
  "It was not made on the present state: which lines it would change there cannot be said for certain.",
);

function touched(line: number): Refusal {
  return refuse(
    "state_mismatch",
    `It was not made on the present state: line ${line} of your base, which it changes or names, was changed since, or lines were added at that point.`,
  );
}

/** What is recorded is held against the texts: a line is never replaced that is another one. */
function areSame(
  before: string,
  present: string,
  edits: readonly LineEdit[],
  moved: readonly LineEdit[],
): boolean {
  const sorted = (list: readonly LineEdit[]) => list.toSorted((one, other) => one.at - other.at);
  const [then, now] = [new LineOffsets(before), new LineOffsets(present)];
  const places = sorted(moved);
  return sorted(edits).every(({ at, removed }, which) => {
    const place = places[which]?.at ?? 0;
    const [from, start] = [then.of(at), now.of(place)];
    // Overlapping lines are counted from their own beginnings.
    const [to, end] = [then.after(at, removed), now.after(place, removed)];
    return before.slice(from, to) === present.slice(start, end);
  });
}

function splicesOf(
  present: string,
  planned: string,
  changes: readonly LineEdit[],
  moved: readonly LineEdit[],
): readonly TextSplice[] {
  const [now, next] = [new LineOffsets(present), new LineOffsets(planned)];
  let shift = 0;
  return changes.map(({ at, removed, added }, which) => {
    const place = moved[which]?.at ?? at;
    const text = planned.slice(next.of(at + shift), next.after(at + shift, added));
    shift += added - removed;
    return { from: now.of(place), to: now.after(place, removed), text };
  });
}

/** Whether lines that ended the text, without a newline, would run into others. */
function joinsLines(present: string, { from, to, text }: TextSplice): boolean {
  const begins = from === 0 || present[from - 1] === "\n";
  const ends = text === "" || text.endsWith("\n") || to === present.length;
  return !begins || !ends;
}

function shiftOf(changes: readonly LineEdit[], moved: readonly LineEdit[]): number {
  const [first, place] = [changes[0], moved[0]];
  return first === undefined || place === undefined ? 0 : place.at - first.at;
}

/** Hunks are moved with the changes in them; one without a change stays. */
function landedAt({ report }: PlannedWrite, moved: readonly LineEdit[]): ChangeReport["landed"] {
  const places = newPlaces(report.changes, moved);
  return report.landed.map((hunk) => {
    const inside = places.find(
      ({ from, to }) => from >= hunk.newStart && to <= hunk.newStart + Math.max(hunk.newLines, 1),
    );
    if (inside === undefined) return hunk;
    return { ...hunk, oldStart: hunk.oldStart + inside.oldBy, newStart: hunk.newStart + inside.by };
  });
}

/** Of lines that the call kept as they were, others say what is known. */
function authoredAt({ report }: PlannedWrite, moved: readonly LineEdit[]): readonly LineSpan[] {
  const authored: LineSpan[] = [];
  let next = 0;
  for (const { from, to, by } of newPlaces(report.changes, moved)) {
    while ((report.authored[next]?.to ?? Number.POSITIVE_INFINITY) < from) next += 1;
    for (let at = next; at < report.authored.length; at++) {
      const span = report.authored[at];
      if (span === undefined || span.from >= to) break;
      authored.push({ from: Math.max(span.from, from) + by, to: Math.min(span.to, to - 1) + by });
    }
  }
  return authored;
}

/** The added lines in the text as planned (`to` is the first behind them), and how much further down they are now. */
function newPlaces(changes: readonly LineEdit[], moved: readonly LineEdit[]) {
  let shift = 0;
  return changes.map(({ at, removed, added }, which) => {
    const oldBy = (moved[which]?.at ?? at) - at;
    const place = { from: at + shift, to: at + shift + added, by: oldBy, oldBy };
    shift += added - removed;
    return place;
  });
}

/** Where lines begin, asked for in order. */
class LineOffsets {
  private line = 1;
  private at = 0;

  constructor(private readonly text: string) {}

  /** @param line 1-based; behind the last line it is the end of the text. */
  of(line: number): number {
    [this.line, this.at] = [Math.max(line, this.line), this.from(line)];
    return this.at;
  }

  after(line: number, lines: number): number {
    let at = this.of(line);
    for (let count = 0; count < lines && at < this.text.length; count++) at = nextLine(this.text, at);
    return at;
  }

  private from(line: number): number {
    let { at } = this;
    for (let count = this.line; count < line && at < this.text.length; count++) at = nextLine(this.text, at);
    return at;
  }
}

function nextLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}
