export type {
  AskedBack,
  Choice,
  Command,
  CommandCode,
  CommandHost,
  CommandOutcome,
  CommandResult,
  ExportForm,
  GivenWords,
  ListedSession,
  OperandKind,
  OptionKind,
  Refused,
  ToldResult,
  WantedSession,
} from "./command.js";
export { exportForms } from "./command.js";
export { type Candidates, type Completion, completeCommand } from "./complete.js";
export { contextCommands } from "./context.js";
export { describeResult } from "./describe-result.js";
export { readTyped, runCommand, type TypedLine } from "./run-command.js";
export { commands } from "./table.js";
export { type Word, wordsOf, writtenWord } from "./words.js";
