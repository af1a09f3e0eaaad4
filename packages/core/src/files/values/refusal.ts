import type { PatchRefusal } from "../../patch/index.js";
import { libraryWords, type Sentence, say } from "./vocabulary.js";

/** An expected refusal: a code, one sentence that says what to do, and nothing changed. */
export interface Refusal<Code extends AnyRefusalCode = RefusalCode> {
  readonly kind: "refusal";
  readonly code: Code;
  /** In the library's words. */
  readonly message: string;
  /** The message, or a part of it, as a door puts it into its own words (`inWords`). */
  readonly sentence?: Sentence;
}

/** A refusal that names tools or arguments: each door says it in its own words. */
export function refuseIn<Code extends RefusalCode>(
  code: Code,
  template: string,
  facts: Sentence["facts"] = {},
): Refusal<Code> {
  const sentence = { template, facts };
  return { kind: "refusal", code, message: say(sentence, libraryWords), sentence };
}

/**
 * A refusal in words that hold at every door. Use `refuseIn` where the sentence names a tool or an argument.
 *
 * @param message one sentence that says what is wrong, what was left as it is, and what to do.
 */
export function refuse<Code extends AnyRefusalCode>(code: Code, message: string): Refusal<Code> {
  return { kind: "refusal", code, message };
}

/** Whether an answer is a refusal; every other answer of this package has another `kind`, or none. */
export function isRefusal(answer: object): answer is Refusal<AnyRefusalCode> {
  return "kind" in answer && answer.kind === "refusal";
}

/**
 * Whether the answer to this refusal carries the file's content for the caller to look at: where it is
 * other than believed, or was never shown. After the others the caller knows as much as before.
 */
export function carriesContent(code: OutcomeCode): boolean {
  return hasTrait(code, "news") || hasTrait(code, "unseen");
}

const beyondOneFile = {
  deletion: "[ To delete it, use {delete}.| To delete it, use {changes}.]",
  rename: "[ To rename it, use {move}; the lines are another call.| To rename it, use {changes}.]",
  packed: "[ To apply it, use {changes}.]",
  several_files: "[ To change them together, use {changes}.]",
} as const;

/** A refusal of the patch engine as one of the tools; it names the tool that does what a patch cannot. */
export function fromPatch({ code, message, asks }: PatchRefusal): Refusal {
  if (asks === undefined) return refuse(code, message);
  const other = refuseIn(code, beyondOneFile[asks]);
  return { ...other, message: message + other.message };
}

/**
 * What a code is about. The commands have one exit code for each (docs/outcomes.md): the state is not the one that was
 * named; the change or an argument does not fit; the path, or writing at all, is not allowed; the file is of a kind or
 * size that cannot be served; the machine is busy, full, or does not permit it.
 */
type Concern = "success" | "internal" | "state" | "change" | "path" | "kind" | "machine" | "cancelled";

/** What else has to be known of a refusal by those who act on its code. */
type Trait =
  /** The state is another one than the caller named: its answer carries the content. */
  | "news"
  /** Its answer carries the content where the caller was never shown it. */
  | "unseen"
  /** The message may quote lines of the file. */
  | "quoting"
  /** What a person agreed to is not what the call would do by now: it is asked again. */
  | "overtaken"
  /** The call was denied, met another state, or failed for want of what the machine has: its work is left undone. */
  | "undone";

/** One row for each code; a code is added here, and decides on all of its traits. */
type Row = readonly [Concern, ...Trait[]];

const successes = {
  ok: ["success"],
  applied: ["success"],
  already_applied: ["success"],
  no_change: ["success"],
} as const satisfies Record<string, Row>;

