import {
  backgroundWords,
  betweenWords,
  brokenLine,
  type CommandFacts,
  cellsOf,
  cellsOfLine,
  elastic,
  fitted,
  type Line,
  signAt,
  span,
  type Theme,
  type WindowSize,
} from "@holdfast/agent/shown";
import type { EditorState } from "../input/editor.js";
import { view as viewEditor } from "../input/view.js";
import { linesOf, type MarkdownState, openBlock } from "../markdown/stream.js";
import type { Tail } from "./frame.js";
import { type Highlighted, rowOf } from "./rows.js";
import { type StatusFacts, statusLine } from "./status.js";
import { activities, type ScreenState, todoLine } from "./update.js";

/** Where a person types, and what is asked. */
export interface ScreenInput {
  readonly editor: EditorState;
  /** What stands before the text; empty where nothing is asked. */
  readonly label: string;
  /** Whether something is asked that the work waits for. */
  readonly isQuestion: boolean;
  /** Texts that wait, as they are shown. */
  readonly waiting: readonly { readonly shown: string; readonly steers: boolean }[];
  /** What the end of the text may become. */
  readonly menu?: Menu;
  /** A sentence that is gone with the next key. */
  readonly hint?: string;
}

/** Words to choose from. */
export interface Menu {
  readonly candidates: readonly string[];
  /** What is said of a candidate, beside it. */
  readonly says?: ReadonlyMap<string, string>;
  /** -1 for none. */
  readonly chosen: number;
}

/** All that the tail shows. */
export interface Shown {
  /** Absent where no model works. */
  readonly turn: ScreenState | undefined;
  readonly input: ScreenInput;
  readonly status: StatusFacts | undefined;
  /** Commands that run in the background. */
  readonly background?: readonly CommandFacts[];
  readonly nowMs: number;
  readonly highlight?: Highlighted;
}

/**
 * The tail: what is not finished, what goes on, what waits, the state of things, and the input. It is shorter than the
 * window less one line; of what does not fit the end is shown. Pure.
 */
export function viewScreen(
  { turn, input, status, background = [], nowMs, highlight }: Shown,
  size: WindowSize,
  theme: Theme,
): Tail {
  const cells = Math.max(0, size.columns - 1);
  const most = Math.max(1, size.rows - 2);
  const draw = (lines: readonly Line[], width = cells) => lines.map((line) => rowOf(line, width, theme));
  // A terminal that breaks rows of a narrower window is sure of the cursor only where no such row is below it.
  const below = (input.menu === undefined ? [] : menuLines(input.menu)).slice(0, Math.max(0, most - 2));
  const facts = factLines(input, status).map((line) => ruled(line, cells));
  const waiting = input.waiting.slice(0, mostWaiting).map(waitingLine);
  const todo = turn === undefined ? undefined : todoLine(turn);
  const outputRows = Math.min(mostOutput, Math.floor(most / 3));
  const activity = turn === undefined || input.isQuestion ? [] : activeRows(turn, nowMs, outputRows);
  const beside = [...backgroundLines(background), ...(todo === undefined ? [] : [todo])];
  const above = [...activity, ...beside, ...waiting, ...facts].slice(0, Math.max(0, most - 1 - below.length));
  const room = Math.max(1, most - above.length - below.length);
  const typed = viewEditor(input.editor, { columns: size.columns, rows: room, label: input.label });
  const open =
    turn === undefined
      ? []
      : foldedRows(openRows(turn.prose, size.columns, highlight), room - typed.lines.length);
  const over = [...draw(open, size.columns), ...draw(above)];
  return {
    rows: [...over, ...typed.lines, ...draw(below)],
    cursor: { row: over.length + typed.cursor.row, column: typed.cursor.column },
  };
}

const mostWaiting = 5;
const mostActive = 6;
const mostBackground = 3;
/** Rows of what commands print: five lines, and how many are before them. */
const mostOutput = 6;
const mostCandidates = 8;
/** What is said of a name begins behind so many cells. */
const mostNameCells = 34;

function activeRows(turn: ScreenState, nowMs: number, outputRows: number): readonly Line[] {
  const all = activities(turn, nowMs, outputRows);
  const sign = signAt(nowMs);
  const more = all.length > mostActive ? [[span(`  and ${all.length - mostActive} more`, "faint")]] : [];
  const shown = all.slice(0, mostActive);
  return [...shown.flatMap(({ head, printed }) => [[span(`${sign} `), ...head], ...printed]), ...more];
}

function backgroundLines(commands: readonly CommandFacts[]): readonly Line[] {
  const more = commands.length - mostBackground;
  const rest = more > 0 ? [[span(`  and ${more} more in the background, /background`, "faint")]] : [];
  const shown = commands.slice(-mostBackground);
  return [
    ...shown.map((command): Line => [span("background ", "accent"), elastic(backgroundWords(command))]),
    ...rest,
  ];
}

/** What the model is saying, in rows as the terminal will break them once it is committed: nothing moves by that. */
function openRows(prose: MarkdownState, columns: number, highlight: Highlighted): readonly Line[] {
  const block = openBlock(prose) ?? [];
  return linesOf(block, columns - 1, highlight).flatMap((line) =>
    brokenLine(betweenWords(line, Math.max(1, columns)), columns),
  );
}

/** The end of rows that are too many. */
function foldedRows(rows: readonly Line[], room: number): readonly Line[] {
  if (rows.length <= room) return rows;
  if (room < 2) return [];
  const hidden = rows.length - room + 1;
  return [[span(`… ${hidden.toLocaleString("en")} lines, Ctrl+O`, "faint")], ...rows.slice(hidden)];
}

function waitingLine({ shown, steers }: ScreenInput["waiting"][number]): Line {
  const when = steers ? "after this step: " : "after the turn: ";
  return [span(`  ${when}`, "faint"), elastic(shown.replace(/\n\s*/gu, " / "))];
}

function factLines({ hint }: ScreenInput, status: StatusFacts | undefined): readonly Line[] {
  if (hint !== undefined) return [[elastic(hint, "note")]];
  return status === undefined ? [] : [statusLine(status)];
}

/** The line goes on as a rule: what is typed stands below it. */
function ruled(line: Line, cells: number): Line {
  const room = cells - cellsOfLine(fitted(line)) - 1;
  return room < 1 ? line : [...line, span(` ${"─".repeat(room)}`, "faint")];
}

function menuLines({ candidates, chosen, says }: Menu): readonly Line[] {
  const from = Math.max(0, Math.min(chosen - mostCandidates + 1, candidates.length - mostCandidates));
  const shown = candidates.slice(from, from + mostCandidates);
  const width = Math.min(mostNameCells, Math.max(...shown.map(cellsOf)));
  return shown.map((name, at) => {
    const words = says?.get(name) ?? "";
    const gap = words === "" ? "" : " ".repeat(Math.max(0, width - cellsOf(name)) + 2);
    const isChosen = from + at === chosen;
    const count = isChosen && candidates.length > mostCandidates ? ` ${chosen + 1}/${candidates.length}` : "";
    return [
      span(isChosen ? "> " : "  ", "accent"),
      isChosen ? { ...elastic(name), ground: "chosen" as const } : elastic(name),
      ...(words === "" ? [] : [span(gap), elastic(words.replace(/\s+/gu, " "), "faint")]),
      span(count, "faint"),
    ];
  });
}
