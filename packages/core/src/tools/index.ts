export { type Envelope, type EnvelopeFile, parseEnvelope } from "../conversation/import/index.js";
export { chooseSuffix, type FrameSuffix } from "../text/index.js";
export {
  type CallPaths,
  type Carried,
  carryOut,
  pathsOfCall,
  type RecordedCall,
  type TurnHost,
} from "./conversation/carry-out.js";
export {
  type ConversationToolName,
  conversationName,
  conversationTool,
  conversationToolNames,
  conversationTools,
  findConversationTool,
} from "./conversation/catalog.js";
export type {
  ConversationRequest,
  FilesAtMove,
  HistoryRequest,
  TaskRequest,
  TrackRequest,
} from "./conversation/conversation-request.js";
export type {
  ConversationHost,
  ConversationTool,
  FileMove,
  FilesThatFollow,
} from "./conversation/conversation-tool.js";
export { followFiles } from "./conversation/follow-files.js";
export {
  type ConversationReply,
  type ConversationToolContext,
  runConversationTool,
} from "./conversation/run-conversation-tool.js";
export { type MeantCall, meantCall, type Tool, toolOfName } from "./conversation/tool-of-name.js";
export {
  allTools,
  dialectTools,
  findTool,
  type OwnTool,
  readingTools,
  type ToolName,
  toolNames,
  tools,
} from "./file-tools/catalog.js";
export {
  failedCall,
  type HostCode,
  type HostRequest,
  type HostScope,
  type HostTool,
  type HostToolAnnotations,
  type HostToolResult,
  hostSchema,
  moreTools,
  moreToolsName,
  type RanProgram,
  runHostTool,
} from "./run/host-tool.js";
export { type MediaKind, mediaOfRead, mediaReply, type ReadMedia } from "./run/read-media.js";
export {
  catching,
  questionOf,
  runTool,
  runToolWithResult,
  type ToolContext,
  type ToolRun,
} from "./run/run-tool.js";
export type { Approval, Approve, Question } from "./tool/approval.js";
export { protocolText, toolsInShort } from "./tool/protocol-text.js";
export { type JsonSchema, type NamedArguments, understand } from "./tool/shapes.js";
export { foreignName, hintFor, meaningsOf, nearestName, plainName } from "./tool/spellings.js";
export {
  type FileTool,
  fileOfCall,
  intentOf,
  jsonSchema,
  parseArguments,
  type ToolAnnotations,
  type ToolWorkspace,
} from "./tool/tool.js";
export { phraseResult, shownTools, withNames } from "./tool/vocabulary.js";
export type { WireResult } from "./wire/answers.js";
export { closedNote, cutAt, ignoredNote, searchNotes } from "./wire/looking.js";
export {
  answerBudgetChars,
  defaultWireOptions,
  fullContentLimitBytes,
  type HostLimits,
  type ResultContent,
  type SharedRoom,
  type WireForm,
  type WireOptions,
} from "./wire/options.js";
export { type Page, type PageRoom, pageWithin } from "./wire/page.js";
export { factsOf, renderResult } from "./wire/render.js";
export type {
  ChangeSetResult,
  PreviewResult,
  RefusedResult,
  ToolReply,
  ToolResult,
  WriteResult,
} from "./wire/result.js";
export { describeRepair } from "./wire/shown.js";
