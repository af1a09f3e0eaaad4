export type { OpenFor, ServedWorkspace } from "./client-roots.js";
export { carefulHost, type Host, hostOf, knownHosts, leastAnswerBudget, mostAnswerBudget } from "./hosts.js";
export { type McpOptions, messageLimitBytes } from "./options.js";
export { RunningCalls } from "./running-calls.js";
export { serveMcp } from "./serve.js";
