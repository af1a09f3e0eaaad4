import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readForeignText } from "@holdfast/core/node";
import { nearestName } from "@holdfast/core/tools";
import {
  type CheckedSettings,
  checkText,
  checkValue,
  faulty,
  type SettingsProblem,
} from "./check-settings.js";
import { type PersonPlace, userFolder } from "./credentials.js";
import { removedKeys, removedWords } from "./removed-keys.js";
import { type AgentSettings, defaultSettings } from "./schema.js";
import { TrustedFolders, trustClassOf } from "./trusted-folders.js";

/** Where settings are looked for. */
export interface SettingsSources extends PersonPlace {
  /** The project's folder. */
  readonly folder: string;
  /** The person's state folder, in which trust is kept. */
  readonly stateDir: string;
  /** What the command line sets, in the form of settings. */
  readonly flags?: AgentSettings;
  /** Reads files of other agents in the project; nothing counts of them where nobody does. */
  readonly foreign?: ForeignReader;
}

/** What files of other agents in a project say, as settings that are not checked yet. */
export interface ForeignReader {
  /** From the project's folder on. */
  readonly files: readonly string[];
  /** @param texts of those that are there. @returns `unused`: what is written there and says nothing here. */
  readonly read: (texts: ReadonlyMap<string, string>) => {
    readonly settings: Readonly<Record<string, unknown>>;
    readonly unused: readonly string[];
  };
}

/** A key of project settings that does not count, because its folder is not trusted. */
export interface IgnoredKey {
  readonly source: string;
  readonly key: string;
  readonly why: string;
}

/** The settings that hold, or everything that is wrong with any source. */
export type ResolvedSettings =
  | {
      readonly kind: "settings";
      readonly settings: AgentSettings;
      /** The source that had the last word on each key; of lists and tables that are joined, the last that added. */
      readonly origins: Readonly<Record<string, string>>;
      readonly ignored: readonly IgnoredKey[];
      /** What is wrong with the project's file, where its folder is not trusted: then nothing of it counts. */
      readonly faults: readonly SettingsProblem[];
      /** Keys that are no settings any more, of all sources. */
      readonly warnings: readonly SettingsProblem[];
      /** Whether a person trusts the folder as it is: only then do its own commands and skills count. */
      readonly isTrusted: boolean;
      /** What files of other agents say that is not used. */
      readonly unused: readonly string[];
    }
  | { readonly kind: "problems"; readonly problems: readonly SettingsProblem[] };

/**
 * Reads all sources: defaults, the person's file, the project's file, the environment, flags; the later one wins.
 * Until a folder is trusted, what its settings would widen is ignored and told, and a fault in them ends nothing. Problems are
 * told all at once.
 */
export async function resolveSettings(sources: SettingsSources): Promise<ResolvedSettings> {
  const user = await fileLayer(userFile(sources));
  const { own: project, foreign, bytes, unused } = await projectSettings(sources);
  const later = [...fromEnvironment(sources.environment), checkValue("flags", sources.flags ?? {})];
  const trusted = new TrustedFolders(sources.stateDir);
  const isTrusted = bytes !== undefined && (await trusted.isTrusted(sources.folder, bytes));
  const faults = isTrusted ? [] : project.problems;
  const counting = isTrusted ? [user, project, ...later] : [user, ...later];
  const problems = counting.flatMap((layer) => layer.problems);
  if (problems.length > 0) return { kind: "problems", problems: [...problems, ...faults] };
  const joined = new Joined(user);
  const whose = isTrusted ? "trusted" : "untrusted";
  const ignored = [foreign, project].flatMap(({ source, settings }) => joined.add(source, settings, whose));
  for (const { source, settings } of later) joined.add(source, settings);
  const warnings = [user, project, ...later].flatMap((layer) => layer.warnings);
  return { kind: "settings", ...joined.result(), ignored, faults, warnings, isTrusted, unused };
}

