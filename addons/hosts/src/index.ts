/** @holdfast/hosts: what makes Holdfast at home in other agents: setup, the guard, the official server's names. */
export { createCompatServer } from "./compat/server.js";
export { answerToHook } from "./guard/answer-to-hook.js";
export { type GuardOptions, runGuard } from "./guard-main.js";
export { type HostRules, openHostRules } from "./rules/host-rules.js";
export type { ChangedSettings, ChangeJson } from "./setup/changed-settings.js";
export type { SetupCall, SetupShell } from "./setup/setup-call.js";
export { setupCommand } from "./setup/setup-command.js";
