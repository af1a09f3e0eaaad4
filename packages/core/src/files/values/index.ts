export { currentBase, emptySha256, type GivenBase, shownBase } from "./base.js";
export {
  type AnyRefusalCode,
  type ConversationCode,
  concernOf,
  conversationCodes,
  hasTrait,
  type OutcomeCode,
  type RefusalCode,
  refusalCodes,
  successCodes,
} from "./codes.js";
export type { CorrectedEdit, Corrector, EditApplier, EditSketch, FailedEdit } from "./edit-models.js";
export type { FileFindings, FoundLine, SearchOutput } from "./findings.js";
export type { Guards, OnMismatch } from "./guards.js";
export type * from "./outcomes.js";
export { type ChangeOutcome, displacedNoteOf, withDisplacedNote } from "./outcomes.js";
export { carriesContent, isRefusal, type Refusal, refuse, refuseIn } from "./refusal.js";
export type * from "./requests.js";
export { byteEncoding, flawOfRequest, isLook } from "./requests.js";
export {
  inWords,
  libraryWords,
  type Role,
  type Sentence,
  say,
  type Vocabulary,
  type Worded,
} from "./vocabulary.js";
