export { killTool, readOutputTool } from "./background-tools.js";
export { type CommandLimits, Commands, type CommandsOptions, commandLimits } from "./commands.js";
export { type EditedText, type EditRequest, editText } from "./editor.js";
export { commandEnvironment, type EnvironmentOptions, isSecretName, withoutSecrets } from "./environment.js";
export type { LookAfter } from "./look-after.js";
export type { McpAddress, McpProgram, McpServerConfig } from "./mcp/connection.js";
export type { ResultBudget } from "./mcp/result.js";
export { type McpResource, type McpServerState, McpServers, type McpServersOptions } from "./mcp/servers.js";
export { type CommandToolsContext, shellTool } from "./shell-tool.js";
