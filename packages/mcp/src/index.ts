/** @holdfast/mcp: the tools as an MCP server, and what a server with other tools needs. */
export { footingOf, type OpenFor, type ServedWorkspace } from "./client-roots.js";
export { absolute, pathToFileUri } from "./file-uri.js";
export {
  carefulHost,
  type Host,
  hostOf,
  hostOfRequest,
  knownHosts,
  leastAnswerBudget,
  metaFor,
  mostAnswerBudget,
  roomAt,
} from "./hosts.js";
export { type McpOptions, messageLimitBytes } from "./options.js";
export { RunningCalls } from "./running-calls.js";
export { serveMcp } from "./serve.js";
