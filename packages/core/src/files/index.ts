export type { MadeState, RunScope } from "./access/call.js";
export { outcomeOfOneFile } from "./access/change-set-answers.js";
export { isStoredAsSecret } from "./access/kept-states.js";
export { KeyedMutex } from "./access/keyed-mutex.js";
export type { PathNames } from "./access/path-names.js";
export type { AgreedFile, Preview, PreviewedFile, PreviewOutcome } from "./access/preview.js";
export { protectionAt } from "./access/protection.js";
export {
  defaultKeepSecrets,
  defaultLimits,
  type KeepSecrets,
  type Limits,
  SessionStateService,
} from "./access/session.js";
export type { WorkspaceOptions } from "./access/workspace-options.js";
export { applyEdits } from "./change/exact-edits.js";
export { changeHeading } from "./change/mismatch.js";
export { rebasedWords } from "./change/rebased-words.js";
export { excludedByOwner, matchesLines } from "./ignore/ignore-rules.js";
export { type LinePart, lineEdits } from "./lines/line-facts.js";
export {
  carrySpans,
  joinSpans,
  type LineEdit,
  type LineSpan,
  outsideSpans,
  type SourcedSpan,
  sourcesIn,
} from "./lines/line-spans.js";
export { keepLines, moveEdits } from "./lines/moved-lines.js";
export { namedLines } from "./lines/named-lines.js";
export { type InPlaceEdit, PersistentMap } from "./lines/persistent-map.js";
export { type PlacedLines, placeSteps } from "./lines/placed-lines.js";
export { FileScan, type ScanJob, unreadableFile } from "./reading/file-scan.js";
export { compileGlob, type Glob } from "./reading/glob.js";
export { compilePattern, type LinePattern } from "./reading/line-pattern.js";
export { requiredLiterals } from "./reading/required-literal.js";
export { loadLinePattern } from "./reading/searching.js";
export { KnownFiles, type KnownRecord, type LearnOptions } from "./seen/known-files.js";
export { unchangedIn, unchangedStub } from "./seen/rereads.js";
export {
  type CallKnowledge,
  knownState,
  SessionKnowledge,
  type SessionKnowledgeOptions,
} from "./seen/session-knowledge.js";
export { allOf, type ShownLines, type ShownSince, shownBy } from "./seen/shown-lines.js";
export { currentBase, emptySha256, type GivenBase, shownBase } from "./values/base.js";
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
} from "./values/codes.js";
export type * from "./values/disk.js";
export { DiskFault, type FaultState } from "./values/disk-fault.js";
export type { CorrectedEdit, Corrector, EditApplier, EditSketch, FailedEdit } from "./values/edit-models.js";
export type { FileFindings, FoundLine, SearchOutput } from "./values/findings.js";
export type { Guards, OnMismatch } from "./values/guards.js";
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
} from "./values/knowledge.js";
export { isKnownWhole, isSeen } from "./values/knowledge.js";
export type * from "./values/outcomes.js";
export { type ChangeOutcome, displacedNoteOf, withDisplacedNote } from "./values/outcomes.js";
export { bareName, isSecret, protectedReason, tidyPath } from "./values/path-policy.js";
export type * from "./values/ports.js";
export { type ProtectedPath, protectedPaths, protectionOf, runsLater } from "./values/protected-paths.js";
export { carriesContent, isRefusal, type Refusal, refuse, refuseIn } from "./values/refusal.js";
export type * from "./values/requests.js";
export { byteEncoding, isLook } from "./values/requests.js";
export type * from "./values/stores.js";
export {
  inWords,
  libraryWords,
  type Role,
  type Sentence,
  say,
  type Vocabulary,
  type Worded,
} from "./values/vocabulary.js";
export { MemoryDisk, memoryPorts } from "./workspace/memory-disk.js";
export { Workspace } from "./workspace/workspace.js";
