/** @holdfast/agent/host: what an agent does on the machine beside files, and what its add-ons need for that. */

export { proxyFor, tunnel } from "../config/proxied-fetch.js";
export { endingWithin, withinTime } from "../config/within-time.js";
export { type AllowedHosts, allowedAddresses, refuseHost } from "./allowed-hosts.js";
export { killTool, readOutputTool } from "./background-tools.js";
export { Commands } from "./commands.js";
export { editText } from "./editor.js";
export { commandEnvironment, withoutSecrets } from "./environment.js";
export { filesBelow, isBelow, ownText, projectText, type ReadText } from "./found-text.js";
export { type LaterFile, LaterFiles } from "./later-files.js";
export { endLeftCommands } from "./left-commands.js";
export type {
  McpResource,
  McpServerConfig,
  McpServerState,
  McpServers,
  McpServersGround,
} from "./mcp-servers.js";
export { planTool } from "./plan.js";
export { endFamily, killFamily, killLeft, markerName } from "./processes.js";
export { foldersOfRepository, gitWords, onlyTracked, quietly, realPathOf } from "./repository.js";
export { safeText } from "./safe-output.js";
export {
  type Barred,
  type CommandPlace,
  commandPlaces,
  type EnteredCommand,
  type Sandbox,
  type SandboxOptions,
} from "./sandbox.js";
export { searchTool } from "./search-tool.js";
export { judgedShell } from "./shell-state.js";
export {
  type CommandToolsContext,
  type FileCheck,
  hostTool,
  shellTool,
  withFileCheck,
} from "./shell-tool.js";
export { SpillFiles } from "./spill-files.js";
export { todosTool } from "./todos.js";
export { type WatchFiles, watchFiles } from "./touched-files.js";
