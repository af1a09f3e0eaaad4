import type { ApplyChangesOutcome, WriteOutcome } from "../values/outcomes.js";

/** What a change came to, of one file or of a set. */
export type ChangeOutcome = WriteOutcome | ApplyChangesOutcome;

/**
 * All that an outcome tells of what other programs wrote into replaced files, of its other files included: for who drops
 * the outcome, or does not show its message.
 *
 * @param said what is shown; what stands there is not said again.
 * @returns sentences as the end of a message; "" if there are none.
 */
export function displacedNoteOf(outcome: ChangeOutcome, said = ""): string {
  return displacedNotes([outcome], said);
}

/** The same of several outcomes. */
export function displacedNotes(outcomes: readonly ChangeOutcome[], said: string): string {
  const isNew = (note: string, notes: string) => !said.includes(note) && !notes.includes(note);
  return outcomes.flatMap(notesIn).reduce((notes, note) => (isNew(note, notes) ? notes + note : notes), "");
}

function notesIn(outcome: ChangeOutcome): readonly string[] {
  const own = outcome.displacedNote === undefined ? [] : [outcome.displacedNote];
  const others = "files" in outcome ? outcome.files.map((file) => file.outcome) : (outcome.together ?? []);
  return [...own, ...others.flatMap(notesIn)];
}

/** The outcome with one more end of its message. @param note as of `displacedNoteOf`; "" changes nothing. */
export function withDisplacedNote<Outcome extends ChangeOutcome>(outcome: Outcome, note: string): Outcome {
  if (note === "") return outcome;
  const displacedNote = (outcome.displacedNote ?? "") + note;
  return { ...outcome, message: outcome.message + note, displacedNote };
}
