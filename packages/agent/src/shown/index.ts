/** @holdfast/agent/shown: what a screen is made of: lines and their colours, a run as lines, and what commands found. */

export { changedFiles, type FileStates, type FileStateThen, stateWords } from "../commands/changes.js";
export type { AskedBack, CommandResult } from "../commands/command.js";
export { sentTokens } from "../commands/context.js";
export { planOfReturn } from "../commands/history.js";
export type { Candidates, Completion } from "../commands/run-command.js";
export type { TurnPlace } from "../commands/turn-input.js";
export { writtenWord } from "../commands/words.js";
export { approvalModes } from "../config/approval.js";
export type { EditedText } from "../host/editor.js";
export { backgroundWords, type CommandFacts } from "../host/shell-tool.js";
export { type Todo, todosIn, todosName } from "../host/todos.js";
export { pathsBeginning } from "../input/complete-mention.js";
export { nameOfModel } from "../loop/ask-model.js";
export type { PromptMap } from "../loop/context-economy.js";
export { wayBack } from "../loop/file-check.js";
export { innermost } from "../loop/turn.js";
export type { DiffOptions, Highlighter } from "../ui/diff/diff-lines.js";
export { below, callHead } from "../ui/linear/call-lines.js";
export { type LinearState, linearState, updateLinear, waitLine } from "../ui/linear/update.js";
export { cellsOf, graphemesOf } from "../ui/lines/cells.js";
export {
  brokenLine,
  cellsOfLine,
  cutLine,
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
