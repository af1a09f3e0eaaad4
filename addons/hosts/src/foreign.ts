/** @holdfast/hosts/foreign: what the files of other agents in a project say, as settings of our own agent. */
import { isObject } from "@holdfast/core/text";
import { hooksOf } from "./foreign/hooks.js";
import { rulesOf } from "./foreign/permissions.js";
import { serversOf } from "./foreign/servers.js";
import { memberAt, readSettings, textsOf } from "./rules/settings-text.js";

/** What files of other agents say, in the form of our settings. */
export interface ForeignSettings {
  /** They are held to the schema by whoever uses them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What is written there and is not used, as a person knows it. */
  readonly unused: readonly string[];
}

/** Where the files lie. */
interface ForeignPlace {
  /** The project's folder. */
  readonly folder: string;
  readonly home: string;
  /** What `${NAME}` stands for; left as it is written where there is none, as in what a person is shown. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The files, from the project's folder on, in the order in which they are read. */
export const foreignFiles = [".mcp.json", ".claude/settings.json", ".claude/settings.local.json"] as const;

/**
 * Reads them together: what one denies, no other allows. A file that is no JSON is named, and counts for nothing.
 *
 * @param texts of the files that are there, by their names in `foreignFiles`.
 */
export function foreignSettings(texts: ReadonlyMap<string, string>, place: ForeignPlace): ForeignSettings {
  const unused: string[] = [];
  const parsed = foreignFiles.flatMap((name) => {
    const text = texts.get(name);
    const settings = text === undefined ? undefined : objectIn(text);
    if (text !== undefined && settings === undefined) unused.push(`${name} (it is no JSON object)`);
    return settings === undefined ? [] : [{ name, settings }];
  });
  const claude = parsed.filter(({ name }) => name !== ".mcp.json").map(({ settings }) => settings);
  for (const { name, settings } of parsed)
    if (name !== ".mcp.json") unused.push(...unknownKeys(settings).map((key) => `${key} in ${name}`));
  const disabled = claude.flatMap((settings) => textsOf(memberAt(settings, "disabledMcpjsonServers")));
  const [mcp] = parsed.filter(({ name }) => name === ".mcp.json").map(({ settings }) => settings);
  const servers = serversOf(memberAt(mcp, "mcpServers"), disabled, place.environment);
  const rules = rulesOf(claude, place);
  const hooks = hooksOf(claude, place.folder);
  const fetched = claude.flatMap((settings) =>
    domainsIn(textsOf(memberAt(settings, "permissions", "allow"))),
  );
  const folders = claude.flatMap((settings) =>
    textsOf(memberAt(settings, "permissions", "additionalDirectories")),
  );
  const mode = claude.flatMap(
    (settings) => modes.get(String(memberAt(settings, "permissions", "defaultMode"))) ?? [],
  );
  return {
    settings: {
      ...section("approval", { mode: mode.at(-1), rules: filled(rules.rules) }),
      ...section("fetch", { allowedHosts: filled(fetched) }),
      ...section("files", { include: filled(folders) }),
      ...section("hooks", {
        beforeTool: filled(hooks.beforeTool),
        afterTool: filled(hooks.afterTool),
        turnEnd: filled(hooks.turnEnd),
      }),
      ...(Object.keys(servers.servers).length > 0 && { mcpServers: servers.servers }),
    },
    unused: [...unused, ...servers.unused, ...rules.unused, ...hooks.unused],
  };
}

/** All that Claude Code would not ask about a project may not ask about: it is a person's to say. */
const modes: ReadonlyMap<string, string> = new Map([
  ["plan", "plan"],
  ["default", "ask"],
  ["acceptEdits", "auto-edit"],
]);

/** The keys that mean something here. What only dresses Claude Code's own screen is nobody's loss. */
const known: ReadonlySet<string> = new Set(
  (
    "$schema permissions hooks disabledMcpjsonServers enabledMcpjsonServers enableAllProjectMcpServers " +
    "includeCoAuthoredBy cleanupPeriodDays spinnerTipsEnabled outputStyle statusLine attribution"
  ).split(" "),
);

function unknownKeys(settings: object): readonly string[] {
  return Object.keys(settings).filter((key) => !known.has(key));
}

function objectIn(text: string): object | undefined {
  try {
    const value = readSettings(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function domainsIn(rules: readonly string[]): readonly string[] {
  return rules.flatMap((rule) => /^WebFetch\(domain:([\w.-]+)\)$/.exec(rule)?.[1] ?? []);
}

function filled<Value>(list: readonly Value[]): readonly Value[] | undefined {
  return list.length === 0 ? undefined : list;
}

function section(name: string, members: Readonly<Record<string, unknown>>) {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { [name]: Object.fromEntries(given) };
}
