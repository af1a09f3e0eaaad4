/** @holdfast/agent: an agent as a library, without a screen. */

export { type ApprovalMode, type ApprovalRule, approvalModes } from "./config/index.js";
export {
  type CommandLimits,
  Commands,
  type CommandsOptions,
  type CommandToolsContext,
  commandEnvironment,
  commandLimits,
  type EditedText,
  type EditRequest,
  type EnvironmentOptions,
  editText,
  isSecretName,
  killTool,
  type LookAfter,
  type McpAddress,
  type McpProgram,
  type McpResource,
  type McpServerConfig,
  type McpServerState,
  McpServers,
  type McpServersOptions,
  type ResultBudget,
  readOutputTool,
  shellTool,
  withoutSecrets,
} from "./host/index.js";
export type { AgentEvent, EndedCall, TurnEnd, TurnInput } from "./loop/index.js";
