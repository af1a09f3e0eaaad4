/** @holdfast/agent: an agent as a library, without a screen. */

export { type ApprovalMode, type ApprovalRule, approvalModes } from "./config/index.js";
export {
  agentExitCodes,
  exitCodeOfFailure,
  exitCodeOfTurn,
  type OutputFormat,
  type OutputSinks,
  outputFormats,
  type RunDocument,
  type RunError,
  type RunFacts,
  type RunOutput,
  type RunStats,
  runOutput,
} from "./headless/index.js";
export type { LookAfter } from "./host/index.js";
export type { AgentEvent, EndedCall, TurnEnd, TurnInput } from "./loop/index.js";
