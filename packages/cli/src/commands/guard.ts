import { addonFor } from "../addons.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast guard`, with other flags than a hook has: the add-on `hosts` reads the event and answers. */
export async function guardCommand({ settings, flags, misuse }: Invocation): Promise<number> {
  const hosts = await addonFor("hosts", misuse);
  if (process.stdin.isTTY) misuse("guard is a hook: its input is the JSON that a host writes to it");
  return hosts.runGuard({ ...flags, stateDir: settings.stateDir });
}