const ofFiles = {
  state_mismatch: ["state", "news", "overtaken", "undone"],
  unknown_base: ["state", "news"],
  missing_base: ["state", "unseen"],
  not_read: ["state"],
  invalid_diff: ["change", "quoting"],
  ambiguous: ["change", "quoting"],
  not_found: ["change", "quoting"],
  occurrence_mismatch: ["change", "quoting"],
  equal_strings: ["change"],
  empty_old_string: ["change"],
  internal_error: ["internal", "unseen", "quoting", "undone"],
  invalid_arguments: ["change"],
  invalid_hash: ["change"],
  multi_file_diff: ["change"],
  timeout: ["change", "undone"],
  read_only: ["path", "undone"],
  bytes_gone: ["state"],
  cannot_preserve: ["kind", "undone"],
  out_of_range: ["change"],
  section_missing: ["change", "quoting"],
  unencodable: ["change"],
  nothing_to_undo: ["state"],
  unseen_lines: ["state", "quoting"],
  outside_workspace: ["path", "undone"],
  root_changed: ["path", "undone"],
  protected_path: ["path", "undone"],
  ignored_path: ["path"],
  is_directory: ["kind"],
  not_a_file: ["kind"],
  binary: ["kind"],
  undecodable: ["kind"],
  too_large: ["kind"],
  permission_denied: ["machine", "undone"],
  disk_full: ["machine", "undone"],
  file_missing: ["state"],
  exists: ["state", "unseen", "undone"],
  not_agreed: ["state", "overtaken", "undone"],
  cancelled: ["cancelled"],
  busy: ["machine", "undone"],
  denied: ["path", "undone"],
  placeholder: ["change"],
  not_applied: ["change"],
} as const satisfies Record<string, Row>;

const ofConversations = {
  unknown_node: ["state"],
  unknown_task: ["state"],
  unknown_session: ["state"],
  pruned_node: ["state"],
  cycle: ["change"],
  duplicate_id: ["state"],
  invalid_payload: ["change"],
  invalid_metadata: ["change"],
  open_calls: ["change"],
  unmatched_result: ["change"],
  unsafe_cut: ["change"],
  no_effect: ["change"],
  no_task: ["state"],
  task_closed: ["state"],
  not_staged: ["state"],
  no_summary: ["change"],
  restore_pending: ["state"],
  files_in_conflict: ["state", "undone"],
  files_refused: ["state", "undone"],
  newer_version: ["kind"],
  not_a_session: ["kind"],
  conflict: ["machine"],
  store_failed: ["machine"],
} as const satisfies Record<string, Row>;

/** Codes of files that conversations and session stores refuse with, too. */
const shared = [
  "invalid_arguments",
  "read_only",
  "too_large",
  "busy",
  "cancelled",
  "disk_full",
  "permission_denied",
] as const satisfies readonly (keyof typeof ofFiles)[];

/**
 * What went well. This and the two lists below are closed: an expected refusal is one of these values, never
 * an exception, and each has one exit code of the commands and one row in docs/outcomes.md.
 */
export const successCodes = namesOf(successes);

/** What the tools of files refuse, and with that their wire. */
export const refusalCodes = namesOf(ofFiles);

/** What a conversation or a session store refuses. */
export const conversationCodes: readonly ConversationCode[] = [...namesOf(ofConversations), ...shared];

/** A code of an answer that refuses nothing. */
type SuccessCode = keyof typeof successes;
/** A code of the tools of files. */
export type RefusalCode = keyof typeof ofFiles;
/** A code of conversations and session stores. */
export type ConversationCode = keyof typeof ofConversations | (typeof shared)[number];
/** Every code of the one list. */
export type AnyRefusalCode = RefusalCode | ConversationCode;
/** What a tool of files can answer. */
export type OutcomeCode = SuccessCode | RefusalCode;

/** A code whose message may quote lines of the file. */
export type QuotingCode = {
  [Code in RefusalCode]: "quoting" extends (typeof ofFiles)[Code][number] ? Code : never;
}[RefusalCode];

const rows: Readonly<Record<OutcomeCode | AnyRefusalCode, Row>> = {
  ...successes,
  ...ofFiles,
  ...ofConversations,
};

/** What a code is about; undefined for what is none of the list. */
export function concernOf(code: OutcomeCode | AnyRefusalCode): Concern;
export function concernOf(code: string): Concern | undefined;
export function concernOf(code: string): Concern | undefined {
  return isCode(code) ? rows[code][0] : undefined;
}

/** Whether a code has this trait; what is no code of the list has none. */
export function hasTrait(code: string, trait: Trait): boolean {
  return isCode(code) && rows[code].some((one) => one === trait);
}

function isCode(code: string): code is keyof typeof rows {
  return Object.hasOwn(rows, code);
}

function namesOf<Name extends string>(table: Readonly<Record<Name, Row>>): readonly Name[] {
  // The cast: the keys of such a table are the names of its type.
  return Object.keys(table) as Name[];
}
