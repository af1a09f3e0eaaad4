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
export {
  type Action,
  type Agent,
  type AgentEvent,
  type AgentParts,
  type Allowance,
  type ApprovalPolicy,
  type Asked,
  type AskPerson,
  type Decision,
  decide,
  type EndedCall,
  fitsCommand,
  nobody,
  openAgent,
  type PersonsAnswer,
  type RepeatLimits,
  type ToolSet,
  type TurnEnd,
  type TurnInput,
  type TurnLimits,
  type TurnScope,
} from "./loop/index.js";
export {
  type FilesClient,
  type GoogleFiles,
  type GoogleFilesOptions,
  type OfferedFile,
  openGoogleFiles,
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedOptions,
  scriptedModel,
  type UploadedFile,
  type UploadRecord,
} from "./models/index.js";
