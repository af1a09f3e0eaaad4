export { agentExitCodes, exitCodeOfCommand, exitCodeOfFailure, exitCodeOfTurn } from "./exit-codes.js";
export type { RunDocument, RunError, RunStats } from "./json-output.js";
export { type OutputFormat, type OutputSinks, outputFormats, type RunOutput, runOutput } from "./output.js";
export type { RunFacts } from "./run-facts.js";
