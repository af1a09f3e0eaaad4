export { charsPerToken, type MeasuredPrompt, measure } from "./blocks.js";
export { type ColdCause, coldCause, type SentRequest } from "./cold-cache.js";
export {
  type CompactionCut,
  type CompactionDraft,
  type CompactionPlan,
  compactionTask,
  draftCompaction,
  planCompaction,
} from "./compaction.js";
export { type ContextMap, contextMap, type NodeReason, whyNode } from "./context-map.js";
export { type DeltaRequest, deltaContent, deltaReads } from "./delta-index.js";
export { fileLedger } from "./ledger.js";
export { partsBeforeClearable, planPrompt, wasWarned } from "./plan.js";
export {
  afterRequest,
  beganClearing,
  type ClearingOutcome,
  type CountedPrompt,
  regretOf,
} from "./savings.js";
export {
  type BreakCause,
  type CacheBreak,
  type CacheOutlook,
  cacheOutlook,
  planBreakpoints,
  type SentPrompt,
  sentPrompt,
} from "./sent-prompts.js";
export {
  type CacheRatios,
  type ClearTrigger,
  type CompactionSettings,
  cacheRatiosDate,
  cacheRatiosOf,
  defaultEconomy,
  type EconomyOverrides,
  type EconomyRefusal,
  type EconomySettings,
  economySettings,
  isEconomyRefusal,
  requestsToPay,
} from "./settings.js";
export type {
  ClearedBlock,
  ClearingClass,
  ClearingPlan,
  ClearingReport,
  CountedRequest,
  NoPlanReason,
  PromptBudget,
  PromptPlan,
  PromptUsage,
} from "./types.js";
