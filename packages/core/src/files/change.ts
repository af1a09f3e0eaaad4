import type { Current } from "./current.js";
import type { Refusal } from "./outcome.js";
import type { HistoryEntry } from "./ports.js";
import type { ChangeReport, WriteOptions, WriteOutcome } from "./workspace-types.js";

/**
 * One change of one file, from the first look to the answer: the whole read-verify-write is one critical
 * section under the path's lock (docs/writing.md). A change only says what it wants; nobody who uses this
 * can forget a check.
 */
export interface Change {
  readonly path: string;
  readonly tool: string;
  readonly options: WriteOptions;
  /**
   * What a missing base means: a refusal (`always`), that none is needed where there is no file
   * (`over_files`) or at all (`never`), or that the exact text to be found stands in for it (`edit`).
   */
  readonly needsBase: "always" | "over_files" | "never" | "edit";
  /**
   * Applied to what the base stood for; the past is read for those who ask for it. Called again with an older
   * state to recognise a repeated call.
   */
  plan(current: Current, past: () => Promise<Past>): Promise<Plan> | Plan;
  /**
   * The same change on the present state, for `onMismatch: "rebase"`: only where every place of it is unique
   * in the state it was made for and in the present one.
   */
  rebase?(then: Current, now: Current): Promise<Plan> | Plan;
}

/** What is known of a path's earlier states. */
export interface Past {
  /** The recorded writes, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Hashes under which this path was ever met: read by this session, or in any recorded write. */
  known(): readonly string[];
}

/** What a change comes to. */
export type Plan = PlannedWrite | SettledPlan | Refusal;

/** The file is already as it should be; nothing is to be written. */
export interface SettledPlan {
  readonly kind: "settled";
  readonly code: "no_change" | "already_applied";
  readonly message: string;
}

export interface PlannedWrite {
  readonly kind: "write";
  /** The new bytes; `null` deletes the file. */
  readonly bytes: Uint8Array | null;
  /** The new text, where the planner knows it. */
  readonly text?: string;
  readonly message: string;
  readonly report: ChangeReport;
  /** Who knows the new text: the caller who sent it, whoever knew the old one and sent the change, or nobody. */
  readonly author: "caller" | "change" | "past";
  /** The old bytes are the beginning of the new ones, so that they need not be kept a second time. */
  readonly keepsBeginning?: true;
  /** For the history: the entry that this one takes back. */
  readonly undoes?: string;
}

/** The answer to a request that never came as far as a file. */
export function withoutState(refusal: Refusal): WriteOutcome {
  return {
    kind: "write",
    success: false,
    code: refusal.code,
    message: refusal.message,
    state: null,
    shownBefore: false,
  };
}
