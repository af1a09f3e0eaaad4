export { currentBase, emptySha256, type GivenBase, shownBase } from "./base.js";
export type { MadeState, RunScope } from "./call.js";
export { outcomeOfOneFile } from "./change-set-answers.js";
export type * from "./disk.js";
export { DiskFault, type FaultState } from "./disk-fault.js";
export { type ChangeOutcome, displacedNoteOf, withDisplacedNote } from "./displaced-notes.js";
export type { CorrectedEdit, Corrector, EditApplier, EditSketch, FailedEdit } from "./edit-models.js";
export { applyEdits } from "./exact-edits.js";
export { FileScan, type ScanJob, unreadableFile } from "./file-scan.js";
export { fileTypes } from "./file-types.js";
export type { FileFindings, FoundLine, SearchOutput } from "./findings.js";
export { compileGlob, type Glob } from "./glob.js";
export { defaultGuards, type Guards, type OnMismatch } from "./guards.js";
export { excludedByOwner } from "./ignore-rules.js";
export { isKeptApart } from "./kept-states.js";
export { KeyedMutex } from "./keyed-mutex.js";
export type {
  FileName,
  Knowledge,
  KnowledgeEvent,
  KnownState,
  LinesShown,
  OwnChange,
  OwnWrite,
  StateChanged,
  StateMet,
} from "./knowledge.js";
export { isKnownWhole, isSeen } from "./knowledge.js";
export { KnownFiles, type KnownRecord, type LearnOptions } from "./known-files.js";
export { carryLine, carrySpans, type LineEdit, type LinePart, lineEdits } from "./line-facts.js";
export { compilePattern, type LinePattern, type PatternOptions } from "./line-pattern.js";
export { joinSpans, type LineSpan, outsideSpans } from "./line-spans.js";
export { MemoryDisk, memoryPorts } from "./memory-disk.js";
export { changeHeading } from "./mismatch.js";
export { keepLines, type MovedEdits, moveEdits } from "./moved-lines.js";
export { namedLines } from "./named-lines.js";
export type * from "./outcomes.js";
export type { PathNames } from "./path-names.js";
export { bareName, isSecret, protectedReason, tidyPath } from "./path-policy.js";
export { type InPlaceEdit, PersistentMap } from "./persistent-map.js";
export { type PlacedLines, placeSteps } from "./placed-lines.js";
export type * from "./ports.js";
export type { AgreedFile, Preview, PreviewedFile, PreviewOutcome } from "./preview.js";
export { type ProtectedPath, protectedPaths, protectionOf } from "./protected-paths.js";
export { protectionAt } from "./protection.js";
export { rebasedWords } from "./rebased-words.js";
export {
  type AnyRefusalCode,
  type ConversationCode,
  carriesContent,
  conversationCodes,
  fromPatch,
  isRefusal,
  type OutcomeCode,
  type Refusal,
  type RefusalCode,
  refusalCodes,
  refuse,
  refuseIn,
  type SuccessCode,
  successCodes,
} from "./refusal.js";
export type * from "./requests.js";
export { isLook } from "./requests.js";
export { requiredLiterals } from "./required-literal.js";
export { unchangedIn, unchangedStub } from "./rereads.js";
export { loadLinePattern } from "./searching.js";
export { defaultKeepSecrets, defaultLimits, type KeepSecrets, type Limits } from "./session.js";
export {
  type CallKnowledge,
  knownState,
  SessionKnowledge,
  type SessionKnowledgeOptions,
} from "./session-knowledge.js";
export { SessionStateService } from "./session-state.js";
export { allOf, type ShownLines, type ShownSince, shownBy } from "./shown-lines.js";
export { type SourcedSpan, sourcesIn } from "./sourced-spans.js";
export type * from "./stores.js";
export {
  inWords,
  libraryWords,
  type Role,
  type Sentence,
  say,
  type Vocabulary,
  type Worded,
} from "./vocabulary.js";
export { Workspace } from "./workspace.js";
export type { WorkspaceOptions } from "./workspace-options.js";
