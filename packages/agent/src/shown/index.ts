/** @holdfast/agent/shown: what a screen is made of: lines and their colours, a run as lines, and what commands found. */

export { approvalModes } from "../config/approval.js";
export type { EditedText } from "../host/editor.js";
export { backgroundWords, type CommandFacts } from "../host/shell-tool.js";
export { type Todo, todosIn, todosName } from "../host/todos.js";
export { begunMention, mentionLike } from "../input/expand-input.js";
export { nameOfModel } from "../loop/ask-model.js";
export type { PromptMap } from "../loop/context-economy.js";
export { wayBack } from "../loop/file-check.js";
export { innermost } from "../loop/turn.js";
export { changedFiles, type FileStates, type FileStateThen, stateWords } from "../slash/changes.js";
export type { AskedBack, Command, CommandResult, OperandKind } from "../slash/command.js";
export { sentTokens } from "../slash/context.js";
export { planOfReturn } from "../slash/history.js";
export type { TurnPlace } from "../slash/turn-input.js";
export { wordsOf, writtenWord } from "../slash/words.js";
export type { DiffOptions, Highlighter } from "../ui/diff/diff-lines.js";
export { below, callHead } from "../ui/linear/call-lines.js";
export { type LinearState, linearState, updateLinear, waitLine } from "../ui/linear/update.js";
export { betweenWords, drawnLines } from "../ui/lines/between-words.js";
export { cellsOf, graphemesOf } from "../ui/lines/cells.js";
export {
  brokenLine,
  cellsOfLine,
  cutLine,
  dataLine,
  elastic,
  fitted,
  type Line,
  painted,
  type Span,
  type SpanKind,
  signAt,
  signedLine,
  signMs,
  span,
  type Theme,
  textLines,
  themes,
} from "../ui/lines/spans.js";
export { isTooSmall, type WindowSize } from "../ui/lines/window.js";
