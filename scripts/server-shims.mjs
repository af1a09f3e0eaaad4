/** What the MCP server asks its platform for; Ajv, its own choice on Node, would be a sixth of what each start loads. */
export { default as process } from "node:process";
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
