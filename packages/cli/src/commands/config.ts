import { settingsJsonSchema } from "@holdfast/agent";
import { checkSettings, showPaths } from "../config/check.js";
import { getSetting, listSettings } from "../config/list.js";
import { setSetting, unsetSetting } from "../config/set.js";
import { trustFolder, untrustFolder } from "../config/trust.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";

type Action = (call: Invocation, first: string | undefined, second: string | undefined) => Promise<number>;

const actions: Readonly<Record<string, Action>> = {
  list: listSettings,
  get: getSetting,
  set: setSetting,
  unset: unsetSetting,
  check: checkSettings,
  path: showPaths,
  trust: trustFolder,
  untrust: untrustFolder,
  schema: async ({ terminal }) => {
    await terminal.out(`${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`);
    return exitCodes.success;
  },
};

/** `holdfast config ACTION`: the agent's settings. */
export async function configCommand(call: Invocation): Promise<number> {
  const [name = "", first, second] = call.args;
  const action = actions[name];
  return action === undefined ? call.misuse(`config has no action ${name}`) : action(call, first, second);
}
