import { statSync } from "node:fs";
import {
  type AgentSettings,
  checkFile,
  type IgnoredKey,
  projectFile,
  readSettings,
  type SettingsSources,
  TrustedFolders,
  wideningSettings,
} from "@holdfast/agent";
import { answer, jsonLine } from "../answers/one-answer.js";
import { consents } from "../shell/ask-person.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { escapeText } from "../shell/terminal.js";
import { reportProblems, sourcesOf, valueAt } from "./sources.js";

/**
 * `config trust [PATH]`: shows what the settings of a project widen, and trusts them where a person says yes. What is
 * trusted are the very bytes that were shown: a file that changes meanwhile is not.
 */
export async function trustFolder(call: Invocation, path: string | undefined): Promise<number> {
  const sources = await folderSources(call, path);
  if (typeof sources === "number") return sources;
  const file = projectFile(sources);
  const read = readSettings(file.path, false);
  const problem = (message: string) => reportProblems(call, [{ source: file.path, key: "", message }]);
  if (read.kind === "unreadable") return problem(read.why);
  const { text, bytes } = read.kind === "absent" ? { text: "{}", bytes: new Uint8Array() } : read;
  const checked = await checkFile(file, text);
  if (checked.kind === "problems") return reportProblems(call, checked.problems);
  const widened = await wideningSettings(sources, checked.settings);
  if (!call.settings.json) await show(call, file.path, widened, checked.settings);
  const trusted =
    call.flags.yes === true || (!call.settings.json && (await consents("Trust these settings? [y/N] ")));
  if (trusted) await new TrustedFolders(sources.stateDir).trust(sources.folder, bytes);
  await report(call, { folder: sources.folder, trusted, widened });
  return exitCodes.success;
}

/** `config untrust [PATH]`: what the project's settings would widen counts no more. */
export async function untrustFolder(call: Invocation, path: string | undefined): Promise<number> {
  const sources = await folderSources(call, path);
  if (typeof sources === "number") return sources;
  const { folder, stateDir } = sources;
  await new TrustedFolders(stateDir).untrust(folder);
  return answer(call, { success: true, folder, trusted: false }, `${escapeText(folder)} is not trusted.`);
}

async function folderSources(call: Invocation, path: string | undefined): Promise<SettingsSources | number> {
  const found = sourcesOf(call, path);
  if (found.kind === "no_state")
    return reportProblems(call, [{ source: "state folder", key: "", message: found.message }]);
  const { folder } = found.sources;
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? found.sources : call.misuse(`${folder} is no folder`);
}

/** The values are shown whole: whoever trusts a program should see how it is started. */
async function show(
  { terminal }: Invocation,
  file: string,
  widened: readonly IgnoredKey[],
  settings: AgentSettings,
): Promise<void> {
  const lines =
    widened.length === 0
      ? [`${file} widens nothing.`]
      : [
          `${file} widens:`,
          ...widened.map(
            ({ key, why }) => `  ${key} = ${JSON.stringify(valueAt(settings, key.split(".")))}: ${why}`,
          ),
        ];
  await terminal.out(lines.map((line) => `${escapeText(line)}\n`).join(""));
}

async function report(
  { settings, terminal }: Invocation,
  done: { readonly folder: string; readonly trusted: boolean; readonly widened: readonly IgnoredKey[] },
): Promise<void> {
  if (settings.json) await terminal.out(jsonLine({ success: true, ...done }));
  else if (done.trusted) await terminal.out(`${escapeText(done.folder)} is trusted with these settings.\n`);
  else terminal.err("Nothing was trusted. To trust these settings: --yes\n");
}
