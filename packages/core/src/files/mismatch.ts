import { describeChange } from "../patch/index.js";
import { clip } from "../text/index.js";
import type { Subject } from "./answers.js";
import type { Base } from "./base.js";
import { comparedReport } from "./change-report.js";
import type { CurrentFile } from "./current.js";
import { decodeFile } from "./file-text.js";
import type { ChangeReport } from "./outcomes.js";
import type { HistoryEntry } from "./ports.js";
import { isRefusal } from "./refusal.js";
import type { Session } from "./session.js";
import { libraryWords, type Sentence, say } from "./vocabulary.js";

/** The explanation of a mismatch. */
export interface Mismatch {
  readonly message: string;
  readonly sentence?: Sentence;
  /** The difference between the base and the disk, if the base's text is still kept. */
  readonly change?: ChangeReport;
}

/**
 * Explains a State Mismatch to a model: which state its base was, who wrote since, and what changed
 * (docs/outcomes.md). It begins with seed 1's words.
 */
export async function explainMismatch(
  subject: Subject,
  base: Base,
  current: CurrentFile,
  history: readonly HistoryEntry[],
): Promise<Mismatch> {
  const { session } = subject.call;
  if (base.kind !== "stale") return { message: unknownBase(base) };
  const version = whichVersion(subject, base.sha256);
  const named = version === undefined ? "" : say(version, libraryWords);
  const message = `${mismatchMessage}${named} ${whoWrote(session, current.sha256, history)}`;
  const sentence = version === undefined ? {} : { sentence: version };
  const texts = await bothTexts(session, base.sha256, current, subject.encoding);
  if (texts === undefined) return { message, ...sentence };
  const change = describeChange(texts.before, texts.after, { context: 1, maxLines: 40 });
  return {
    message: `${message}\nWhat changed since your base:\n${change}`,
    change: comparedReport(texts.before, texts.after),
    ...sentence,
  };
}

/** Seed 1, section 5.5, to the letter. */
export const mismatchMessage = "State Mismatch: File has changed on disk since it was last read.";

function unknownBase(base: Base): string {
  const given = base.kind === "unknown" ? ` (${clip(base.given, 16)})` : "";
  return (
    `State Mismatch: The base hash${given} is not that of the file on disk, and it was never a state of this file ` +
    "in this session: a typo, the hash of another file, or of an earlier session. The true state is given here."
  );
}

/** Only for tools with an argument for a hash, whose callers know of versions. */
function whichVersion({ call, file }: Subject, sha256: string): Sentence | undefined {
  const known = call.knowledge.find(file, sha256);
  if (known === undefined || known.version === 0) return undefined;
  const facts = { version: known.version, hash: sha256.slice(0, 12) };
  return { template: "[{?base} Your base is version $version ($hash).]", facts };
}

function whoWrote(session: Session, disk: string, history: readonly HistoryEntry[]): string {
  const last = history.findLast((entry) => entry.displaced !== true);
  const writer = last?.after === disk ? last : undefined;
  if (writer === undefined) return "The change was made outside of these tools.";
  const who = writer.session === session.id ? "This session" : `Another session (${writer.session})`;
  return `${who} wrote the present state with ${writer.tool}.`;
}

/** Larger texts are not compared: the refusal must come at once. */
const comparedBytes = 16 * 1024 * 1024;

async function bothTexts(
  session: Session,
  baseSha256: string,
  current: CurrentFile,
  encoding: string | undefined,
): Promise<{ readonly before: string; readonly after: string } | undefined> {
  const bytes = await session.ports.blobs.get(baseSha256);
  if (bytes === undefined || bytes.length + current.bytes.length > comparedBytes) return undefined;
  const before = decodeFile(bytes, session.ports.codec, encoding);
  const after = decodeFile(current.bytes, session.ports.codec, encoding);
  if (isRefusal(before) || isRefusal(after) || before.text === after.text) return undefined;
  return { before: before.text, after: after.text };
}
