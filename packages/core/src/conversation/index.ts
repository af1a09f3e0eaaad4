export { type CommandFiles, commandWords } from "./follow/command-files.js";
export type { FileMaker } from "./follow/file-makers.js";
export { consentLine, type DueFile, dueFact, dueLine, filesDue } from "./follow/plan-words.js";
export type { RestoreDirection } from "./follow/restore-diff.js";
export {
  type ConflictReason,
  type FileConflict,
  type PlannedFile,
  planRestore,
  type RestoreDisk,
  type RestorePlan,
} from "./follow/restore-plan.js";
export { type RecoveredRestore, recoverRestore } from "./follow/restore-recovery.js";
export {
  type Moved,
  type Restored,
  type RestoreJournal,
  type RestoreTerms,
  refuseConflicts,
  refuseRestore,
  restoreFiles,
} from "./follow/restoring.js";
export {
  type DriftedFile,
  driftedFiles,
  type SettledWrites,
  settleLate,
  settleWrites,
} from "./follow/settling.js";
export { refreshTrackedFiles } from "./follow/tracked-refresh.js";
export { type FoldedLines, foldedText } from "./import/folded-lines.js";
export type {
  BesideFile,
  ImportedSession,
  ImportOptions,
  SourceSession,
  UnreadLine,
} from "./import/imported-session.js";
export type { ImportProblem, SourceLine, SourceLines } from "./import/lines.js";
export { type Flaw, mostLevels, parsed, readLines, whereOf } from "./import/lines.js";
export { exportLines, isOwnRecord, readOwn } from "./import/own.js";
export { type Envelope, type EnvelopeFile, parseEnvelope } from "./import/parse-envelope.js";
export { aboutLongLine, readExport, readExportInSteps, withUnread } from "./import/read-export.js";
export { type ReadJournal, readJournal, readJournalInSteps } from "./journal/journal.js";
export { encodeRecord, isSealed, type Line, readLine } from "./journal/journal-codec.js";
export { isStored } from "./journal/media.js";
export { describeLoss, describeLosses, type Loss, type Replayed } from "./journal/mend.js";
export { firstRecords, PendingRecords } from "./journal/pending-records.js";
export { repairSession, type SessionRepair } from "./journal/repair.js";
export { replay, replayOn } from "./journal/replay.js";
export {
  readSnapshot,
  type SnapshotHead,
  snapshotHead,
  snapshotParts,
} from "./journal/snapshot.js";
export {
  type MemoryStoreOptions,
  memorySessionStore,
  type SessionMemory,
  titleOf,
} from "./sessions/memory-store.js";
export { type PrunedSessions, pruneSessions, type Retention } from "./sessions/prune-sessions.js";
export {
  isUnchangedSince,
  placeOf,
  readPlace,
  recordsOfNext,
  sessionsWithin,
} from "./sessions/session-query.js";
export { type SessionMatch, type SessionMatches, searchSessions } from "./sessions/session-search.js";
export {
  type ExportedSession,
  exportSession,
  findSession,
  forkSession,
  type LoadedSession,
  loadSession,
  renameSession,
  type SessionSummary,
  summarizeSession,
  type VerifiedSession,
  verifySession,
} from "./sessions/sessions.js";
export {
  type ConversationFiles,
  createConversation,
  type OpenedFiles,
  openConversation,
  type StoredConversation,
} from "./sessions/stored-conversation.js";
export { Ancestry } from "./tree/ancestry.js";
export { unprunedNode } from "./tree/checks.js";
export {
  type Choice,
  type Choices,
  choose,
  firstChoices,
  type Ignored,
  type Start,
} from "./tree/choices.js";
export { applyEvent, isPruned, startedContext } from "./tree/fold.js";
export type { ContextListener } from "./tree/journaled-context.js";
export { lastVersion, versionAtNode } from "./tree/last-version.js";
export {
  ContextManager,
  type ContextManagerOptions,
  type Done,
} from "./tree/manager.js";
export { filesMade, type Manifest, Manifests } from "./tree/manifest.js";
export { downwards, openCall, openCalls, pathTo, upwards } from "./tree/path.js";
export { lastOfAnswer, PathKnowledge } from "./tree/path-knowledge.js";
export {
  activeTasks,
  type ListedTask,
  listTasks,
  type TaskState,
  taskState,
  tasksBelow,
} from "./tree/task-list.js";
export type { AnsweredCall, CompleteTask, RestartTask, StartTask, TaskMove } from "./tree/tasks.js";
export { trackedFiles } from "./tree/tracked-files.js";
export { callOf, commonAncestor, isOnPath, nodesBelow } from "./tree/tree-paths.js";
export { chatterWords, type NodeLine, TreeShape, type TreeShapeOptions } from "./tree/tree-shape.js";
export {
  type ConversationEvent,
  type JournalRecord,
  journalVersion,
  type MetadataPatch,
  type NewNode,
  type SessionOrigin,
  type TaskChange,
} from "./values/event.js";
export { reidentify } from "./values/event-ids.js";
export {
  type Advance,
  advance,
  awaitedBy,
  type Exchange,
  isOfModel,
  noExchange,
  speaks,
} from "./values/exchange.js";
export { type Digest, fileContentOf, withRepeats } from "./values/file-content.js";
export { effectsOf, type FileNaming, type FileStateHash, namesFrom } from "./values/file-effects.js";
export { type IdSource, timeSortedIds } from "./values/ids.js";
export { isJson, isJsonObject, type JsonObject, type JsonValue, mapTexts } from "./values/json.js";
export { type DeclaredKey, defineMetadataKey, type MetadataKey } from "./values/metadata-key.js";
export type { AnswerPart, ModelAnswer } from "./values/model-answer.js";
export type * from "./values/node.js";
export type * from "./values/payload.js";
export { payloadKinds } from "./values/payload-shape.js";
export { excerptOf, formChangesOf, isPlaceholder, lostWords, textsOf } from "./values/payload-text.js";
export { versionOf } from "./values/record-version.js";
export type { ConversationRefusal } from "./values/refusal.js";
export {
  isSessionId,
  refuseCancelled,
  refuseHeldSession,
  refuseNewerSession,
  refuseNewSession,
  refuseUnknownSession,
} from "./values/session-id.js";
export type * from "./values/store.js";
export { type Summariser, type SummaryRequest, scriptedSummariser } from "./values/summariser.js";