/** All that a project says of settings: its own file, and files of other agents, over which its own one stands. */
export async function projectSettings(sources: SettingsSources): Promise<{
  readonly own: CheckedSettings;
  readonly foreign: CheckedSettings;
  /** What a person trusts; undefined where the project's own file cannot be read. */
  readonly bytes: Uint8Array | undefined;
  readonly unused: readonly string[];
}> {
  const own = await fileLayer(projectFile(sources));
  const { texts, bytes, unused } = foreignTexts(sources);
  const read = texts.size === 0 ? undefined : sources.foreign?.read(texts);
  const source = [...texts.keys()].join(", ");
  const checked = checkValue(source, read?.settings ?? {});
  const faults = checked.problems.map(({ key, message }) => `${key} in ${source} (${message})`);
  return {
    own,
    foreign: { ...checked, settings: fromFolder(checked.settings, sources.folder) },
    bytes: own.bytes && Buffer.concat([own.bytes, ...bytes]),
    unused: [...unused, ...(read?.unused ?? []), ...faults],
  };
}

/** Files of other agents as they are there; none of them may be a link. */
function foreignTexts({ folder, foreign }: SettingsSources) {
  const texts = new Map<string, string>();
  const bytes: Uint8Array[] = [];
  const unused: string[] = [];
  for (const name of foreign?.files ?? []) {
    const read = readForeignText(join(folder, name), { limitBytes: settingsLimitBytes, below: folder });
    if (read.kind === "unreadable") unused.push(`${name} (${read.why})`);
    if (read.kind !== "read") continue;
    texts.set(name, read.text);
    bytes.push(Buffer.from(`\0${name}\0`), read.bytes);
  }
  return { texts, bytes, unused };
}

/** A file of settings, and what is allowed in it. */
export interface SettingsFile {
  readonly path: string;
  /** The person's own: it may be a link, and hold keys. */
  readonly isOwn: boolean;
  /** The folder from which its relative folders count. */
  readonly folder: string;
}

/** The person's own file. */
export function userFile(sources: PersonPlace): SettingsFile {
  const folder = userFolder(sources);
  return { path: settingsIn(folder), isOwn: true, folder };
}

/** The file that a project shares; what is relative in it counts from the project's folder. */
export function projectFile({ folder }: Pick<SettingsSources, "folder">): SettingsFile {
  return { path: settingsIn(join(folder, ".holdfast")), isOwn: false, folder };
}

/** Either name counts, with or without comments; of two files `settings.jsonc`. */
function settingsIn(folder: string): string {
  const [usual, other] = [join(folder, "settings.jsonc"), join(folder, "settings.json")];
  return existsSync(other) && !existsSync(usual) ? other : usual;
}

/** Bytes of a settings file, at most. */
export const settingsLimitBytes = 256 * 1024;

/** Reads a file of settings. A person's own is often a link; in a project neither the file nor its folder may be one. */
export function readSettings({
  path,
  isOwn,
}: Pick<SettingsFile, "path" | "isOwn">): ReturnType<typeof readForeignText> {
  const access = isOwn ? ({ links: "followed" } as const) : { below: dirname(dirname(path)) };
  return readForeignText(path, { limitBytes: settingsLimitBytes, ...access });
}

/** Checks what stands, or is to stand, in a settings file. */
export async function checkFile({ path, isOwn }: SettingsFile, text: string): Promise<CheckedSettings> {
  const checked = await checkText(path, text);
  if (isOwn) return checked;
  const problems = keysIn(checked.settings).map(([key, message]) => ({ source: path, key, message }));
  return problems.length === 0 ? checked : faulty(path, problems);
}

/** What settings of a project would widen beyond defaults and the person's own: all that trust would let through. */
export async function wideningSettings(
  sources: PersonPlace,
  project: AgentSettings,
): Promise<readonly IgnoredKey[]> {
  const joined = new Joined(await fileLayer(userFile(sources)));
  return joined.add("project", project, "untrusted");
}

interface FileLayer extends CheckedSettings {
  /** The file as it was read: none where there is none; undefined where it cannot be read. */
  readonly bytes?: Uint8Array;
}

