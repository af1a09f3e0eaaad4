import { settingsJsonSchema } from "@holdfast/agent";
import { checkSettings, showPaths } from "../config/check.js";
import { getSetting, listSettings } from "../config/list.js";
import { setSetting, unsetSetting } from "../config/set.js";
import { trustFolder, untrustFolder } from "../config/trust.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Run } from "../shell/invocation.js";

/** `holdfast config schema`: the JSON Schema, for editors. */
const showSchema: Run = async ({ terminal }) => {
  await terminal.out(`${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`);
  return exitCodes.success;
};

/** `holdfast config ACTION`: the agent's settings. */
export const configActions = {
  list: listSettings,
  get: getSetting,
  set: setSetting,
  unset: unsetSetting,
  check: checkSettings,
  path: showPaths,
  trust: trustFolder,
  untrust: untrustFolder,
  schema: showSchema,
};
