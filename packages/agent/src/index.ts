/** @holdfast/agent: an agent as a library, without a screen. */

export {
  type AskedBack,
  type Choice,
  type Command,
  type CommandCode,
  type CommandHost,
  type CommandOutcome,
  type CommandResult,
  type DoneResult,
  type ExportForm,
  exportForms,
  type GivenWords,
  type ListedSession,
  type OperandKind,
  type OptionKind,
  type Refused,
  type WantedSession,
} from "./commands/command.js";
export { type Candidates, type Completion, completeCommand } from "./commands/complete.js";
export { sentTokens } from "./commands/context.js";
export { describeResult } from "./commands/describe-result.js";
export { readTyped, runCommand, type TypedLine } from "./commands/run-command.js";
export { commands } from "./commands/table.js";
export { type Word, wordsOf, writtenWord } from "./commands/words.js";
export { type ApprovalMode, type ApprovalRule, approvalModes } from "./config/approval.js";
export {
  type CheckedSettings,
  checkText,
  checkValue,
  type SettingsProblem,
} from "./config/check-settings.js";
export {
  credentialsPath,
  type PersonPlace,
  readCredentials,
  userFolder,
  writeCredential,
} from "./config/credentials.js";
export { jsonFault } from "./config/json-fault.js";
export { settingsPath } from "./config/keys.js";
export { readSettings, settingsLimitBytes } from "./config/read-settings.js";
export {
  checkFile,
  type IgnoredKey,
  projectFile,
  projectSettingsPath,
  type ResolvedSettings,
  resolveSettings,
  type SettingsFile,
  type SettingsSources,
  userFile,
  userSettingsPath,
  wideningSettings,
} from "./config/resolve.js";
export { type AgentSettings, defaultSettings, settingsJsonSchema, settingsSchema } from "./config/schema.js";
export { type TrustClass, trustClasses, trustClassOf } from "./config/trust-classes.js";
export { type TrustAnswer, TrustedFolders } from "./config/trusted-folders.js";
export { type SettingsVariable, settingsVariables, unknownVariables } from "./config/variables.js";
export {
  agentExitCodes,
  exitCodeOfCommand,
  exitCodeOfFailure,
  exitCodeOfTurn,
} from "./headless/exit-codes.js";
export type { RunDocument, RunError, RunStats } from "./headless/json-output.js";
export {
  type OutputFormat,
  type OutputSinks,
  outputFormats,
  type RunOutput,
  runOutput,
} from "./headless/output.js";
export type { RunFacts } from "./headless/run-facts.js";
export { killTool, readOutputTool } from "./host/background-tools.js";
export { backgroundWords } from "./host/command-words.js";
export { type CommandLimits, Commands, type CommandsOptions, commandLimits } from "./host/commands.js";
export { type EditedText, type EditRequest, editText } from "./host/editor.js";
export {
  commandEnvironment,
  type EnvironmentOptions,
  isSecretName,
  withoutSecrets,
} from "./host/environment.js";
export { type FetchedPage, type FetchPolicy, fetchPage } from "./host/fetch-page.js";
export { type FetchTool, type FetchToolOptions, fetchTool } from "./host/fetch-tool.js";
export type { FileCheck } from "./host/file-check.js";
export { isBelow, ownText, projectText, type ReadText } from "./host/found-text.js";
export { hookRunner, type RunHook } from "./host/hooks.js";
export type { McpAddress, McpProgram, McpServerConfig } from "./host/mcp/connection.js";
export type { ResultBudget } from "./host/mcp/result.js";
export {
  type McpResource,
  type McpServerState,
  McpServers,
  type McpServersOptions,
} from "./host/mcp/servers.js";
export { foldersOfRepository, gitWords, onlyTracked } from "./host/repository.js";
export type { LaterFile } from "./host/sandbox/later-files.js";
export { type CommandPlace, Sandbox, type SandboxOptions } from "./host/sandbox.js";
export { type CommandToolsContext, shellTool } from "./host/shell-tool.js";
export { type SpilledPart, SpillFiles } from "./host/spill-files.js";
export { type Todo, todosName, todosOf, todosTool } from "./host/todos.js";
export { type WatchFiles, watchFiles } from "./host/touched-files.js";
export {
  completeMention,
  type MentionCompletion,
  type MentionPorts,
  pathsBeginning,
} from "./input/complete-mention.js";
export {
  type CancelledInput,
  type ExpandedInput,
  type ExpandOptions,
  expandInput,
  type MentionReport,
  type NamedResources,
  type StagedMedia,
} from "./input/expand-input.js";
export { type InstructionSources, type Instructions, readInstructions } from "./input/instruction-files.js";
export {
  type BegunMention,
  begunMention,
  type Mention,
  mentionLike,
  type PlainWords,
  parseMentions,
  writtenMention,
} from "./input/mentions.js";
export { type SystemFacts, systemText } from "./input/system-text.js";
export {
  type PromptPlace,
  type PromptSource,
  promptPlaces,
  readPrompts,
  type WrittenPrompt,
} from "./input/written-prompts.js";
export { type Agent, openAgent } from "./loop/agent.js";
export type { AgentParts, TurnLimits } from "./loop/agent-parts.js";
export { type Action, type Allowance, type ApprovalPolicy, type Decision, decide } from "./loop/approval.js";
export { effortWords } from "./loop/ask-model.js";
export { barredBy } from "./loop/call-filter.js";
export { fileCheckOf } from "./loop/file-check.js";
export type { FileOffers, FileUploads } from "./loop/file-forms.js";
export { type Asked, type AskPerson, nobody, type PersonsAnswer } from "./loop/gate.js";
export { Hooks, type HooksContext } from "./loop/hooks.js";
export type { LaterLook } from "./loop/later-look.js";
export { dayTools, type ToolSet } from "./loop/offered-tools.js";
export type { RepeatLimits } from "./loop/repeats.js";
export type { SubAgentModel, SubAgents } from "./loop/sub-agents.js";
export type { AgentEvent, EndedCall, TurnEnd, TurnInput, TurnScope } from "./loop/turn.js";
export { type AnthropicOptions, anthropicModel } from "./models/anthropic.js";
export {
  catalogDate,
  costOf,
  factsOfModel,
  type ModelFacts,
  type ModelPrices,
  modelCatalog,
} from "./models/catalog.js";
export { CostMeter, type Spent } from "./models/cost-meter.js";
export { type GoogleOptions, googleModel } from "./models/google.js";
export {
  type FilesClient,
  type GoogleFiles,
  type GoogleFilesOptions,
  type OfferedFile,
  openGoogleFiles,
  type UploadedFile,
  type UploadStore,
} from "./models/google-files.js";
export { type GoogleAccount, googleFilesClient } from "./models/google-files-client.js";
export { localModels, serverWindow } from "./models/local-server.js";
export {
  configuredModel,
  type Environment,
  googleAccount,
  localProviders,
  type ModelRefusal,
  type NamedProvider,
  type OpenedModel,
  type OpenModelOptions,
  openModel,
  type ProviderKind,
  type Server,
} from "./models/open-model.js";
export { type OpenAIChatOptions, openaiChatModel } from "./models/openai-chat.js";
export { type OpenAIResponsesOptions, openaiResponsesModel } from "./models/openai-responses.js";
export type { ProviderOptions } from "./models/provider-port.js";
export { recordedModel } from "./models/recorded.js";
export {
  type RecordedStep,
  type Recording,
  type RecordingRefusal,
  readRecording,
  recordingModel,
} from "./models/recording.js";
export { type RetryOptions, retryingModel } from "./models/retry.js";
export {
  type ScriptedAnswer,
  type ScriptedCall,
  type ScriptedOptions,
  scriptedModel,
} from "./models/scripted.js";
export { summariserOf } from "./models/summariser.js";
export type { UploadRecord } from "./models/upload-record.js";
export { type Covering, formsOf, isCovered, type RunsIn } from "./shell/covered.js";
export { wordsOfForm } from "./shell/forms.js";
export { type Fit, fitOf } from "./shell/rules.js";
export { type DiffOptions, linesOfDiff } from "./ui/diff/diff-lines.js";
export { type ComparedTexts, comparedTexts, namedHunks, withHunks } from "./ui/diff/hunks.js";
export {
  type EditorState,
  type EditorWish,
  emptyEditor,
  replaced,
  textOf,
  withText,
} from "./ui/input/editor.js";
export { type Key, KeyReader, remapped } from "./ui/input/keys.js";
export { startVi, update, viWords } from "./ui/input/vi.js";
export { type EditorView, type EditorWindow, sentWords, view } from "./ui/input/view.js";
export { type TextDetail, type TextOutput, type TextSinks, textOutput } from "./ui/linear/text-output.js";
export { type Highlighter, loadHighlighter } from "./ui/markdown/highlight.js";
export {
  isTooSmall,
  type Modal,
  type ModalStep,
  type ModalWish,
  thenBack,
  type WindowSize,
} from "./ui/modal.js";
export { frame, type NextFrame, noTail, nothingStands, type Standing, type Tail } from "./ui/screen/frame.js";
export { keysHelp } from "./ui/screen/help.js";
export { pager } from "./ui/screen/pager.js";
export { pastOf } from "./ui/screen/past.js";
export { committedTexts, type Finished, rowOf } from "./ui/screen/rows.js";
export type { StatusFacts } from "./ui/screen/status.js";
export {
  type ScreenState,
  type ScreenStep,
  screenState,
  updateScreen,
  type WholeText,
  wholeText,
  wholeTexts,
} from "./ui/screen/update.js";
export { type Menu, type ScreenInput, type Shown, signMs, viewScreen } from "./ui/screen/view.js";
export {
  elastic,
  fitted,
  type Ground,
  type Line,
  rowsOf,
  type Span,
  type SpanKind,
  span,
} from "./ui/spans.js";
export { painted, type Theme, type ThemeName, themes } from "./ui/theme.js";
export { changesModal } from "./ui/windows/changes-modal.js";
export { contextPicture } from "./ui/windows/context-picture.js";
export { lastPrompt, type TreeSource, treeModal } from "./ui/windows/tree-modal.js";
export { treeSource } from "./ui/windows/tree-source.js";
