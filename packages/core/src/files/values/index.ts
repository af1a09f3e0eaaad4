export { currentBase, emptySha256, type GivenBase, shownBase } from "./base.js";
export type { CorrectedEdit, Corrector, EditApplier, EditSketch, FailedEdit } from "./edit-models.js";
export type { FileFindings, FoundLine, SearchOutput } from "./findings.js";
export type { Guards, OnMismatch } from "./guards.js";
export type * from "./outcomes.js";
export { type ChangeOutcome, displacedNoteOf, withDisplacedNote } from "./outcomes.js";
export {
  type AnyRefusalCode,
  type ConversationCode,
  carriesContent,
  concernOf,
  conversationCodes,
  hasTrait,
  isRefusal,
  type OutcomeCode,
  type Refusal,
  type RefusalCode,
  refusalCodes,
  refuse,
  refuseIn,
  successCodes,
} from "./refusal.js";
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
