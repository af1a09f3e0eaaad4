/** @holdfast/hosts: what makes Holdfast at home in other agents: setup, the guard, the official server's names. */
export { createCompatServer } from "./compat/server.js";
export { answerToHook } from "./guard/answer-to-hook.js";
export { type GuardOptions, runGuard } from "./guard-main.js";
export { type HostRules, openHostRules } from "./rules/host-rules.js";
export type { ChangedSettings, ChangeJson } from "./setup/client-settings.js";

import type { SetupCall } from "./setup/setup-call.js";

export type { SetupCall, SetupShell } from "./setup/setup-call.js";

/**
 * `holdfast setup CLIENT`: shows what would change in the client's configuration, and makes the change where a person
 * says yes. It is loaded when it is called: a server needs none of it.
 *
 * @returns the exit code.
 */
export async function setupCommand(call: SetupCall): Promise<number> {
  return (await import("./setup/setup-command.js")).setupCommand(call);
}
