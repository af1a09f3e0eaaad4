export { lineMode } from "./line-mode.js";
export { type NoRun, type OpenedRun, openRun } from "./open-run.js";
