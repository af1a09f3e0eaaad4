/** @holdfast/core/node: the half of the core that touches the machine. */
export type { Recovered, RecoveredSets } from "./change-sets/recovery.js";
export { type DiskOptions, type OpenedDisk, openDisk } from "./commit/disk-target.js";
export {
  type ForeignAccess,
  type ForeignBounds,
  type ForeignBytes,
  type ForeignFiles,
  type ForeignListing,
  foreignFilesIn,
  listForeign,
  type NotRead,
  type OpenedForeign,
  openForeign,
  readForeign,
  readForeignText,
} from "./disk/foreign.js";
export { commandLineOf, defaultStateFolder, homeFolder, knownHome } from "./disk/platform.js";
export { base64, sha256 } from "./disk/reading.js";
export { type JournalStoreOptions, openJournalStore } from "./journal/store.js";
export {
  type CallNote,
  type HostFact,
  type HostMemory,
  openHostMemory,
} from "./state-folder/host-memory.js";
export { type KeptStates, openKeptStates } from "./state-folder/kept-states.js";
export {
  formatIdentity,
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
  parseIdentity,
} from "./state-folder/sessions.js";
export { stateFolderPath } from "./state-folder/state-folder.js";
export { openUploadFolder, type UploadFolder } from "./state-folder/uploads.js";
export { collectGarbage, type GarbageOptions, type GarbageReport } from "./workspace/gc.js";
export {
  type Inspection,
  inspectPath,
  inspectState,
  type PathFacts,
  type StateFacts,
} from "./workspace/inspect.js";
export {
  type OpenedPorts,
  OpenedWorkspace,
  type OpenWorkspaceOptions,
  openPorts,
  openWorkspace,
  type PortOptions,
  refuseWideRoots,
} from "./workspace/open.js";
