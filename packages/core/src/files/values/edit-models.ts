/**
 * Asks a model to mend an edit whose old text is not in the file. Whatever it answers passes every check
 * again, as if the caller had sent it; a failure is told by `undefined`, never thrown.
 */
export type Corrector = (failed: FailedEdit) => Promise<CorrectedEdit | undefined>;

/** What a corrector is told of an edit that was refused with `not_found`. */
export interface FailedEdit {
  readonly path: string;
  /** The text of the file, which the caller was shown in this very state. */
  readonly content: string;
  readonly oldString: string;
  readonly newString: string;
  /** Why it was refused. */
  readonly message: string;
}

/** The edit as the corrector would send it. It must match exactly, like any other. */
export interface CorrectedEdit {
  readonly oldString: string;
  readonly newString: string;
}

/**
 * Makes the whole new text of a file from a sketch of the change; a failure is told by `undefined`, never
 * thrown. Called without a lock: the file may change meanwhile, which is then a State Mismatch.
 */
export type EditApplier = (sketch: EditSketch) => Promise<string | undefined>;

/** What an applier is told: the file as it is now, and the change in words and sketched lines. */
export interface EditSketch {
  readonly path: string;
  readonly content: string;
  readonly instructions: string;
  readonly codeEdit: string;
}
