import type { Content } from "./content.js";
import type { Referral, RenderReport } from "./report.js";
import type { Visibility } from "./visibility.js";

/** What a path is rendered for. */
export interface RenderOptions {
  /** Completed tasks that are rendered in full; by default those that the context expands. */
  readonly expand?: ReadonlySet<string>;
  /**
   * Who the prompt is for. Thoughts and signatures that are not known to be this model's are left out, and
   * addresses at Google are used for Google only. Without a target all are kept.
   */
  readonly target?: { readonly provider: string; readonly model: string };
  /**
   * Milliseconds since the epoch. An address of a file is used until ten minutes before it expires;
   * without a time, no address is used.
   */
  readonly now?: number;
  /**
   * How states of files are written that were put before the model without a call: framed text, unless given, or the JSON
   * object of an answer to `read_file`. In JSON nothing of a file stands to the letter, so it counts as not shown.
   */
  readonly files?: "text" | "json";
  /** Whether a thought is void once bytes before it have changed; by default what the provider does. */
  readonly boundThinking?: boolean;
  /** The node to render instead of the current one. */
  readonly headId?: string;
}

/** A prompt, and where everything in it comes from. Its lists are made when first asked for. */
export interface Rendering {
  /** Costs the length of the list; after another rendering of the same renderer, what is new, and a copy. */
  readonly contents: readonly Content[];
  readonly visibility: Visibility;
  /** Lines of which texts of the prompt speak without showing them, in the order of these texts. */
  readonly referrals: readonly Referral[];
  /** Aligned with `contents`: one list a content, one entry a part. */
  readonly provenance: readonly (readonly Provenance[])[];
  readonly report: RenderReport;
}

/** Why a part is there. */
export interface Provenance {
  /** The node that says it; of what was put in, the node that made it necessary. */
  readonly nodeId: string;
  readonly rule: RenderRule;
  /** The summary in whose place the node's branch is rendered. */
  readonly within?: string;
  /** With this part begins a node before which everything could go: no pair and no answer is torn apart. */
  readonly cut?: true;
  /** Of an address: UTF-16 units of the text behind it, which the model reads all the same. */
  readonly holds?: number;
}

/** The rule of rendering that made a part; see docs/context.md. */
export type RenderRule =
  | "message"
  | "thought"
  | "media"
  | "call"
  | "result"
  | "file_inline"
  | "file_uri"
  | "task"
  | "compress"
  | "task_summary"
  | "branch_summary"
  | "compaction"
  | "restore"
  | "note"
  | "lost"
  | "cleared"
  | "stub"
  | "delta"
  | "placeholder"
  | "interrupted"
  | "opening"
  | "between_answers";
