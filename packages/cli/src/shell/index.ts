export { askPerson } from "./ask-person.js";
export { letCollect } from "./collector.js";
export { exitCodeOf, exitCodes } from "./exit-codes.js";
export {
  type InputLines,
  type InputProblem,
  inputBegins,
  readInput,
  readInputLines,
  readInputText,
} from "./input.js";
export { type InputLine, linesOf } from "./input-lines.js";
export { finishOnceBegun, leavingWith, watchedByWork, watchInterrupts } from "./interrupt.js";
export type { Flags, GlobalFlags, Invocation, Settings } from "./invocation.js";
export { atPersonsPace } from "./long-work.js";
export { MessageLines } from "./message-lines.js";
export { optimiseLate } from "./optimiser.js";
export { watchOutputReader } from "./output-reader.js";
export {
  escapeName,
  escapeText,
  makePaint,
  openTerminal,
  type Paint,
  roomInOutput,
  type Terminal,
} from "./terminal.js";
export { version } from "./version.js";
