/**
 * Asks a model to mend an edit whose old text is not in the file. Whatever it answers passes every check
 * again, as if the caller had sent it; a failure is told by `undefined`, never thrown.
 */
export type Corrector = (failed: FailedEdit) => Promise<CorrectedEdit | undefined>;

export interface FailedEdit {
  readonly path: string;
  /** The text of the file, which the caller was shown in this very state. */
  readonly content: string;
  readonly oldString: string;
  readonly newString: string;
  /** Why it was refused. */
  readonly message: string;
}

export interface CorrectedEdit {
  readonly oldString: string;
  readonly newString: string;
}

/**
 * Makes the whole new text of a file from a sketch of the change; a failure is told by `undefined`, never
 * thrown. Called without a lock: the file may change meanwhile, which is then a State Mismatch.
 */
export type EditApplier = (sketch: EditSketch) => Promise<string | undefined>;

export interface EditSketch {
  readonly path: string;
  readonly content: string;
  readonly instructions: string;
  readonly codeEdit: string;
}
