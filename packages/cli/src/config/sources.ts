import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  agentExitCodes,
  type ForeignReader,
  type SettingsProblem,
  type SettingsSources,
} from "@holdfast/agent";
import { isRefusal, type Refusal } from "@holdfast/core/files/values";
import { homeFolder, stateFolderPath } from "@holdfast/core/node";
import { defined, escapeText } from "@holdfast/core/text";
import { loadAddon } from "../addons.js";
import { jsonLine } from "../answers/one-answer.js";
import type { Invocation } from "../shell/invocation.js";

/**
 * Where the settings of this call are. Without a state folder there is no place for trust, and so no settings.
 *
 * @param folder the project; the first root unless given.
 */
export function sourcesOf({ settings }: Invocation, folder?: string): SettingsSources | Refusal {
  const stateDir = stateFolderPath(settings.stateDir);
  if (typeof stateDir !== "string") return stateDir;
  const [root = process.cwd()] = settings.roots;
  const project = resolve(folder ?? root);
  return { folder: project, home: homeFolder(), stateDir, environment: process.env };
}

/**
 * The same with files of other agents in the project, where it has any and this build can read them.
 *
 * @param environment what variables in them stand for; they stay as they are written without one.
 */
export async function withForeign(
  sources: SettingsSources,
  environment?: SettingsSources["environment"],
): Promise<SettingsSources> {
  const { folder, home } = sources;
  if (![".mcp.json", ".claude"].some((name) => existsSync(join(folder, name)))) return sources;
  const addon = await loadAddon("hosts/foreign");
  if (addon === undefined) return sources;
  const place = { folder, home, ...defined({ environment }) };
  const read: ForeignReader["read"] = (texts) => addon.foreignSettings(texts, place);
  return { ...sources, foreign: { files: addon.foreignFiles, read } };
}

/** The same for a command on settings. @returns the exit code where there are none; it has been said why. */
export async function reportedSources(call: Invocation, folder?: string): Promise<SettingsSources | number> {
  const found = sourcesOf(call, folder);
  return isRefusal(found)
    ? reportProblems(call, [{ source: "state folder", key: "", message: found.message }])
    : await withForeign(found, found.environment);
}

/** What settings have at a path; nothing where a member on the way is missing. */
export function valueAt(settings: object, path: readonly string[]): unknown {
  let value: unknown = settings;
  for (const name of path)
    value = Object.entries(Object(value) as object).find(([known]) => known === name)?.[1];
  return value;
}

/** A problem in one line: where it stands, the key, and what is wrong. */
export function problemLine({ source, key, message, ...place }: SettingsProblem): string {
  const { line, column } = { line: undefined, column: undefined, ...place };
  const at = line === undefined ? source : `${source}:${line}:${column ?? 1}`;
  return `${at}: ${key === "" ? "" : `${key}: `}${message}`;
}

/** Prints what is wrong with settings. @returns the exit code. */
export async function reportProblems(
  { settings, terminal }: Invocation,
  problems: readonly SettingsProblem[],
): Promise<number> {
  if (settings.json) await terminal.out(jsonLine({ success: false, problems }));
  else for (const problem of problems) terminal.err(`holdfast: ${escapeText(problemLine(problem))}\n`);
  return agentExitCodes.config;
}
