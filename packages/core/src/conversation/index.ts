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
export { unprunedNode } from "./tree/checks.js";
export {
  type Choice,
  type Choices,
  choose,
  firstChoices,
  type Ignored,
  type Start,
} from "./tree/choices.js";
export { type CountStates, countedStates, StateCounter } from "./tree/counted-states.js";
export { applyEvent, isPruned, startedContext } from "./tree/fold.js";
export type { ContextListener } from "./tree/journaled-context.js";
export { lastVersion, versionAtNode } from "./tree/last-version.js";
export {
  ContextManager,
  type ContextManagerOptions,
  type Done,
} from "./tree/manager.js";
export { filesMade, type Manifest, Manifests } from "./tree/manifest.js";
export {
  Ancestry,
  callOf,
  commonAncestor,
  downwards,
  isOnPath,
  nodesBelow,
  openCall,
  openCalls,
  pathTo,
  upwards,
} from "./tree/path.js";
export { trackedFiles } from "./tree/path-fold.js";
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
export { chatterWords, type NodeLine, TreeShape, type TreeShapeOptions } from "./tree/tree-shape.js";
