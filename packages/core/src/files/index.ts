export { outcomeOfOneFile } from "./access/answers.js";
export type { MadeState, RunScope } from "./access/call.js";
export { isStoredAsSecret, protectionAt } from "./access/kept-states.js";
export type { PathNames } from "./access/path-names.js";
export type { AgreedFile, Preview, PreviewedFile, PreviewOutcome } from "./access/preview.js";
export {
  defaultKeepSecrets,
  defaultLimits,
  type KeepSecrets,
  KeyedMutex,
  type Limits,
  SessionStateService,
} from "./access/session.js";
export type { WorkspaceOptions } from "./access/workspace-options.js";
export { applyEdits } from "./change/exact-edits.js";
export { changeHeading } from "./change/mismatch.js";
export { rebasedWords } from "./change/rebased-words.js";
export { excludedByOwner, matchesLines } from "./ignore/ignore-rules.js";
export { FileScan, type ScanJob, unreadableFile } from "./reading/file-scan.js";
export { compileGlob, type Glob } from "./reading/glob.js";
export { compilePattern, type LinePattern } from "./reading/line-pattern.js";
export { requiredLiterals } from "./reading/required-literal.js";
export { loadLinePattern } from "./reading/searching.js";
export type * from "./values/disk.js";
export { DiskFault, type FaultState } from "./values/disk-fault.js";
export {
  entriesOf,
  type HistoryEntry,
  type Operation,
  type OperationFile,
  operationOf,
  type WriteCaller,
} from "./values/operation.js";
export { bareName, isSecret, protectedReason, tidyPath } from "./values/path-policy.js";
export type * from "./values/ports.js";
export { type ProtectedPath, protectedPaths, protectionOf, runsLater } from "./values/protected-paths.js";
export type * from "./values/stores.js";
export { Workspace } from "./workspace/workspace.js";
