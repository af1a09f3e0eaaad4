import { describeSteps, type ShownChange } from "../../patch/index.js";
import { clip, type Steps, shortHash } from "../../text/index.js";
import type { Subject } from "../access/answers.js";
import { type CurrentFile, findShownState, textOfState } from "../access/kept-states.js";
import { type Base, emptySha256 } from "../values/base.js";
import { compareMs, comparingReport } from "../values/change-report.js";
import { isSeen } from "../values/knowledge.js";
import type { HistoryEntry } from "../values/operation.js";
import type { ChangeReport, QuotedLines, ShownDifference } from "../values/outcomes.js";
import { isRefusal } from "../values/refusal.js";
import { finishSteps, TimeBudget } from "../values/time-budget.js";
import { libraryWords, type Sentence, say } from "../values/vocabulary.js";
import { nounOfWrite } from "../values/write-noun.js";

/** The explanation of a mismatch. */
export interface Mismatch {
  readonly message: string;
  readonly sentence?: Sentence;
  /** The difference between the base and the disk, if the base's text is still kept. */
  readonly change?: ChangeReport;
  readonly quoted?: readonly QuotedLines[];
  readonly difference?: ShownDifference;
}

/** What is known beside the base and the disk. */
export interface MismatchFacts {
  readonly history: readonly HistoryEntry[];
  /** Why the change was not made on the present state, in a sentence, where it might have been. */
  readonly reason?: string | undefined;
}

/**
 * Explains a State Mismatch to a model: which state its base was, who wrote since, and what changed
 * (docs/outcomes.md). It begins with seed 1's words.
 */
export async function explainMismatch(
  subject: Subject,
  base: Base,
  current: CurrentFile,
  { history, reason }: MismatchFacts,
): Promise<Mismatch> {
  const { session } = subject.call;
  if (base.kind !== "stale") return { message: unknownBase(base) };
  const version = whichVersion(subject, base.sha256);
  const named = version === undefined ? "" : say(version, libraryWords);
  const why = reason === undefined ? "" : ` ${reason}`;
  const happened = isOfNoFile(subject, base.sha256) ? takenMessage : mismatchMessage;
  const message = `${happened}${named} ${whoWrote(subject, current.sha256, history)}${why}`;
  const sentence = version === undefined ? {} : { sentence: version };
  const texts = await bothTexts(subject, base.sha256, current);
  if (texts === undefined) return { message, ...sentence };
  const budget = new TimeBudget(session.ports);
  const described = describeDifference(subject, base.sha256, current, texts);
  const { shown, difference } = await finishSteps(described, budget);
  const lead = `${message}\n${changeHeading}\n`;
  const quoted = shown.starts.map(({ line, start }) => {
    return { from: line, to: line, start: lead.length + start };
  });
  return {
    message: lead + shown.text,
    change: await finishSteps(comparingReport(texts.before, texts.after), budget),
    quoted,
    ...(difference === undefined ? {} : { difference }),
    ...sentence,
  };
}

/** The line above the difference. */
export const changeHeading = "What changed since your base:";

/**
 * All that differs, where the caller was shown the base and that takes no more than the file itself: then it is
 * all that the caller lacks. Else the beginning of it, beside the content.
 */
function* describeDifference(
  { call, file }: Subject,
  base: string,
  { sha256 }: CurrentFile,
  { before, after }: { readonly before: string; readonly after: string },
): Steps<{ readonly shown: ShownChange; readonly difference?: ShownDifference }> {
  const whole = isSeen(call.knowledge.find(file, base))
    ? yield* describeSteps(before, after, { context: 1, maxLines: mostLinesAlone, limitMs: compareMs })
    : undefined;
  if (whole?.isWhole !== true || whole.text.length > Math.max(after.length, alwaysAlone))
    return {
      shown: yield* describeSteps(before, after, { context: 1, maxLines: 40, limitMs: compareMs }),
    };
  // A state that this caller was told of was not made by others: what is known of it is known already.
  const isForeign = call.knowledge.find(file, sha256) === undefined;
  return { shown: whole, difference: { base, isForeign } };
}

const mostLinesAlone = 1_000;
/** In UTF-16 units: so short a difference is sent alone, however short the file is. */
const alwaysAlone = 2_000;

/** Seed 1, section 5.5, to the letter. */
export const mismatchMessage = "State Mismatch: File has changed on disk since it was last read.";

/** Where the call was to make a file, and its caller never read one that was empty. */
const takenMessage =
  "State Mismatch: There is a file of this name already, and the call was to make a new one.";

function isOfNoFile({ call, file }: Subject, base: string): boolean {
  return base === emptySha256 && !isSeen(call.knowledge.find(file, base));
}

function unknownBase(base: Base): string {
  const given = base.kind === "unknown" ? ` (${clip(base.given, 16)})` : "";
  return (
    `State Mismatch: The base hash${given} is not that of the file on disk, and it is no earlier state of this file that ` +
    "is known here: a typo, the hash of another file, or of a state that was not recorded. The true state is given here."
  );
}

/** Only for tools with an argument for a hash, whose callers know of versions. */
function whichVersion({ call, file }: Subject, sha256: string): Sentence | undefined {
  const known = call.knowledge.find(file, sha256);
  if (known === undefined || known.version === 0) return undefined;
  const facts = { version: known.version, hash: shortHash(sha256) };
  return { template: "[{?base} Your base is version $version ($hash).]", facts };
}

function whoWrote(
  { call: { session }, file: { realPath } }: Subject,
  disk: string,
  history: readonly HistoryEntry[],
): string {
  const last = history.findLast((entry) => entry.displaced !== true);
  const writer = last?.after === disk ? last : undefined;
  if (writer === undefined)
    return session.ports.hostWrote?.(realPath, disk) === true
      ? "A built-in tool of the host made the present state."
      : "The change was made outside of these tools.";
  const who = writer.session === session.id ? "This session" : `Another session (${writer.session})`;
  return `${who} wrote the present state (${nounOfWrite(writer.tool)}).`;
}

/** Larger texts are not compared: the refusal must come at once. */
const comparedBytes = 16 * 1024 * 1024;

async function bothTexts(
  { call: { session }, file, encoding }: Subject,
  baseSha256: string,
  current: CurrentFile,
): Promise<{ readonly before: string; readonly after: string } | undefined> {
  if (current.bytes.length > comparedBytes) return undefined;
  const bytes = await findShownState(session, file, baseSha256);
  if (bytes === undefined || bytes.length + current.bytes.length > comparedBytes) return undefined;
  const before = textOfState(session, { bytes, sha256: baseSha256 }, encoding);
  const after = textOfState(session, current, encoding);
  if (isRefusal(before) || isRefusal(after) || before.text === after.text) return undefined;
  return { before: before.text, after: after.text };
}
