export {
  carrySpans,
  joinSpans,
  type LineEdit,
  type LinePart,
  type LineSpan,
  lineEdits,
  outsideSpans,
  type SourcedSpan,
  sourcesIn,
} from "../lines/line-spans.js";
export { keepLines, moveEdits } from "../lines/moved-lines.js";
export { namedLines } from "../lines/named-lines.js";
export { type InPlaceEdit, PersistentMap } from "../lines/persistent-map.js";
export { type PlacedLines, placeSteps } from "../lines/placed-lines.js";
export type {
  FileName,
  Knowledge,
  KnowledgeEvent,
  KnownState,
  LinesShown,
  OwnChange,
  OwnWrite,
  StateChanged,
  StateMet,
} from "../values/knowledge.js";
export { isKnownWhole, isSeen } from "../values/knowledge.js";
export { KnownFiles, type KnownRecord, type LearnOptions } from "./known-files.js";
export { unchangedIn, unchangedStub } from "./rereads.js";
export {
  allOf,
  type CallKnowledge,
  knownState,
  SessionKnowledge,
  type SessionKnowledgeOptions,
  type ShownLines,
  type ShownSince,
  shownBy,
} from "./session-knowledge.js";
