import { changedRanges, describeChange } from "../patch/index.js";
import { clip } from "../text/index.js";
import type { Base } from "./base.js";
import type { CurrentFile } from "./current.js";
import { decodeFile } from "./file-text.js";
import { isRefusal } from "./outcome.js";
import type { HistoryEntry, Place } from "./ports.js";
import type { Session } from "./session.js";
import type { ChangeReport } from "./workspace-types.js";

/** What a mismatch is told with. */
export interface Mismatch {
  readonly message: string;
  /** What differs between the base and the disk, where the base's text is still kept. */
  readonly change?: ChangeReport;
}

/**
 * What a model needs to go on after State Mismatch: which state its base was, who wrote since, and what
 * changed (docs/outcomes.md). Seed 1's words stand at the start.
 */
export async function explainMismatch(
  session: Session,
  place: Place,
  base: Base,
  current: CurrentFile,
  history: readonly HistoryEntry[],
  encoding: string | undefined,
): Promise<Mismatch> {
  if (base.kind !== "stale") return { message: unknownBase(base) };
  const said = [
    mismatchMessage,
    whichVersion(session, place, base.sha256),
    whoWrote(session, current.sha256, history),
  ];
  const message = said.filter((part) => part !== "").join(" ");
  const texts = await bothTexts(session, base.sha256, current, encoding);
  if (texts === undefined) return { message };
  const change = describeChange(texts.before, texts.after, { context: 1, maxLines: 40 });
  const ranges = changedRanges(texts.before, texts.after);
  return {
    message: `${message}\nWhat changed since your base:\n${change}`,
    change: { landed: [], repairs: [], ranges, beforeText: texts.before },
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

function whichVersion(session: Session, place: Place, sha256: string): string {
  const record = session.ledger.find(place.realPath, sha256);
  return record === undefined ? "" : `Your base is version ${record.version} (${sha256.slice(0, 12)}).`;
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
