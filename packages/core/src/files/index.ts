export { currentBase, emptySha256, type GivenBase } from "./base.js";
export { DiskFault, type FaultState } from "./disk-fault.js";
export type { CorrectedEdit, Corrector, EditApplier, EditSketch, FailedEdit } from "./edit-models.js";
export { applyEdits } from "./exact-edits.js";
export { compileGlob, type Glob } from "./glob.js";
export { defaultGuards, type Guards } from "./guards.js";
export { Ledger, type LedgerEvent, type LedgerRecord } from "./ledger.js";
export { compilePattern, type LinePattern, type PatternOptions } from "./line-pattern.js";
export { MemoryDisk, memoryPorts } from "./memory-disk.js";
export {
  carriesContent,
  fromPatch,
  isRefusal,
  type OutcomeCode,
  type Refusal,
  type RefusalCode,
  refusalCodes,
  refuse,
  type SuccessCode,
  successCodes,
} from "./outcome.js";
export { bareName, isSecret, protectedReason, tidyPath } from "./path-policy.js";
export type * from "./ports.js";
export { type IsVisible, type ShownLines, unchangedStub } from "./rereads.js";
export { defaultLimits, type Limits } from "./session.js";
export { SessionStateService } from "./session-state.js";
export { Workspace, type WorkspaceOptions } from "./workspace.js";
export type * from "./workspace-types.js";
