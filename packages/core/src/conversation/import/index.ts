export { type FoldedLines, foldedText } from "./folded-lines.js";
export type {
  BesideFile,
  ImportedSession,
  ImportOptions,
  SourceSession,
  UnreadLine,
} from "./imported-session.js";
export type { ImportProblem, SourceLine, SourceLines } from "./lines.js";
export { type Flaw, mostLevels, parsed, readLines, whereOf } from "./lines.js";
export { exportLines, isOwnRecord, readOwn } from "./own.js";
export { type Envelope, type EnvelopeFile, parseEnvelope } from "./parse-envelope.js";
export { aboutLongLine, readExport, readExportInSteps, withUnread } from "./read-export.js";