async function fileLayer(file: SettingsFile): Promise<FileLayer> {
  const { path: source, folder } = file;
  const read = readSettings(file);
  if (read.kind === "unreadable") return faulty(source, [{ source, key: "", message: read.why }]);
  const { text, bytes } = read.kind === "absent" ? { text: "", bytes: new Uint8Array() } : read;
  const checked = await checkFile(file, text);
  const other = source.replace(/c$/, "");
  const isTwo = other !== source && existsSync(other);
  const message = "it does not count, since settings.jsonc stands beside it";
  const warnings = [...checked.warnings, ...(isTwo ? [{ source: other, key: "", message }] : [])];
  return { ...checked, warnings, settings: fromFolder(checked.settings, folder), bytes };
}

/** Relative folders count from where they are said, wherever the program was started. */
function fromFolder(settings: AgentSettings, folder: string): AgentSettings {
  const { files, sessions } = settings;
  const { include } = files ?? {};
  const { store } = sessions ?? {};
  return {
    ...settings,
    ...(include && { files: { ...files, include: include.map((dir) => resolve(folder, dir)) } }),
    ...(store && { sessions: { ...sessions, store: isAddress(store) ? store : resolve(folder, store) } }),
  };
}

function isAddress(store: string): boolean {
  return /^postgres(ql)?:\/\//.test(store);
}

/** A project is shared: a key in it is as good as published, trusted or not. */
function keysIn(settings: AgentSettings): readonly (readonly [key: string, message: string])[] {
  return Object.entries(settings.model?.providers ?? {}).flatMap(([name, { key }]) =>
    key === undefined
      ? []
      : [[`model.providers.${name}.key`, "a key may stand in your own settings only"] as const],
  );
}

/** Lists and tables of which a later source takes nothing away. */
const joins = [
  "approval.rules",
  "tools.excluded",
  "model.providers",
  "model.overrides",
  "mcpServers",
  "context.ratios",
  "hooks.beforeTool",
  "hooks.afterTool",
  "hooks.turnEnd",
];

/** The sources put over each other, key by key. */
class Joined {
  readonly #values = new Map<string, unknown>();
  readonly #origins = new Map<string, string>();

  /** What holds before a project says anything. */
  constructor({ source, settings }: CheckedSettings) {
    this.add("default", defaultSettings);
    this.add(source, settings);
  }

  /** @param whose the person's own, or a project's. @returns what was left out, of a project. */
  add(
    source: string,
    settings: AgentSettings,
    whose: "own" | "trusted" | "untrusted" = "own",
  ): readonly IgnoredKey[] {
    const ignored: IgnoredKey[] = [];
    for (const [key, value] of leavesOf(settings)) {
      const name = key.join(".");
      const below = this.#values.get(name);
      const trust = trustClassOf(key);
      const widens = trust.widens === "always" || (trust.widens === "when" && trust.test(value, below));
      if (whose !== "own" && (trust.widens === "own" || (whose === "untrusted" && widens))) {
        ignored.push({ source, key: name, why: trust.why });
        // What denies only narrows.
        const denials = name === "approval.rules" ? denialsIn(value) : [];
        if (denials.length === 0) continue;
        this.#values.set(name, together(denials, below));
        this.#origins.set(name, source);
        continue;
      }
      this.#values.set(name, joins.includes(name) ? together(value, below) : value);
      this.#origins.set(name, source);
    }
    return ignored;
  }

