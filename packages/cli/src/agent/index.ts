export { wordsOfAsked } from "./asked.js";
export { agentFindings, type Finding } from "./check-agent.js";
export { type CommandPorts, commandHost } from "./command-host.js";
export { lineMode } from "./line-mode.js";
export { type NoRun, type OpenedRun, openRun, openRunWith, turnInput, withoutModel } from "./open-run.js";
