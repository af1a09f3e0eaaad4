export {
  type AnthropicBlock,
  type AnthropicBody,
  type AnthropicMessage,
  type AnthropicTool,
  toAnthropic,
} from "./anthropic.js";
export { checkAnthropic } from "./check-anthropic.js";
export { checkGemini } from "./check-gemini.js";
export { checkOpenAI } from "./check-openai.js";
export { checkOpenAIResponses } from "./check-openai-responses.js";
export type { Content, MediaPart, Part } from "./content.js";
export { safeCuts } from "./cuts.js";
export { debugOutline, type OutlineOptions } from "./debug-outline.js";
export { debugYaml } from "./debug-yaml.js";
export { type AnthropicEvent, type AnthropicResponse, fromAnthropic } from "./from-anthropic.js";
export { fromGemini, type GeminiResponse } from "./from-gemini.js";
export { fromOpenAI, type OpenAIResponse } from "./from-openai.js";
export {
  fromOpenAIResponses,
  type OpenAIResponsesEvent,
  type OpenAIResponsesResponse,
} from "./from-openai-responses.js";
export {
  type GeminiBody,
  type GeminiContent,
  type GeminiPart,
  skippedSignature,
  toGemini,
} from "./gemini.js";
export { type HistoryFilter, historyFilter, nodeHolds } from "./history-filter.js";
export { checkContents, type Invariant, type InvariantId, invariants, type Violation } from "./invariants.js";
export { lengthOf } from "./layout.js";
export { replacedFrom } from "./list-cache.js";
export type {
  ModelEvent,
  ModelFailure,
  ModelFailureReason,
  ModelPort,
  ModelStep,
} from "./model-port.js";
export { type OpenAIBody, type OpenAIMessage, toOpenAI } from "./openai.js";
export { type OpenAIItem, type OpenAIResponsesBody, toOpenAIResponses } from "./openai-responses.js";
export type {
  CacheBreakpoint,
  Caching,
  OfferedTool,
  ProviderRequest,
  RequestOptions,
  RequestReport,
} from "./provider-request.js";
export { isProvider, type Provider, providers } from "./providers.js";
export {
  type AnswerEnd,
  type AnswerFlaw,
  type AnswerOptions,
  answerOf,
  type ReceivedAnswer,
} from "./received-answer.js";
export { ContextRenderer, type RendererOptions, renderContext } from "./render.js";
export type {
  Boundary,
  BrokenReferral,
  Dropped,
  Ignored,
  PromptRepair,
  Referral,
  RenderReport,
  RenderStart,
} from "./report.js";
export { type ResolvedMedia, resolveMedia } from "./resolve-media.js";
export type { ShownPlace } from "./standing.js";
export type { Provenance, Rendering, RenderOptions, RenderRule } from "./types.js";
export type { Visibility, VisibleBlock, VisibleState } from "./visibility.js";
export type { WireCheckOptions, WireViolation } from "./wire-check.js";
