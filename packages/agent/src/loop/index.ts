export { type Agent, openAgent, type TurnScope } from "./agent.js";
export type { AgentParts, TurnLimits } from "./agent-parts.js";
export { type Action, type Allowance, type ApprovalPolicy, type Decision, decide } from "./approval.js";
export { type CacheBroke, cacheBrokeWords } from "./cache-watch.js";
export { fitsCommand } from "./command-rule.js";
export type { CompactionOutcome } from "./context-economy.js";
export type { FileOffers, FileUploads } from "./file-forms.js";
export { type Asked, type AskPerson, nobody, type PersonsAnswer } from "./gate.js";
export { lookAfterOf } from "./look-after.js";
export type { ToolSet } from "./offered-tools.js";
export type { RepeatLimits } from "./repeats.js";
export type { SubAgentModel, SubAgents } from "./sub-agents.js";
export {
  type AgentEvent,
  type ContextStep,
  type EndedCall,
  innermost,
  type TurnEnd,
  type TurnInput,
} from "./turn.js";
