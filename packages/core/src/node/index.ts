// Also for those who look at the disk without the tools, whose schemas take longer to load than all else.
export { isSecret } from "../files/index.js";
export type { RecoveredSets } from "./change-set-recovery.js";
export { type DiskOptions, type OpenedDisk, openDisk } from "./disk.js";
export { collectGarbage, type GarbageOptions, type GarbageReport } from "./gc.js";
export { type CallNote, type HostMemory, openHostMemory, type SeenState } from "./host-memory.js";
export { type Inspection, inspectState, type StateFacts } from "./inspect.js";
export { type JournalStoreOptions, openJournalStore } from "./journal-store.js";
export { type KeptStates, openKeptStates } from "./kept-states.js";
export { type OpenedPorts, openPorts, type PortOptions } from "./open.js";
export { openPostgresStore } from "./open-postgres-store.js";
export { OpenedWorkspace, type OpenWorkspaceOptions, openWorkspace } from "./open-workspace.js";
export type { PostgresConnection } from "./postgres-pool.js";
export type { PostgresStoreOptions } from "./postgres-store.js";
export type { Recovered } from "./recovery.js";
