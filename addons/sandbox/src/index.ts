/** @holdfast/sandbox: where the agent's commands run. */
export { openSandbox } from "./sandbox.js";
