/**
 * @holdfast/core: what a program needs that edits files or keeps a conversation with the tools. The rest is behind
 * the sub-paths: `/text`, `/patch`, `/files`, `/conversation`, `/context`, `/economy`, `/tools` (pure) and `/node`, the half
 * that touches the machine.
 */
export {
  type AnswerEnd,
  answerOf,
  type Content,
  checkContents,
  debugOutline,
  debugYaml,
  fromAnthropic,
  fromGemini,
  fromOpenAI,
  fromOpenAIResponses,
  type ModelEvent,
  type ModelFailure,
  type ModelFailureReason,
  type ModelPort,
  type ModelStep,
  type Part,
  type ReceivedAnswer,
  renderContext,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "./context/index.js";
export { readExport } from "./conversation/import/index.js";
export {
  ContextManager,
  createConversation,
  driftedFiles,
  exportSession,
  findSession,
  type LoadedSession,
  lastVersion,
  listTasks,
  loadSession,
  openConversation,
  planRestore,
  recoverRestore,
  restoreFiles,
} from "./conversation/index.js";
export {
  type ConversationRefusal,
  namesFrom,
  type SessionStore,
  type Summariser,
  type TurnNode,
  type TurnPayload,
  type TurnUsage,
  timeSortedIds,
} from "./conversation/values/index.js";
export { economySettings, isEconomyRefusal, planPrompt } from "./economy/index.js";
export { type AgreedFile, outcomeOfOneFile, type Preview, Workspace } from "./files/index.js";
export {
  allOf,
  type CallKnowledge,
  type FileName,
  type Knowledge,
  type KnowledgeEvent,
  type KnownState,
  type LineSpan,
  SessionKnowledge,
  type ShownLines,
  type StateChanged,
} from "./files/seen/index.js";
export type { OutcomeCode } from "./files/values/index.js";
export {
  type ApplyChangesOutcome,
  type ApplyChangesRequest,
  type ChangeRequest,
  displacedNoteOf,
  type FileState,
  inWords,
  isRefusal,
  type ListedEntry,
  type ListOutcome,
  type ReadOutcome,
  type ReadRequest,
  type Refusal,
  type Sentence,
  say,
  type Vocabulary,
  type WriteOutcome,
  type WriteRefusal,
} from "./files/values/index.js";
export { describeChange, type PatchRequest } from "./patch/index.js";
export { causeOf, cutVisibly, escapeForDisplay } from "./text/index.js";
export {
  type Approve,
  allTools,
  answerBudgetChars,
  carryOut,
  catching,
  type FileTool,
  followFiles,
  type JsonSchema,
  jsonSchema,
  pageWithin,
  questionOf,
  type ResultContent,
  renderResult,
  runConversationTool,
  runHostTool,
  runTool,
  type ToolContext,
  type ToolName,
  type ToolReply,
  type ToolWorkspace,
  tools,
  understand,
} from "./tools/index.js";
