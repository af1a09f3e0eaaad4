/** @holdfast/mcp-client: the MCP servers of one session. */
export { openMcpServers, type ServersOptions } from "./servers.js";
