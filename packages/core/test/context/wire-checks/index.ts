/** What the providers would refuse of a request, as far as it can be known beforehand; docs/invariants.md has the sources. */
export { checkAnthropic } from "./check-anthropic.js";
export { checkGemini } from "./check-gemini.js";
export { checkOpenAI } from "./check-openai.js";
export { checkOpenAIResponses } from "./check-openai-responses.js";
export type { WireViolation } from "./wire-check.js";
