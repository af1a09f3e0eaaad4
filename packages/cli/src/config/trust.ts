import { existsSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type IgnoredKey,
  projectFile,
  projectSettings,
  promptPlaces,
  resolveSettings,
  type SettingsProblem,
  type SettingsSources,
  TrustedFolders,
  wideningSettings,
} from "@holdfast/agent";
import { foldersOfRepository, onlyTracked } from "@holdfast/agent/host";
import { consents, type TalkTerminal } from "@holdfast/agent/ui";
import { isRefusal } from "@holdfast/core/files/values";
import { escapeText } from "@holdfast/core/text";
import { answer, jsonLine } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { problemLine, reportedSources, reportProblems, sourcesOf, valueAt, withForeign } from "./sources.js";

/**
 * `config trust [PATH]`: shows what trust in a project switches on, and trusts it where a person says yes. What is trusted
 * are the very bytes of its settings that were shown: a file that changes meanwhile is not.
 */
export async function trustFolder(call: Invocation): Promise<number> {
  const sources = await folderSources(call);
  if (typeof sources === "number") return sources;
  const offer = await trustOffer(sources);
  if (offer.kind === "problems") return reportProblems(call, offer.problems);
  const { widened, bytes, lines } = offer;
  const nothing = widened.length === 0 ? [`${projectFile(sources).path} widens nothing.`] : [];
  if (!call.settings.json)
    await call.terminal.out([...nothing, ...lines].map((line) => `${escapeText(line)}\n`).join(""));
  const trusted =
    call.flags.yes === true || (!call.settings.json && (await consents("Trust these settings? [y/N] ")));
  if (trusted) await new TrustedFolders(sources.stateDir).trust(sources.folder, bytes);
  await report(call, { folder: sources.folder, trusted, widened });
  return exitCodes.success;
}

/** What trust in a folder switches on. */
interface TrustOffer {
  readonly kind: "offer";
  /** The settings that are meant. */
  readonly bytes: Uint8Array;
  readonly widened: readonly IgnoredKey[];
  /** All of it, for a person, values whole: whoever trusts a program should see how it is started. None: nothing. */
  readonly lines: readonly string[];
}

/** Looks for all that trust in the folder would switch on. */
async function trustOffer(
  sources: SettingsSources,
): Promise<TrustOffer | { readonly kind: "problems"; readonly problems: readonly SettingsProblem[] }> {
  const { own, foreign, bytes } = await projectSettings(await withForeign(sources));
  const { problems } = own;
  if (problems.length > 0 || bytes === undefined) return { kind: "problems", problems };
  const { folder } = sources;
  const widened: IgnoredKey[] = [];
  const shown: string[] = [];
  for (const { source, settings } of [foreign, own]) {
    const keys = await wideningSettings(sources, settings);
    widened.push(...keys);
    if (keys.length > 0) shown.push(`${source} widens:`);
    for (const { key, why } of keys)
      shown.push(`  ${key} = ${JSON.stringify(valueAt(settings, key.split(".")))}: ${why}`);
  }
  const prompts = promptPlaces(folder).map(([, path]) => relative(folder, path));
  const lines = [
    ...shown,
    ...listLine(
      "Its commands and skills count",
      prompts.filter((name) => existsSync(join(folder, name))),
    ),
    ...listLine("The model reads as instructions", await untrackedInstructions(sources)),
  ];
  return { kind: "offer", bytes, widened, lines };
}

function listLine(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];
}

/** The instructions that count only where their folder is trusted. */
async function untrackedInstructions(sources: SettingsSources): Promise<readonly string[]> {
  const resolved = await resolveSettings(sources);
  const names = resolved.kind === "settings" ? (resolved.settings.instructions?.files ?? []) : [];
  const folders = foldersOfRepository(sources.folder);
  const whyNot = onlyTracked(folders[0] ?? sources.folder);
  const found: string[] = [];
  for (const path of folders.flatMap((folder) => names.map((name) => join(folder, name))))
    if ((await whyNot(path)) !== undefined) found.push(relative(sources.folder, path));
  return found;
}

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
  const said = await lines.answer("Trust this folder? [y]es, [n]o: ");
  if (said === undefined) return;
  const isYes = /^y(es)?$/i.test(said.trim());
  await folders.trust(folder, offer.bytes, isYes ? "trusted" : "declined").catch(() => {});
  const words = isYes
    ? "is trusted with these settings"
    : "is not trusted. To trust it later: holdfast config trust";
  await lines.terminal.out(`${escapeText(folder)} ${words}.\n`);
}

/** The same for a person who works in the folder: how trust stands, and what it switches on; or their answer, kept. */
export async function trustLines(call: Invocation, said?: "yes" | "no"): Promise<readonly string[]> {
  const found = sourcesOf(call);
  if (isRefusal(found)) return [found.message];
  const { folder, stateDir } = found;
  const offer = await trustOffer(found);
  if (offer.kind === "problems")
    return ["The project's settings are faulty.", ...offer.problems.map(problemLine)];
  const folders = new TrustedFolders(stateDir);
  if (said === "yes") await folders.trust(folder, offer.bytes);
  if (said === "no") await folders.untrust(folder);
  const isTrusted = await folders.isTrusted(folder, offer.bytes);
  const from = said === undefined ? "" : " That counts from the next session on: /clear begins one.";
  const nothing = offer.lines.length === 0 ? ["It has nothing that trust would switch on."] : offer.lines;
  return [`${folder} is ${isTrusted ? "" : "not "}trusted as it is now.${from}`, ...nothing];
}

/** `config untrust [PATH]`: what the project's settings would widen counts no more. */
export async function untrustFolder(call: Invocation): Promise<number> {
  const sources = await folderSources(call);
  if (typeof sources === "number") return sources;
  const { folder, stateDir } = sources;
  await new TrustedFolders(stateDir).untrust(folder);
  return answer(call, { success: true, folder, trusted: false }, `${escapeText(folder)} is not trusted.`);
}

async function folderSources(call: Invocation): Promise<SettingsSources | number> {
  const sources = await reportedSources(call, call.args[1]);
  if (typeof sources === "number") return sources;
  const { folder } = sources;
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? sources : call.misuse(`${folder} is no folder`);
}

async function report(
  { settings, terminal }: Invocation,
  done: { readonly folder: string; readonly trusted: boolean; readonly widened: readonly IgnoredKey[] },
): Promise<void> {
  if (settings.json) await terminal.out(jsonLine({ success: true, ...done }));
  else if (done.trusted) await terminal.out(`${escapeText(done.folder)} is trusted with these settings.\n`);
  else terminal.err("Nothing was trusted. To trust these settings: --yes\n");
}
