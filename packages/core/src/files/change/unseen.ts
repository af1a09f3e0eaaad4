import { clip, countLines, LineFinder } from "../../text/index.js";
import type { Subject } from "../access/answers.js";
import type { PlannedWrite } from "../access/change.js";
import { type Current, type CurrentFile, textOfState } from "../access/current.js";
import { decodeFile, type FileText, textFacts } from "../access/file-text.js";
import { joinSpans, type LineSpan, outsideSpans } from "../lines/line-spans.js";
import type { KnownState } from "../values/knowledge.js";
import type { QuotedLines } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";

/** A change that may not be made, since lines were not shown. */
interface Unseen {
  readonly refusal: Refusal<"unseen_lines">;
  /** Lines that the refusal shows. */
  readonly quoted?: readonly QuotedLines[];
}

/**
 * Whole to replace whole: a caller that replaces all of a file must have been shown every line of it, or have
 * written it, before this call. The hash in the header of a window does not license it.
 */
export function findUnshown(subject: Subject, current: Current): Unseen | undefined {
  if (subject.call.session.guards.wholeReplacement === "hash") return undefined;
  const lines = unshownLines(subject, current);
  if (lines === undefined) return undefined;
  return { refusal: refuseIn("unseen_lines", wholeUnseen, { lines }) };
}

const wholeUnseen =
  "The call replaces the whole file, and lines $lines of it were not shown in this session. " +
  "[{?script}What a script reads counts when the script is over: print the text first; write in a later call|" +
  "Read them first, then repeat the call][; or change only a part: {edit,patch,append,section:need} less]. Nothing was written.";

/** The lines that the caller did not know when it wrote the call, in words; undefined for none. */
export function unshownLines(subject: Subject, current: Current): string | undefined {
  if (current.kind === "absent") return undefined;
  const { call, file, encoding } = subject;
  const text = textOfState(call.session, current, encoding);
  // Of a file that is no text, no line can be shown.
  if (isRefusal(text)) return undefined;
  const total = textFacts(text, current.bytes.length).totalLines;
  if (total === 0) return undefined;
  const known = call.knowledge.find(file, current.sha256);
  const lines =
    known !== undefined && isShownAs(text, known.encoding, subject, current) ? known.beforeCall : [];
  const missing = outsideSpans({ from: 1, to: total }, lines);
  return missing.length === 0 ? undefined : namesOf(missing);
}

/**
 * With a strict view: the lines that a change touches and that were not shown of the state that it changes.
 * Where lines are only added, a line beside them must have been shown.
 */
export function findUnseen(
  { call, file }: Subject,
  plan: PlannedWrite,
  current: Current,
  isStrict: boolean = call.session.guards.strictView,
): Unseen | undefined {
  const { beforeText, changes } = plan.report;
  if (!isStrict || current.kind === "absent" || plan.bytes === null) return undefined;
  if (beforeText === null || plan.text === undefined) return undefined;
  const known: KnownState | undefined = call.knowledge.find(file, current.sha256);
  const lines = joinSpans(known?.lines ?? []);
  const old = new LineFinder(beforeText);
  let total: number | undefined;
  const unseen: LineSpan[] = [];
  for (const { at, removed } of changes) {
    if (removed > 0) unseen.push(...outsideSpans({ from: at, to: at + removed - 1 }, lines));
    else {
      total ??= countLines(beforeText);
      unseen.push(...besideInsertion(at - 1, total, lines));
    }
  }
  const state = plan.madeFor === undefined ? "this state" : "the present state, which is not the call's base";
  return unseen.length === 0 ? undefined : show(old, unseen, state);
}

function besideInsertion(at: number, total: number, seen: readonly LineSpan[]): readonly LineSpan[] {
  const neighbours = [at, at + 1].filter((line) => line >= 1 && line <= total);
  const isSeen = (line: number) => outsideSpans({ from: line, to: line }, seen).length === 0;
  if (neighbours.length === 0 || neighbours.some(isSeen)) return [];
  return [{ from: neighbours[0] ?? 1, to: neighbours.at(-1) ?? 1 }];
}

function show(old: LineFinder, unseen: readonly LineSpan[], state: string): Unseen {
  const { spans, texts } = cutToShow(old, unseen);
  const head = `The change touches lines that this session was not shown of ${state}: ${namesOf(unseen)}.`;
  const isWhole = spans.length === unseen.length && spans.every(({ to }, at) => to === unseen[at]?.to);
  const next = isWhole
    ? "They follow; if the change is still right, repeat the call. Nothing was written."
    : "The first of them follow; read the others. Nothing was written.";
  let message = `${head} ${next}`;
  const quoted = spans.map(({ from, to }, at): QuotedLines => {
    message += `\nlines ${from}-${to}:\n`;
    const start = message.length;
    message += texts[at] ?? "";
    return { from, to, start };
  });
  return { refusal: refuse("unseen_lines", message), quoted };
}

/** As many of the lines as a message may quote. */
function cutToShow(old: LineFinder, unseen: readonly LineSpan[]) {
  const spans: LineSpan[] = [];
  const texts: string[] = [];
  let units = 0;
  for (const { from, to: end } of unseen) {
    const to = Math.min(end, from + mostLines - 1);
    const text = old.lines(from, to);
    units += text.length;
    if (units > mostUnits || spans.length === mostSpans) break;
    spans.push({ from, to });
    texts.push(text);
  }
  return { spans, texts };
}

function namesOf(spans: readonly LineSpan[]): string {
  const names = spans.slice(0, mostSpans).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const more = spans.length > names.length ? `, and ${spans.length - names.length} more targets` : "";
  return clip(names.join(", "), 200) + more;
}

/** Whether the caller was shown this very text: under another encoding the same bytes are other lines. */
function isShownAs(
  text: FileText,
  shownEncoding: string | undefined,
  { call, encoding }: Subject,
  { bytes }: Pick<CurrentFile, "bytes">,
): boolean {
  if (shownEncoding === encoding) return true;
  const shown = decodeFile(bytes, call.session.ports.codec, shownEncoding);
  return !isRefusal(shown) && shown.text === text.text;
}

const mostLines = 200;
const mostSpans = 20;
const mostUnits = 16 * 1024;
