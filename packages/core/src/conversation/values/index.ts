export {
  type ConversationEvent,
  type JournalRecord,
  journalVersion,
  type MetadataPatch,
  type NewNode,
  type SessionOrigin,
  type TaskChange,
} from "./event.js";
export { reidentify } from "./event-ids.js";
export {
  type Advance,
  advance,
  awaitedBy,
  type Exchange,
  isOfModel,
  noExchange,
  speaks,
} from "./exchange.js";
export { type Digest, fileContentOf, withRepeats } from "./file-content.js";
export { effectsOf, type FileNaming, type FileStateHash, namesFrom } from "./file-effects.js";
export type {
  FileApiState,
  FileDelta,
  FileEffect,
  FileLedgerEntry,
  FileStamp,
  FileTouch,
  LedgerCheck,
  ReferredLines,
  RepeatedLines,
  ShownChars,
  ShownText,
  TouchedFiles,
} from "./file-facts.js";
export { type IdSource, timeSortedIds } from "./ids.js";
export { isJson, isJsonObject, type JsonObject, type JsonValue, mapTexts } from "./json.js";
export { type DeclaredKey, defineMetadataKey, type MetadataKey } from "./metadata-key.js";
export type { AnswerPart, ModelAnswer } from "./model-answer.js";
export type {
  ConversationContext,
  Expansion,
  PendingRestore,
  StagedItem,
  TaskRecord,
  TurnMetadata,
  TurnNode,
  TurnProvenance,
  TurnUsage,
} from "./node.js";
export {
  type ContextManagement,
  type FileContent,
  type FormChange,
  type HistoryTransformation,
  type InlineMedia,
  type LostNode,
  type LostRecords,
  type Media,
  type ModelMessage,
  type ModelOrigin,
  type Note,
  type OverlayForm,
  type PayloadKind,
  payloadKinds,
  type Restore,
  type StoredMedia,
  type Summary,
  type TaskBoundary,
  type TaskSummary,
  type ToolCall,
  type ToolResultPayload,
  type TurnPayload,
  type UserMessage,
} from "./payload.js";
export { excerptOf, formChangesOf, isPlaceholder, lostWords, textsOf } from "./payload-text.js";
export { versionOf } from "./record-version.js";
export type { ConversationRefusal } from "./refusal.js";
export {
  isSessionId,
  refuseCancelled,
  refuseHeldSession,
  refuseNewerSession,
  refuseNewSession,
  refuseUnknownSession,
} from "./session-id.js";
export type * from "./store.js";
export { type Summariser, type SummaryRequest, scriptedSummariser } from "./summariser.js";
