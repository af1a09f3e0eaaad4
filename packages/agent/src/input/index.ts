export { type InstructionSources, type Instructions, readInstructions } from "./instruction-files.js";
export { type SystemFacts, systemText } from "./system-text.js";
