/** @holdfast/agent/ui: a run as text in a terminal, questions there, and what talking in one has to be. */

export { askIn, wordsOfAsked } from "./asking/ask-list.js";
export { answerAfterMs, askBeside, askPerson, consents } from "./terminal/ask-person.js";
export { hasKeys, type Streams, windowSize, wrapped } from "./terminal/streams.js";
export type {
  TalkEnd,
  TalkOptions,
  TalkPorts,
  TalkRun,
  TalkTerminal,
  WatchInterrupt,
} from "./terminal/talk-terminal.js";
export { type TurnText, writtenText } from "./terminal/written-text.js";
