export type { RecoveredSets } from "./change-set-recovery.js";
export { type DiskOptions, type OpenedDisk, openDisk } from "./disk.js";
export { collectGarbage, type GarbageOptions, type GarbageReport } from "./gc.js";
export { type Inspection, inspectState, type StateFacts } from "./inspect.js";
export { type OpenedPorts, openPorts, type PortOptions } from "./open.js";
export { OpenedWorkspace, type OpenWorkspaceOptions, openWorkspace } from "./open-workspace.js";
export type { Recovered } from "./recovery.js";
