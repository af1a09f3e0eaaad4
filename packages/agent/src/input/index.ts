export {
  completeMention,
  type MentionCompletion,
  type MentionPorts,
  pathsBeginning,
} from "./complete-mention.js";
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
export {
  type BegunMention,
  begunMention,
  type Mention,
  mentionLike,
  type PlainWords,
  parseMentions,
  writtenMention,
} from "./mentions.js";
export { type SystemFacts, systemText } from "./system-text.js";
