import type { LineEdit } from "../lines/line-spans.js";
import type { GivenAccess } from "../values/disk.js";
import type { HistoryEntry } from "../values/operation.js";
import type { ChangeReport, WriteRefusal } from "../values/outcomes.js";
import type { Refusal } from "../values/refusal.js";
import type { WriteOptions } from "../values/requests.js";
import type { Current, CurrentFile, KeptState, StatePlace } from "./kept-states.js";

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
  /** It takes the last write back, in place if that was written so. */
  readonly isUndo?: true;
  /** All of an existing file is replaced: every line of it must have been shown (docs/edits.md). */
  readonly replacesWhole?: boolean;
  /**
   * Applied to what the base stood for; the past is read for those who ask for it. Called again with an older
   * state to recognise a repeated call.
   */
  plan(current: Current, past: () => Promise<Past>): Promise<Plan> | Plan;
  /**
   * Whether the same call was carried out on the state of this hash and left the present one, by the history: for
   * a request whose plan does not follow from the state alone. Where it is missing, `plan` is asked.
   */
  wasMade?(base: string, current: Current, past: Past): boolean;
  /** The name itself is meant: a link there is deleted, moved or made, and not what it leads to. */
  readonly isEntry?: boolean;
  /** As `FileChange.isLink`. */
  readonly isLink?: boolean;
  /** The lines that the change touches must have been shown, whatever the guards say. */
  readonly needsShown?: boolean;
  /** What becomes of an existing file, where that is no replacement of content. */
  readonly act?: "deleted" | "moved" | "copied";
  /** The file is only read, so that nothing protects it. */
  readonly isSource?: boolean;
  /** The name that the content has until now, of a file that gets this one. */
  readonly renames?: string;
  /** Of a change of single lines; others are never made on a newer state than their base. */
  readonly lines?: LineByLine;
}

/** What a change of single lines has beside its plan. */
export interface LineByLine {
  /** All that was asked, to know the same request again. */
  readonly asked: object;
  /**
   * The same change on the present state, where its lines stand there by what is known since; see `moveChange`.
   *
   * @returns `state_mismatch` with the reason where that is not certain.
   */
  rebase(then: Current, now: CurrentFile, since: Since): Promise<Plan> | Plan;
}

/** What became of a base up to the present state. */
export interface Since {
  /** `own`: calls of the caller, as they recorded it. `any`: a difference that was computed. */
  readonly by: "own" | "any";
  /** Oldest first. */
  readonly steps: readonly (readonly LineEdit[])[];
}

/** What is known of a path's earlier states. */
export interface Past {
  /** The recorded writes, oldest first. */
  readonly history: readonly HistoryEntry[];
  /** Those of the name itself, where a link stands there now that leads to the file. */
  named(): Promise<readonly HistoryEntry[]>;
  /** Whether writes are recorded of the file of another folder, which had this place before. */
  hasOthers(): Promise<boolean>;
  /** Hashes under which this path was ever met: read by this session, or in any recorded write or read. */
  known(): readonly string[];
  /** A state of this file, if it is kept. */
  find(sha256: string): Promise<KeptState | undefined>;
}

/** What a change comes to. */
export type Plan = PlannedWrite | UnchangedPlan | Refusal;

/** The file is already as it should be; nothing is to be written. */
export interface UnchangedPlan {
  readonly kind: "unchanged";
  readonly code: "no_change" | "already_applied";
  readonly message: string;
  /** Of the source of a copy: what is to stand under the new name. */
  readonly copies?: PlannedWrite;
}

/** New content of a file. */
export interface PlannedWrite {
  readonly kind: "write";
  /** The new bytes; `null` deletes the file. */
  readonly bytes: Uint8Array | null;
  /** The new text, where the planner knows it. */
  readonly text?: string;
  readonly message: string;
  /** The message without what it quotes of the file, where it quotes any. */
  readonly plainMessage?: string;
  readonly report: ChangeReport;
  /** The old bytes are the beginning of the new ones, so that they need not be kept a second time. */
  readonly keepsBeginning?: true;
  /** The base of the call, where the change is made on a newer state. */
  readonly madeFor?: string;
  /** For the log: the operation that this one takes back. */
  readonly undoes?: string;
  readonly access?: GivenAccess;
  /** Of a file that exists: who may read it may run it from now on, or nobody; absent where that stays. */
  readonly executable?: boolean;
  /** The new file is a link, and its bytes are the link's text. */
  readonly isLink?: true;
  /** For the undo of a rename: the real path of the other name, which the same set takes away. */
  readonly movedFrom?: string;
  /**
   * The new bytes come from what was kept of a secret, or the caller may not see the lines of the old ones: no answer
   * shows anything of them.
   */
  readonly isUnshown?: true;
  /** Of lines that go into another file of the set: their text. */
  readonly taken?: string;
  /** Of a copy: the file with these bytes. Where that may hold secrets, so may this one. */
  readonly copyOf?: StatePlace;
  /** Of a rename, which takes the old name away: what is to stand under the new one. */
  readonly moves?: PlannedWrite;
}

/** The answer to a request that never came as far as a file. */
export function withoutState(refusal: Refusal): WriteRefusal {
  return { ...refusal, success: false, state: null, shownBefore: false };
}
