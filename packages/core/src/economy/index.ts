export { type ColdCause, coldCause, type SentRequest } from "./cold-cache.js";
export { type DeltaRequest, deltaContent, deltaReads } from "./delta-reads.js";
export { type CacheRatios, cacheRatiosDate, cacheRatiosOf, requestsToPay } from "./provider-ratios.js";
export {
  type ClearTrigger,
  type CompactionSettings,
  defaultEconomy,
  type EconomyOverrides,
  type EconomyRefusal,
  type EconomySettings,
  economySettings,
  isEconomyRefusal,
  protectedTools,
} from "./settings.js";
export {
  type Budget,
  type ClearedBlock,
  type ClearingClass,
  type ClearingPlan,
  type ClearingReport,
  type CountedRequest,
  clearingClasses,
  type NoPlanReason,
  type Plan,
  type Usage,
} from "./types.js";
