import {
  projectFile,
  type ResolvedSettings,
  resolveSettings,
  settingsPath,
  unknownVariables,
} from "@holdfast/agent";
import { escapeText } from "@holdfast/core/text";
import { jsonLine } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { problemLine, reportedSources, reportProblems, valueAt } from "./sources.js";

/** A key that is set, as it is shown. */
interface SetKey {
  readonly key: string;
  readonly value: unknown;
  /** A file, `environment NAME`, or `default`. */
  readonly origin: string;
}

/**
 * `config list`: each key that is set, its value and where that comes from; what does not count, and why; keys and
 * variables that are none of ours.
 */
export async function listSettings(call: Invocation): Promise<number> {
  const { settings, terminal, flags } = call;
  const found = await resolved(call);
  if (typeof found === "number") return found;
  const { project, ignored, warnings } = found;
  const rows = keysOf(found).filter(({ origin }) => flags.project !== true || origin === project);
  const unknown = flags.project === true ? [] : unknownVariables(process.env);
  const lines = [...linesOf(rows, found), ...unknown];
  await terminal.out(
    settings.json
      ? jsonLine({ success: true, settings: rows, ignored, warnings, unknown })
      : lines.map((line) => `${escapeText(line)}\n`).join(""),
  );
  return exitCodes.success;
}

/** The same as lines, for a program that runs already. */
export async function settingLines(
  call: Invocation,
  sections?: readonly string[],
): Promise<readonly string[]> {
  const found = await resolved(call);
  if (typeof found === "number") return [];
  if (sections === undefined) return [...linesOf(keysOf(found), found), ...unknownVariables(process.env)];
  const isAsked = ({ key }: { readonly key: string }) => sections.includes(key.split(".")[0] ?? "");
  const ignored = found.ignored.filter(isAsked);
  // Of a list each member has a line: there are many, and each is read by itself.
  const rows = keysOf(found)
    .filter(isAsked)
    .flatMap(({ value, ...row }) =>
      Array.isArray(value) ? value.map((one: unknown) => ({ ...row, value: one })) : [{ ...row, value }],
    );
  return linesOf(rows, { ...found, ignored, warnings: [] });
}

function linesOf(rows: readonly SetKey[], { ignored, warnings }: Resolved): readonly string[] {
  const width = Math.max(0, ...rows.map(({ key }) => key.length));
  return [
    ...rows.map(({ key, value, origin }) => `${key.padEnd(width)}  ${JSON.stringify(value)}  (${origin})`),
    ...ignored.map(({ source, key, why }) => `ignored: ${key} in ${source}: ${why}`),
    ...(ignored.length > 0 ? ["To see and trust them: holdfast config trust"] : []),
    ...warnings.map(problemLine),
  ];
}

/** `config get KEY`: the value alone, text as it is, all else as JSON; nothing where it is not set. */
export async function getSetting(call: Invocation): Promise<number> {
  const { args, settings, terminal, misuse } = call;
  const [, key] = args;
  if (key === undefined) return misuse("which key? `holdfast config list` shows them");
  const path = settingsPath(key);
  if (path === undefined) return misuse(`there is no setting ${key}`);
  const found = await resolved(call);
  if (typeof found === "number") return found;
  const shown = withoutSecrets(valueAt(found.settings, path), path);
  const origin = found.origins[path.slice(0, 2).join(".")] ?? found.origins[path[0] ?? ""];
  if (settings.json) await terminal.out(jsonLine({ success: true, key, value: shown ?? null, origin }));
  else if (shown === undefined) terminal.err(`holdfast: ${escapeText(key)} is not set.\n`);
  else await terminal.out(`${escapeText(typeof shown === "string" ? shown : JSON.stringify(shown))}\n`);
  return exitCodes.success;
}

type Resolved = Extract<ResolvedSettings, { kind: "settings" }> & { readonly project: string };

/** @returns the exit code where there are no settings that hold; it has been said why. */
async function resolved(call: Invocation): Promise<Resolved | number> {
  const sources = await reportedSources(call);
  if (typeof sources === "number") return sources;
  const all = await resolveSettings(sources);
  if (all.kind === "problems") return reportProblems(call, all.problems);
  if (all.faults.length > 0) return reportProblems(call, all.faults);
  const project = projectFile(sources).path;
  const warnings = all.warnings.filter(({ source }) => call.flags.project !== true || source === project);
  return { ...all, warnings, project };
}

function keysOf({ settings, origins }: Resolved): readonly SetKey[] {
  return Object.entries(origins).map(([key, origin]) => {
    const path = key.split(".");
    return { key, value: withoutSecrets(valueAt(settings, path.slice(0, 2)), path), origin };
  });
}

/**
 * A value of the settings as it may be shown: keys, what headers and environments hold, passwords and queries of addresses
 * and what stands behind an option for a secret are left out.
 *
 * @param path the members that lead to the value.
 */
export function withoutSecrets(value: unknown, path: readonly string[]): unknown {
  if (typeof value === "string") return isSecret(path) ? hidden : withoutPassword(value);
  if (Array.isArray(value))
    return value.map((one, at) => (isBehindOption(value, at) ? hidden : withoutSecrets(one, path)));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner, [...path, name])]),
  );
}

const hidden = "(hidden)";

/** `model.providers.NAME.key` and `.headers.*`, `mcpServers.NAME.env.*` and `.headers.*`. */
function isSecret(path: readonly string[]): boolean {
  const [section, second] = path;
  const inside = section === "mcpServers" ? path.slice(2) : second === "providers" ? path.slice(3) : [];
  const [member] = inside;
  return member === "key" || ((member === "headers" || member === "env") && inside.length > 1);
}

/** An argument such as `me` in `--api-key me`. */
function isBehindOption(list: readonly unknown[], at: number): boolean {
  const option = list[at - 1];
  return typeof option === "string" && secretOption.test(option);
}

const secretOption = /^--?[\w-]*(key|token|secret|password|passwd|auth|credential)[\w-]*$/iu;

function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:\s]*):[^/@\s]*@/i, `$1:${hidden}@`)
    .replace(/^(https?:\/\/[^?#\s]*\?)[^#\s]+/i, `$1${hidden}`)
    .replace(/^(--?[\w-]*(?:key|token|secret|password|passwd|auth|credential)[\w-]*=).+$/isu, `$1${hidden}`);
}
