/** What the MCP server asks its platform for; Ajv, its own choice on Node, would be a sixth of what each start loads. */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";

// The global itself: the module of this name reads all that the process has, its report as well, as it is imported.
const { process } = globalThis;

export { process };
