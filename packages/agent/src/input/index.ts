export {
  type CancelledInput,
  type ExpandedInput,
  type ExpandOptions,
  expandInput,
  type MentionReport,
  type NamedResources,
  type StagedMedia,
} from "./expand-input.js";
export { type InstructionSources, type Instructions, readInstructions } from "./instruction-files.js";
export { type Mention, type PlainWords, parseMentions, writtenMention } from "./mentions.js";
export { type SystemFacts, systemText } from "./system-text.js";
