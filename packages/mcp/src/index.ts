export type { McpOptions } from "./options.js";
export { serveMcp } from "./serve.js";
