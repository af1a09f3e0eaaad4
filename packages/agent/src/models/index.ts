export { type AnthropicOptions, anthropicModel } from "./anthropic.js";
export {
  catalogDate,
  costOf,
  factsOfModel,
  type ModelFacts,
  type ModelPrices,
  modelCatalog,
} from "./catalog.js";
export { CostMeter, type Spent } from "./cost-meter.js";
export { type GoogleOptions, googleModel } from "./google.js";
export {
  type FilesClient,
  type GoogleFiles,
  type GoogleFilesOptions,
  type OfferedFile,
  openGoogleFiles,
  type UploadedFile,
  type UploadStore,
} from "./google-files.js";
export { type GoogleAccount, googleFilesClient } from "./google-files-client.js";
export {
  configuredModel,
  type Environment,
  googleAccount,
  localModel,
  type ModelRefusal,
  type NamedProvider,
  type OpenedModel,
  type OpenModelOptions,
  openModel,
  type ProviderKind,
} from "./open-model.js";
export { type OpenAIChatOptions, openaiChatModel } from "./openai-chat.js";
export { type OpenAIResponsesOptions, openaiResponsesModel } from "./openai-responses.js";
export type { ProviderOptions } from "./provider-port.js";
export { recordedModel } from "./recorded.js";
export {
  type RecordedStep,
  type Recording,
  type RecordingRefusal,
  readRecording,
  recordingModel,
} from "./recording.js";
export { type RetryOptions, retryingModel } from "./retry.js";
export { type ScriptedAnswer, type ScriptedCall, type ScriptedOptions, scriptedModel } from "./scripted.js";
export { summariserOf } from "./summariser.js";
export type { UploadRecord } from "./upload-record.js";
