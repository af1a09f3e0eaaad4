import { TrustedFolders } from "@holdfast/agent";
import type { TalkTerminal } from "@holdfast/agent/ui";
import { isRefusal } from "@holdfast/core/files";
import { escapeText } from "@holdfast/core/text";
import { sourcesOf } from "../config/sources.js";
import { trustOffer } from "../config/trust.js";
import type { Invocation } from "../shell/invocation.js";

/**
 * Asks a person whether they trust the folder, once for its settings as they are, and shows what that would switch on. Where
 * it would switch on nothing, or the settings are faulty, nobody is asked.
 */
export async function askTrust(
  call: Invocation,
  lines: Pick<TalkTerminal, "terminal" | "answer">,
): Promise<void> {
  const found = sourcesOf(call);
  if (isRefusal(found)) return;
  const { folder, stateDir } = found;
  const offer = await trustOffer(found);
  if (offer.kind === "problems" || offer.lines.length === 0) return;
  const folders = new TrustedFolders(stateDir);
  if ((await folders.answer(folder, offer.bytes)) !== undefined) return;
  const shown = [`You have not said yet whether you trust ${folder}. If you do:`, ...offer.lines];
  await lines.terminal.out(shown.map((line) => `${escapeText(line)}\n`).join(""));
  const said = await lines.answer("Trust this folder? [y/N] ");
  if (said === undefined) return;
  const isYes = /^y(es)?$/i.test(said.trim());
  await folders.trust(folder, offer.bytes, isYes ? "trusted" : "declined").catch(() => {});
  const words = isYes
    ? "is trusted with these settings"
    : "is not trusted. To trust it later: holdfast config trust";
  await lines.terminal.out(`${escapeText(folder)} ${words}.\n`);
}