  result(): Pick<Extract<ResolvedSettings, { kind: "settings" }>, "settings" | "origins"> {
    const settings: Record<string, unknown> = {};
    for (const [name, value] of this.#values) {
      const [section = "", key] = name.split(".");
      const inner = key === undefined ? Object(value) : { [key]: value };
      settings[section] = name === "$schema" ? value : { ...Object(settings[section]), ...inner };
    }
    return {
      // A cast: each source held to the schema, and joining keeps the form of each key. Only lists grow beyond its
      // limits, which are those of one source: a project's denials must not keep the agent from starting.
      settings: settings as AgentSettings,
      origins: Object.fromEntries(this.#origins),
    };
  }
}

function denialsIn(rules: unknown): readonly unknown[] {
  return Array.isArray(rules) ? rules.filter((one) => Object(one).decision === "deny") : [];
}

/** The person's own rules come first, as the first that fits decides: no project, trusted or not, overrules them. */
function together(value: unknown, below: unknown): unknown {
  if (Array.isArray(value)) return Array.isArray(below) ? [...below, ...value] : value;
  return { ...Object(below), ...Object(value) };
}

function leavesOf(settings: AgentSettings): readonly (readonly [key: readonly string[], value: unknown])[] {
  return Object.entries(settings).flatMap(([section, inner]): (readonly [readonly string[], unknown])[] => {
    if (inner === undefined) return [];
    if (section === "$schema" || section === "mcpServers") return [[[section], inner]];
    return Object.entries(inner).flatMap(([key, value]) =>
      value === undefined ? [] : [[[section, key], value] as const],
    );
  });
}

/** An environment variable that sets a key. */
interface SettingsVariable {
  readonly name: string;
  readonly key: readonly [section: string, name: string];
  readonly reads: "text" | "number" | "boolean";
}

/** The variables of the environment that are settings. An empty one says nothing. */
export const settingsVariables: readonly SettingsVariable[] = [
  { name: "HOLDFAST_MODEL", key: ["model", "name"], reads: "text" },
  { name: "HOLDFAST_EFFORT", key: ["model", "effort"], reads: "text" },
  { name: "HOLDFAST_APPROVAL_MODE", key: ["approval", "mode"], reads: "text" },
  { name: "HOLDFAST_ON_MISMATCH", key: ["tools", "onMismatch"], reads: "text" },
  { name: "HOLDFAST_SHELL", key: ["shell", "enabled"], reads: "boolean" },
  { name: "HOLDFAST_SANDBOX", key: ["shell", "sandbox"], reads: "text" },
  { name: "HOLDFAST_MAX_TURNS", key: ["limits", "maxTurns"], reads: "number" },
  { name: "HOLDFAST_MAX_COST_USD", key: ["limits", "maxCostUsd"], reads: "number" },
  { name: "HOLDFAST_STORE", key: ["sessions", "store"], reads: "text" },
  { name: "HOLDFAST_TENANT", key: ["sessions", "tenant"], reads: "text" },
];

/** The other variables of the programs, which are no settings. */
const otherVariables = ["HOLDFAST_HOME", "HOLDFAST_STATE_DIR", "HOLDFAST_DEBUG", "HOLDFAST_COMMAND"];

/**
 * Variables that are written like ours and are none, a sentence each: most are slips, and a slip would go by unseen.
 */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const known = [...settingsVariables.map(({ name }) => name), ...otherVariables];
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith("HOLDFAST_") && !known.includes(name) && !Object.hasOwn(removedKeys, name),
    )
    .map((name) => {
      const near = nearestName(name, known);
      return `The variable ${name} means nothing here${near === undefined ? "" : `; did you mean ${near}?`}`;
    });
}

/** What the environment sets, each variable as a source of its own; a source of warnings are those that are none any more. */
function fromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): readonly CheckedSettings[] {
  const set = settingsVariables.flatMap(({ name, key: [section, key], reads }) => {
    const text = environment[name] ?? "";
    if (text === "") return [];
    return [checkValue(`environment ${name}`, { [section]: { [key]: readValue(text, reads) } })];
  });
  const source = "environment";
  const warnings = Object.keys(removedKeys)
    .filter((name) => (environment[name] ?? "") !== "")
    .map((name) => ({ source, key: name, message: removedWords(name) }));
  return [...set, { source, settings: {}, problems: [], warnings }];
}

/** What is no such value stays text, which the schema then refuses in its own words. */
function readValue(text: string, reads: SettingsVariable["reads"]): unknown {
  switch (reads) {
    case "text":
      return text;
    case "number":
      return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
    default:
      return reads satisfies never;
  }
}
