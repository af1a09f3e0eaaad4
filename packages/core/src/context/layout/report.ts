import type { Ignored } from "../../conversation/index.js";
import type { ReferredLines } from "../../conversation/values/index.js";

export type { Ignored } from "../../conversation/index.js";

/** What was done to make a path into a prompt, beyond writing down what its nodes say. Never stored. */
export interface RenderReport {
  /** Whether the next one to speak is the model: the last content is the user's and no call is open. */
  readonly ready: boolean;
  /** Whether calls at the head still await their results: what stands for these holds for now only. */
  readonly provisional: boolean;
  /**
   * How many parts, counted from the first over all contents, stay as they are whatever is appended, but
   * for the boundaries that the new nodes bring.
   */
  readonly stableParts: number;
  readonly parts: number;
  /** UTF-16 units of all texts, arguments and outputs, and of media as Base64. */
  readonly chars: number;
  /** `off`: a thought that an open tool loop needs had to go, so thinking cannot be asked for in it. */
  readonly thinking: "kept" | "off";
  readonly start: RenderStart;
  readonly repairs: readonly PromptRepair[];
  readonly boundaries: readonly Boundary[];
  readonly dropped: readonly Dropped[];
  readonly ignored: readonly Ignored[];
  /** Stubs and deltas whose lines are missing from this prompt. None in a sound one. */
  readonly broken: readonly BrokenReferral[];
}

/** Lines that a node only names: they have to be shown by another node of the same prompt. */
export interface Referral {
  /** The node whose text speaks of them. */
  readonly nodeId: string;
  readonly lines: ReferredLines;
}

/** A stub or a delta (`refers`) whose lines are missing from the prompt. */
export type BrokenReferral = Referral;

/** The node at which the rendering begins, and the one that decided so. */
interface RenderStart {
  readonly rule: "root" | "clear" | "compress" | "compaction";
  readonly nodeId: string;
}

/** An addition to the prompt that comes from no node. `part` counts over all contents. */
export interface PromptRepair {
  readonly what: /** A call without a result got an error as result. */
    | "interrupted"
    /** The model would have spoken first. */
    | "opening"
    /** Two answers of the model would have met. */
    | "between_answers"
    /** A call's id stood there before and got a number. */
    | "renumbered"
    /** A result that is hidden from the model left a gap beside its call. */
    | "placeholder";
  readonly nodeId: string;
  readonly part: number;
}

/**
 * A place at which the bytes differ from those of an earlier prompt of this path: from this part on,
 * providers' caches are of no use.
 */
export interface Boundary {
  readonly rule:
    | "clear"
    | "compress"
    | "compaction"
    | "hidden"
    | "original"
    | "replaced"
    | "uri"
    | "inline"
    | "uri_expired"
    | "expansion"
    | "expansion_ended";
  /** The node that made it so: an overlay, a compaction, a boundary, the summary that is expanded. */
  readonly nodeId: string;
  /** The node that is rendered differently. */
  readonly targetId: string;
  /** No part before this one changed; counted over all contents. */
  readonly firstPart: number;
}

/** Content of a node that the prompt leaves out. */
export interface Dropped {
  readonly nodeId: string;
  readonly what:
    | "hidden"
    | "hidden_by_overlay"
    | "empty_text"
    | "empty_media"
    /** A result whose call is not open: there is none, it was interrupted, or it was answered already. */
    | "result_without_call"
    | "result_of_hidden_call"
    /** Thoughts or signatures of another model. */
    | "foreign_thought"
    /** Thoughts bound to bytes that have changed since. */
    | "bound_thought"
    /** A thought that led to no text and no call. */
    | "thought_alone"
    /** Line numbers given for a text that does not reach as far. */
    | "wrong_lines";
}
