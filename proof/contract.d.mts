/** One figure of a proof: what was done, how often it went wrong, and what the unsafe way does. */
export interface Row {
  /** As in docs/lab/proof.md: `F1`, `R2`, `B4`. */
  readonly figure: string;
  /** What was done, with its counts: `write_file: 143 calls × 7 errors`. */
  readonly what: string;
  /** How often it was tried. 0 is bad, too: nothing was shown then. */
  readonly tried: number;
  /** How often a promise was broken, by the name of the breach: `{ torn: 0, missing: 0 }`. All must be 0. */
  readonly bad: Readonly<Record<string, number>>;
  /** What else was counted or measured; never fails the proof. */
  readonly seen?: string;
  /** The unsafe way in the same run, or where its figure is from. */
  readonly baseline?: string;
  /** Set where the figure cannot be had on this machine: why. `tried` may be 0 then. */
  readonly notHad?: string;
}

export interface RunOptions {
  /** A bounded part of it, for CI: a minute at most. */
  readonly quick: boolean;
  /** Only the figures whose name has this in it, where the part knows names. */
  readonly only?: string | undefined;
  /** A line of progress or detail; goes to stderr, so that stdout stays a document. */
  readonly print: (line: string) => void;
}

/** A module `proof/NAME.mjs` exports this as `part`; `proof/parts.mjs` names it. */
export interface Part {
  readonly name: string;
  /** The heading of its section here and in docs/lab/proof.md. */
  readonly title: string;
  run(options: RunOptions): Promise<readonly Row[]>;
}
