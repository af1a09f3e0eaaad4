import { askPerson } from "@holdfast/agent/ui";
import { addonFor } from "../addons.js";
import { withWorkspace } from "../answers/open.js";
import { reportRefusal } from "../answers/report.js";
import { changeSettings } from "../config/change-settings.js";
import { exitCodeOf } from "../shell/exit-code-of.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast setup CLIENT`: the add-on `hosts` knows the clients; this command lends it the terminal and the files. */
export async function setupCommand(call: Invocation): Promise<number> {
  const { settings, terminal, misuse } = call;
  const hosts = await addonFor("hosts", misuse);
  return hosts.setupCommand({
    ...call,
    shell: {
      askPerson,
      withWorkspace: (place, work) => withWorkspace({ ...call, settings: { ...settings, ...place } }, work),
      reportRefusal: (refusal) => reportRefusal(refusal, terminal),
      finishOnceBegun,
      exitCodeOf: (code) => exitCodeOf[code],
      changeJson: changeSettings,
    },
  });
}

/** `holdfast guard`, with other flags than a hook has: the add-on `hosts` reads the event and answers. */
export async function guardCommand({ settings, flags, misuse }: Invocation): Promise<number> {
  const hosts = await addonFor("hosts", misuse);
  if (process.stdin.isTTY) misuse("guard is a hook: its input is the JSON that a host writes to it");
  return hosts.runGuard({ ...flags, stateDir: settings.stateDir });
}
