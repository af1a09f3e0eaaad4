import { settingsJsonSchema } from "@holdfast/agent";
import { checkSettings, showPaths } from "../config/check.js";
import { getSetting, listSettings } from "../config/list.js";
import { setSetting, unsetSetting } from "../config/set.js";
import { trustFolder, untrustFolder } from "../config/trust.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast config ACTION`: the agent's settings. */
export async function configCommand(call: Invocation): Promise<number> {
  const [action, first, second] = call.args;
  switch (action) {
    case "list":
      return listSettings(call);
    case "get":
      return getSetting(call, first);
    case "set":
      return setSetting(call, first, second);
    case "unset":
      return unsetSetting(call, first);
    case "check":
      return checkSettings(call);
    case "path":
      return showPaths(call);
    case "trust":
      return trustFolder(call, first);
    case "untrust":
      return untrustFolder(call, first);
    case "schema":
      await call.terminal.out(`${JSON.stringify(settingsJsonSchema(), undefined, 2)}\n`);
      return exitCodes.success;
    default:
      return call.misuse("config knows list, get, set, unset, check, path, trust, untrust, schema");
  }
}
