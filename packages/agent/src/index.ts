/** @holdfast/agent: an agent as a library, without a screen. */

export { type ApprovalMode, type ApprovalRule, approvalModes } from "./config/index.js";
export type { LookAfter } from "./host/index.js";
export type { AgentEvent, EndedCall, TurnEnd, TurnInput } from "./loop/index.js";
