export { type AnthropicBlock, type AnthropicMessage, toAnthropic } from "./anthropic.js";
export { checkAnthropic } from "./check-anthropic.js";
export { checkGemini } from "./check-gemini.js";
export { checkOpenAI } from "./check-openai.js";
export type { Content, MediaPart, Part } from "./content.js";
export { safeCuts } from "./cuts.js";
export { debugOutline, type OutlineOptions } from "./debug-outline.js";
export { debugYaml } from "./debug-yaml.js";
export { type GeminiContent, type GeminiPart, skippedSignature, toGemini } from "./gemini.js";
export { checkContents, type Invariant, type InvariantId, invariants, type Violation } from "./invariants.js";
export { type OpenAIMessage, toOpenAI } from "./openai.js";
export { isProvider, type Provider, providers } from "./providers.js";
export { ContextRenderer, type RendererOptions, renderContext } from "./render.js";
export type {
  Boundary,
  BrokenReferral,
  Dropped,
  Ignored,
  PromptRepair,
  RenderReport,
  RenderStart,
} from "./report.js";
export { type ResolvedMedia, resolveMedia } from "./resolve-media.js";
export type { Provenance, Rendering, RenderOptions, RenderRule } from "./types.js";
export type { ShownPosition, Visibility, VisibleState } from "./visibility.js";
export type { WireCheckOptions, WireViolation } from "./wire-check.js";
