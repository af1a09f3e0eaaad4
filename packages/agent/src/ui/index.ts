/** @holdfast/agent/ui: the agent in a terminal: what a person types, is shown and is asked. */

export { wordsOfAsked } from "./asking/ask-list.js";
export { askBeside, askPerson, consents } from "./terminal/ask-person.js";
export { type Streams, wrapped } from "./terminal/streams.js";
export { openTalk, type TalkPorts, type TalkRun, type TalkTerminal } from "./terminal/talk.js";
export { hasKeys, type WatchInterrupt } from "./terminal/typed-lines.js";
export { type TurnText, writtenText } from "./terminal/written-text.js";
