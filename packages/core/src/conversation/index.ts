export { Ancestry } from "./ancestry.js";
export { unprunedNode } from "./checks.js";
export {
  type Choice,
  type Choices,
  type Chosen,
  choose,
  firstChoices,
  type Ignored,
  PathChoices,
  type Start,
} from "./choices.js";
export { describeLoss, describeLosses } from "./describe-losses.js";
export {
  type ConversationEvent,
  type EventType,
  type JournalRecord,
  journalVersion,
  type MetadataPatch,
  type NewNode,
  type SessionOrigin,
  type TaskChange,
} from "./event.js";
export { eventFromJson, eventToJson, type ReadEvent } from "./event-shape.js";
export {
  type Advance,
  advance,
  type Exchange,
  isOfModel,
  type ModelNode,
  noExchange,
  speaks,
} from "./exchange.js";
export { type Digest, fileContentOf, withRepeats } from "./file-content.js";
export { effectsOf, type FileNaming, type FileStateHash, namesFrom } from "./file-effects.js";
export { type FileMaker, makerWords } from "./file-makers.js";
export { firstEvent } from "./first-event.js";
export { applyEvent, isPruned, startedContext } from "./fold.js";
export { type IdSource, timeSortedIds } from "./ids.js";
export {
  type BesideFile,
  describeSessionFile,
  type Envelope,
  type EnvelopeFile,
  exportLines,
  type FoldedLines,
  type ForeignFormat,
  foldedText,
  type ImportedSession,
  type ImportOptions,
  type ImportProblem,
  parseEnvelope,
  readSessionFile,
  readSessionInSteps,
  type SessionDescription,
  type SourceSession,
  type UnreadLine,
} from "./import/index.js";
export { type ReadJournal, readJournal, readJournalInSteps } from "./journal.js";
export { encodeRecord, isSealed, type Line, readLine } from "./journal-codec.js";
export type { ContextListener } from "./journaled-context.js";
export { isJson, isJsonObject, type JsonObject, type JsonValue } from "./json.js";
export { lastVersion, versionAtNode } from "./last-version.js";
export {
  ContextManager,
  type ContextManagerOptions,
  type Done,
} from "./manager.js";
export { filesChanged, filesMade, type Manifest, Manifests } from "./manifest.js";
export { isStored } from "./media.js";
export { type MemoryStoreOptions, memorySessionStore, type SessionMemory, titleOf } from "./memory-store.js";
export type { Loss } from "./mend.js";
export { type DeclaredKey, defineMetadataKey, type MetadataKey } from "./metadata-key.js";
export type { AnswerPart, ModelAnswer } from "./model-answer.js";
export type * from "./node.js";
export { type OpenCall, openCall, openCalls, pathTo, upwards } from "./path.js";
export { type Conversation, lastOfAnswer, PathKnowledge } from "./path-knowledge.js";
export type * from "./payload.js";
export { payloadKinds } from "./payload-shape.js";
export { excerptOf, isPlaceholder, lostWords, textsOf } from "./payload-text.js";
export { firstRecords, PendingRecords, type RecordSink } from "./pending-records.js";
export { consentLine, type DueFile, dueFact, dueLine, filesDue } from "./plan-words.js";
export { type PrunedSessions, pruneSessions, type Retention } from "./prune-sessions.js";
export { versionOf } from "./record-version.js";
export type { ConversationRefusal } from "./refusal.js";
export { reidentify } from "./reidentify.js";
export { repairSession, type SessionRepair } from "./repair.js";
export { type Replayed, replay } from "./replay.js";
export type { RestoreDirection } from "./restore-diff.js";
export {
  type ConflictReason,
  type FileConflict,
  type PlannedFile,
  planRestore,
  type RestoreDisk,
  type RestorePlan,
} from "./restore-plan.js";
export { type RecoveredRestore, recoverRestore } from "./restore-recovery.js";
export {
  type Moved,
  type Restored,
  type RestoreJournal,
  type RestoreTerms,
  type RestoreWorkspace,
  refuseConflicts,
  refuseRestore,
  restoreFiles,
} from "./restoring.js";
export {
  isSessionId,
  refuseCancelled,
  refuseHeldSession,
  refuseNewerSession,
  refuseNewSession,
  refuseUnknownSession,
} from "./session-id.js";
export { placeOf, readPlace, recordsOfNext, sessionsWithin, standsAsListed } from "./session-query.js";
export { type SessionMatch, type SessionMatches, searchSessions } from "./session-search.js";
export {
  type ExportedSession,
  exportAtPace,
  exportSession,
  type ForkedSession,
  findSession,
  forkSession,
  type LoadedSession,
  loadAtPace,
  loadSession,
  renameSession,
  type SessionSummary,
  summarizeSession,
  type VerifiedSession,
  verifyAtPace,
  verifySession,
} from "./sessions.js";
export { type FileApart, filesApart, type SettledWrites, settleLate, settleWrites } from "./settling.js";
export { readSnapshot, replayOn, type SnapshotHead, snapshotHead, snapshotParts } from "./snapshot.js";
export type * from "./store.js";
export {
  type ConversationFiles,
  createConversation,
  type OpenedFiles,
  openConversation,
  type StoredConversation,
} from "./stored-conversation.js";
export { type Summariser, type SummaryRequest, scriptedSummariser } from "./summariser.js";
export { activeTasks, type ListedTask, listTasks, type TaskState, taskState } from "./task-list.js";
export type { AnsweredCall, CompleteTask, RestartTask, StartTask, TaskMove } from "./tasks.js";
export { trackedFiles } from "./tracked-files.js";
export { type Refreshed, type RefreshTracked, refreshTrackedFiles } from "./tracked-refresh.js";
export { callOf, commonAncestor, isOnPath } from "./tree-paths.js";
export { chatterWords, type NodeLine, TreeShape, type TreeShapeOptions } from "./tree-shape.js";
