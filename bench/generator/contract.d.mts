import type { Random } from "./random.mjs";
import type { Change } from "./true-diff.mjs";
import type { Wish } from "./world.mjs";

/** What is right for a case; see README.md. */
export type Expectation =
  | { readonly kind: "one_right_text"; readonly text: string }
  | { readonly kind: "right_text_or_refusal"; readonly text: string }
  | { readonly kind: "must_refuse" }
  | { readonly kind: "already_applied" };

export interface Draft {
  readonly base: string;
  readonly diff: string;
  readonly expect: Expectation;
  /** The file's name, where the class is about names. */
  readonly path?: string;
  /** The hunks (from 1) that the client had made before, as it knows itself. */
  readonly made?: readonly number[];
}

export interface Case extends Draft {
  readonly class: string;
  /** Makes this case again, through `regenerate`. */
  readonly seed: string;
}

/** Where a class gets its true changes from; nothing where this choice of text and edits gives none. */
export interface World {
  change(wish?: Wish): Change | undefined;
}

/**
 * One way in which models damage diffs. `make` gives nothing where the damage does not apply, or where its
 * label cannot be proved.
 */
export interface ErrorClass {
  readonly name: string;
  /** Why a refusal is right here, or all that can be had; for the table. */
  readonly refusal?: string;
  make(random: Random, world: World): Draft | undefined;
}
