import type { Corrector, EditApplier } from "../values/edit-models.js";
import type { Guards } from "../values/guards.js";
import type { KeepSecrets, Limits } from "./session.js";

/** What a host decides for one session of work on files. Everything has a default that suits an agent. */
export interface WorkspaceOptions {
  /** The id of this session, for the history; a fresh one unless given. */
  readonly session?: string;
  readonly limits?: Partial<Limits>;
  readonly readOnly?: boolean;
  /**
   * For how many days states of files that may hold secrets are kept, apart from the others: a whole number from 1
   * up, 7 unless given. `none` keeps none: a write that would replace one is then refused with `protected_path`
   * unless a person agreed to it (`RunScope.agreed`, `allowsProtected`).
   */
  readonly keepSecrets?: KeepSecrets;
  /** Which protected paths (relative to their root) a person has explicitly opened for writing. */
  readonly allowsProtected?: (relativePath: string) => boolean;
  /** What a change needs that names no state; `defaultGuards` unless given. */
  readonly guards?: Partial<Guards>;
  /**
   * How many files, and states of each, the session remembers; the oldest go first and count as never read.
   * No limit unless given: it is for hosts that keep no conversation.
   */
  readonly remembered?: number;
  /** Takes everything that was read for visible, for hosts whose prompt never loses anything: reads may answer with a stub. */
  readonly rereadStub?: boolean;
  /** `flexible` lets `replace` take a match that is exact but for blanks, if there is only one. */
  readonly match?: "exact" | "flexible";
  /** Asked by `replace` for a better old text where its own is not found; none unless given. */
  readonly corrector?: Corrector;
  /** Makes the new text for `applyEdit`; without it that is refused. */
  readonly applier?: EditApplier;
  /** The last version that an earlier run of the same session gave out (`lastVersion`); it goes on from there. */
  readonly resumedVersion?: number;
}
