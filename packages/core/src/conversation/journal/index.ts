export { type ReadJournal, readJournal, readJournalInSteps } from "./journal.js";
export { encodeRecord, isSealed, type Line, readLine } from "./journal-codec.js";
export { isStored } from "./media.js";
export { describeLoss, describeLosses, type Loss, type Replayed } from "./mend.js";
export { firstRecords, PendingRecords } from "./pending-records.js";
export { repairSession, type SessionRepair } from "./repair.js";
export { replay, replayOn } from "./replay.js";
export {
  readSnapshot,
  type SnapshotHead,
  snapshotHead,
  snapshotParts,
} from "./snapshot.js";
