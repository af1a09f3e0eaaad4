// Of what a store keeps beside records, and reads into a tree by itself.
export { nodeBelow, withChild } from "../tree/fold.js";
export { flawOfMetadata } from "../values/event-shape.js";
export { pendingRestore } from "../values/node.js";
export { type ReadJournal, readJournal, readJournalInSteps } from "./journal.js";
export { encodeRecord, isSealed, type Line, readLine, sealJson } from "./journal-codec.js";
export { isStored } from "./media.js";
export { describeLoss, describeLosses, type Loss, type Replayed } from "./mend.js";
export { firstRecords, PendingRecords } from "./pending-records.js";
export { repairSession, type SessionRepair } from "./repair.js";
export { replay, replayOn } from "./replay.js";
