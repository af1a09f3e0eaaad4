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
export { type FileNaming, type FileStateHash, namesFrom } from "./file-effects.js";
export { applyEvent, isPruned, startedContext } from "./fold.js";
export { type IdSource, timeSortedIds } from "./ids.js";
export { isJson, isJsonObject, type JsonObject, type JsonValue } from "./json.js";
export { filesChanged, type Manifest, Manifests } from "./manifest.js";
export type * from "./node.js";
export type * from "./payload.js";
export { PersistentMap } from "./persistent-map.js";
export {
  type ConversationCode,
  type ConversationRefusal,
  conversationCodes,
  isTurnRefusal,
  refuseTurn,
} from "./refusal.js";
export { type Replayed, replay } from "./replay.js";
export {
  type ConflictReason,
  type FileConflict,
  type PlannedFile,
  planRestore,
  type RestoreDisk,
  type RestorePlan,
  type RestoreWay,
} from "./restore-plan.js";
export type * from "./store.js";
