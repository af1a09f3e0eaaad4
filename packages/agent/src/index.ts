/** @holdfast/agent: an agent as a library, without a screen. */

export type { ApprovalMode, ApprovalRule } from "./config/approval.js";
export { checkText, type SettingsProblem } from "./config/check-settings.js";
export { credentialsPath, readCredentials, writeCredential } from "./config/credentials.js";
export { jsonFault } from "./config/json-fault.js";
export { settingsPath } from "./config/keys.js";
export {
  checkFile,
  type ForeignReader,
  type IgnoredKey,
  projectFile,
  projectSettings,
  type ResolvedSettings,
  readSettings,
  resolveSettings,
  type SettingsFile,
  type SettingsSources,
  settingsLimitBytes,
  unknownVariables,
  userFile,
  wideningSettings,
} from "./config/resolve.js";
export { type AgentSettings, defaultSettings, settingsJsonSchema } from "./config/schema.js";
export { TrustedFolders } from "./config/trusted-folders.js";
export { agentExitCodes, exitCodeOfCommand, exitCodeOfTurn } from "./headless/exit-codes.js";
export { type RunOutput, runOutput } from "./headless/output.js";
export type { NamedResources } from "./input/expand-input.js";
export {
  type Instructions,
  instructionsBlock,
  readInstructions,
  systemText,
} from "./input/instruction-files.js";
export { type PromptPlace, promptPlaces, readPrompts, type WrittenPrompt } from "./input/written-prompts.js";
export { type Agent, openAgent } from "./loop/agent.js";
export { effortWords } from "./loop/ask-model.js";
export { fileCheckOf } from "./loop/file-check.js";
export type { FileUploads, GoogleFiles, OfferedFile } from "./loop/file-forms.js";
export { type Asked, type AskPerson, nobody } from "./loop/gate.js";
export { Hooks, hookRunner, type RunHook } from "./loop/hooks.js";
export { barredBy } from "./loop/judged-call.js";
export type { LaterLook } from "./loop/later-look.js";
export { dayTools } from "./loop/offered-tools.js";
export { type SessionWork, workOf } from "./loop/session-work.js";
export type { SubAgents } from "./loop/sub-agents.js";
export type { AgentEvent, TurnInput } from "./loop/turn.js";
export { CostMeter, costOf, factsOfModel, modelCatalog } from "./models/catalog.js";
export { retryingModel } from "./models/failure.js";
export { type GoogleAccount, googleFilesClient } from "./models/google-client.js";
export { localModels, serverWindow } from "./models/local-server.js";
export {
  configuredModel,
  googleAccount,
  localProviders,
  type ModelRefusal,
  type NamedProvider,
  openModel,
} from "./models/open-model.js";
export { recordedModel } from "./models/recorded.js";
export { readRecording, recordingModel } from "./models/recording.js";
export { type ScriptedAnswer, type ScriptedCall, scriptedModel } from "./models/scripted.js";
export { type BesideOptions, summariserOf } from "./models/summariser.js";
export { searchedBy } from "./models/web-search.js";
export { formsOf, isCovered } from "./shell/covered.js";
export { fitOf } from "./shell/rules.js";
export type { CommandHost, Refused, WantedSession } from "./slash/command.js";
export { describeResult } from "./slash/results.js";
export { readTyped, runCommand } from "./slash/run-command.js";
export { commands } from "./slash/table.js";
export { titleOf, turnInput } from "./slash/turn-input.js";
