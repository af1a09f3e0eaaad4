import { countLines, escapeForDisplay, LineFinder } from "../../text/index.js";
import type { Planning } from "../access/call.js";
import type { Change, Plan, PlannedWrite } from "../access/change.js";
import type { Current } from "../access/kept-states.js";
import { asEdits, planInsert } from "../change/added-text.js";
import { linesMessage, noSuchLine, planLines } from "../change/line-edits.js";
import { textOf } from "../change/plans.js";
import { numberedLines } from "../change/rebase-requests.js";
import type { LineSpan } from "../lines/line-spans.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { Asked, ContentChange, EditLinesRequest, FileChange } from "../values/requests.js";

type Cut = Extract<ContentChange, { readonly kind: "cut" }>;
type Paste = Extract<ContentChange, { readonly kind: "paste" }>;
type File = Pick<FileChange, "path" | "encoding">;
type Moving = Pick<Change, "plan" | "lines" | "needsShown">;

/** Takes lines out of a file, or puts them elsewhere in it. What is taken out is the plan's `taken`. */
export function cutLines(planning: Planning, file: File, cut: Cut): Moving {
  const { session, budget } = planning;
  const { from, to, after } = cut;
  const words = "Lines moved.";
  const request = (place: number | undefined, content: string): Asked<EditLinesRequest> => {
    const put = place === undefined ? [] : [{ from: place + 1, to: place, content }];
    return { ...file, edits: [{ from, to, content: "" }, ...put] };
  };
  const plan = async (state: Current): Promise<Plan> => {
    const text = state.kind === "absent" ? noFile : textOf(session, file.encoding, state);
    if (isRefusal(text)) return text;
    const place = after === "end" ? countLines(text.text) : after;
    const idle = place === undefined && from <= to ? undefined : withoutMove(cut, place);
    if (idle !== undefined) return idle;
    const lines = new LineFinder(text.text).lines(from, to);
    const edits = request(place, lines);
    // Elsewhere a lone return would be content.
    const taken = text.text.includes("\n") ? lines : lines.replaceAll("\r", "\n");
    const said = { done: () => linesMessage(edits), outOfRange: noSuchLine };
    const planned = await planLines(session, edits, state, budget, said);
    return planned.kind === "write" ? { ...moved(planned, words), taken } : planned;
  };
  const named = request(after === "end" ? undefined : after, "");
  const rebase = numberedLines(planning, named, plan, () => words);
  return { plan, needsShown: true, lines: { asked: cut, rebase } };
}

const noFile = refuse("file_missing", "There is no file whose lines could be moved.");

/** Of a move within one file: nothing to do, or a place that moves itself. */
function withoutMove({ from, to }: Cut, place: number | undefined): Plan | undefined {
  if (to < from) return refuse("invalid_arguments", `Lines ${from}-${to} are none. Nothing was written.`);
  if (place === undefined || place < from - 1 || place > to) return undefined;
  if (place === from - 1 || place === to)
    return { kind: "unchanged", code: "no_change", message: "The lines stand there already." };
  const message = `Line ${place} is one of the lines that are to be moved: name a place outside of ${from}-${to}. Nothing was written.`;
  return refuse("invalid_arguments", message);
}

/**
 * Puts the lines of a cut into another file, in its encoding and with its endings.
 *
 * @param cut the change of the other file, and what it comes to; no plan where nothing is to be taken out.
 */
export function pasteLines(
  planning: Planning,
  file: File,
  { after }: Paste,
  cut: { readonly change: Change; readonly plan: PlannedWrite | undefined },
): Moving {
  const { session, budget } = planning;
  const content = cut.plan?.taken;
  const { path, options, lines } = cut.change;
  const words = `Moved from ${escapeForDisplay(path)}.`;
  const plan = async (state: Current): Promise<Plan> => {
    if (content === undefined) return notCut(path);
    const text = textOf(session, file.encoding, state);
    if (isRefusal(text)) return text;
    const afterLine = after === "end" ? countLines(text.text) : after;
    const planned = await planInsert(session, { ...file, afterLine, content }, state, budget);
    return planned.kind === "write" ? moved(planned, words) : planned;
  };
  const named: Asked<EditLinesRequest> =
    after === "end" ? { ...file, edits: [] } : asEdits({ ...file, afterLine: after, content: "" });
  return {
    plan,
    // At either end of a file there is no number to be wrong about.
    ...(after === "end" || after === 0 ? {} : { needsShown: true }),
    lines: {
      asked: { after, source: path, version: options.base, cut: lines?.asked },
      rebase: numberedLines(planning, named, plan, () => words),
    },
  };
}

function notCut(path: string): Refusal {
  return refuse("not_applied", `Not written: the lines of ${escapeForDisplay(path)} cannot be moved.`);
}

/** The call does not hold the lines, so whoever made it knows of their new place what its answer shows: their ends. */
function moved(planned: PlannedWrite, words: string): PlannedWrite {
  const { message, plainMessage = message, report } = planned;
  const shown = { authored: [], derived: false, ranges: report.ranges.flatMap(endsOf) };
  const said = { message: `${words} ${message}`, plainMessage: `${words} ${plainMessage}` };
  return { ...planned, ...said, report: { ...report, ...shown } };
}

function endsOf({ from, to }: LineSpan): readonly LineSpan[] {
  if (to - from < shownWhole) return [{ from, to }];
  return [from, to].map((line) => ({ from: line, to: line }));
}

/** So many lines, with those around them, are shown as they are. */
const shownWhole = 8;
