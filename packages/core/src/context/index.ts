export { debugOutline, type OutlineOptions } from "./debug/debug-outline.js";
export { debugYaml } from "./debug/debug-yaml.js";
export {
  type DrawnRow,
  type DrawnTreeOptions,
  drawnRows,
  drawnTree,
  drawnWords,
} from "./debug/drawn-tree.js";
export { type HistoryFilter, historyFilter, nodeHolds, nodeNamed } from "./debug/history-filter.js";
export type { Content, MediaPart, Part } from "./layout/content.js";
export { safeCuts } from "./layout/cuts.js";
export { checkContents, type Invariant, invariants, type Violation } from "./layout/invariants.js";
export { lengthOf } from "./layout/layout.js";
export type {
  Boundary,
  BrokenReferral,
  Dropped,
  Ignored,
  PromptRepair,
  Referral,
  RenderReport,
} from "./layout/report.js";
export type { Provenance, Rendering, RenderOptions, RenderRule } from "./layout/types.js";
export {
  isProvider,
  type Provider,
  providers,
  type ShownPlace,
  type Visibility,
  type VisibleBlock,
  type VisibleState,
} from "./layout/visibility.js";
export {
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicMessage,
  toAnthropic,
} from "./providers/anthropic.js";
export { type AnthropicEvent, type AnthropicResponse, fromAnthropic } from "./providers/from-anthropic.js";
export { fromGemini, type GeminiResponse } from "./providers/from-gemini.js";
export { fromOpenAI, type OpenAIResponse } from "./providers/from-openai.js";
export {
  fromOpenAIResponses,
  type OpenAIResponsesEvent,
  type OpenAIResponsesResponse,
} from "./providers/from-openai-responses.js";
export {
  type GeminiBody,
  type GeminiContent,
  type GeminiPart,
  toGemini,
} from "./providers/gemini.js";
export { type ResolvedMedia, resolveMedia } from "./providers/media.js";
export {
  type Effort,
  efforts,
  type ModelEvent,
  type ModelFailure,
  type ModelFailureReason,
  type ModelPort,
  type ModelStep,
} from "./providers/model-port.js";
export { type OpenAIBody, type OpenAIMessage, toOpenAI } from "./providers/openai.js";
export {
  type OpenAIItem,
  type OpenAIResponsesBody,
  toOpenAIResponses,
} from "./providers/openai-responses.js";
export type {
  CacheBreakpoint,
  Caching,
  OfferedTool,
  ProviderRequest,
  RequestOptions,
  RequestReport,
} from "./providers/provider-request.js";
export {
  type AnswerEnd,
  type AnswerFlaw,
  type AnswerOptions,
  answerOf,
  type ReceivedAnswer,
  type WebSource,
} from "./providers/received-answer.js";
export { ContextRenderer, renderContext, replacedFrom } from "./render/render.js";
