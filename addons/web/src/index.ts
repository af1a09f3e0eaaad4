/** @holdfast/web: pages of the web, from hosts that are allowed. */
export { type FetchTool, type FetchToolOptions, fetchTool } from "./fetch-tool.js";
