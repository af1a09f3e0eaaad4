export { type McpOptions, messageLimitBytes } from "./options.js";
export { serveMcp } from "./serve.js";
