import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { HostRule } from "@holdfast/core/files";
import { homeFolder } from "@holdfast/core/node";
import { type ClientName, movedHomes } from "../setup/clients.js";
import {
  codexRules,
  continueLists,
  foldersAbove,
  geminiPolicies,
  geminiRules,
  opencodeRules,
  zedRules,
} from "./other-rules.js";
import { type Carried, ignoreFileRules, permissionRules, type RulePlace } from "./permission-rules.js";
import { readSettings } from "./settings-text.js";

/** The rules of a host, as they stand now. */
export interface HostRules {
  readonly rules: readonly HostRule[];
  /** Rules about files that do not count for our tools, each with the reason. */
  readonly left: readonly string[];
  /** Nothing may be written at all. */
  readonly readOnly: boolean;
}

/**
 * Reads what a person has denied to the file tools of a client, from the client's own settings: those of the person, and
 * those of each project. A file that cannot be read denies everything: nobody can say what it was to protect.
 *
 * @param roots the folders in which the agent works.
 * @returns what the rules are at each moment: a change of the settings counts within a fifth of a second.
 */
export async function openHostRules(client: ClientName, roots: readonly string[]): Promise<() => HostRules> {
  // One client has settings in TOML, another rules: the rest are spared its library.
  const usesToml = client === "codex" || client === "gemini";
  const { parse } = usesToml ? await import("@decimalturn/toml-patch") : { parse: readSettings };
  let known: { readonly stamp: string; readonly rules: HostRules } | undefined;
  let checkedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (known !== undefined && performance.now() - checkedMs < freshMs) return known.rules;
    checkedMs = performance.now();
    const sources = sourcesOf(
      client,
      roots.map((root) => resolve(root)),
      parse,
    );
    const stamp = sources.map(({ file }) => stampOf(file)).join();
    if (known?.stamp !== stamp) known = { stamp, rules: rulesOf(sources.flatMap(carriedFrom)) };
    return known.rules;
  };
}

const freshMs = 200;

/** One file of settings. */
interface Source {
  readonly file: string;
  readonly place: RulePlace;
  /** Throws for a text that it cannot read. */
  readonly read: (text: string, place: RulePlace) => readonly Carried[];
}

function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
}

function carriedFrom({ file, place, read }: Source): readonly Carried[] {
  try {
    return existsSync(file) ? read(readFileSync(file, "utf8"), place) : [];
  } catch {
    const shown = `${place.shown} cannot be read, so that nobody knows what it denies`;
    return [{ kind: "rule", denies: "reading", shown, everything: true, matches: () => true }];
  }
}

function rulesOf(carried: readonly Carried[]): HostRules {
  const rules = carried.filter((one) => one.kind === "rule");
  const left = carried.flatMap((one) => (one.kind === "left" ? [`${one.shown} (${one.why})`] : []));
  return {
    rules,
    left,
    readOnly: rules.some(({ denies, everything }) => everything && denies === "writing"),
  };
}

type Parse = (text: string) => unknown;
type Read = Source["read"];

/** Where the settings of a client may be, for some roots. */
interface Places {
  readonly home: string;
  /** The client's own folder. */
  readonly own: string;
  /** @param base the folder from which the paths of the rules count; the file's unless given. */
  at(file: string, read: Read, base?: string): Source;
  /** These names in each project, and in the folders above it up to its repository. */
  inProjects(names: readonly string[], read: Read): readonly Source[];
}

function sourcesOf(client: ClientName, roots: readonly string[], parseToml: Parse): readonly Source[] {
  const home = homeFolder();
  const { folder = "", variable = "" } = movedHomes[client] ?? {};
  const moved = process.env[variable] ?? "";
  const at = (file: string, read: Read, base = dirname(file)): Source => {
    const near = roots.map((root) => relative(root, file)).find((path) => !path.startsWith(".."));
    const shown = near ?? (file.startsWith(`${home}/`) ? `~/${relative(home, file)}` : file);
    return { file, read, place: { shown, roots, folder: base, home } };
  };
  const projects = [...new Set(roots.flatMap((root) => foldersAbove(root, isProjectEnd)))];
  const inProjects = (names: readonly string[], read: Read) =>
    projects.flatMap((project) => names.map((name) => at(join(project, name), read, project)));
  const own = moved === "" ? join(home, folder) : resolve(moved);
  return sources[client]({ home, own, at, inProjects }, parseToml);
}

type ReadSettings = (settings: unknown, place: RulePlace) => readonly Carried[];

function json(read: ReadSettings): Read {
  return (text, place) => read(readSettings(text), place);
}

/** Where each client looks for its settings, and how it writes down what is denied. */
const sources: {
  readonly [Name in ClientName]: (on: Places, parseToml: Parse) => readonly Source[];
} = {
  claude: (on) => [
    ...managedFiles().map((file) => on.at(file, json(permissionRules))),
    on.at(join(on.own, "settings.json"), json(permissionRules)),
    ...on.inProjects([".claude/settings.json", ".claude/settings.local.json"], json(permissionRules)),
  ],
  qwen: (on) => [
    ...[join(on.own, "settings.json"), "/etc/qwen-code/settings.json"].map((file) =>
      on.at(file, json(qwenRules)),
    ),
    ...on.inProjects([".qwen/settings.json"], json(qwenRules)),
    ...on.inProjects([".qwenignore"], ignoreFileRules),
  ],
  gemini: (on, parseToml) => [
    ...[join(on.home, ".gemini/settings.json"), "/etc/gemini-cli/settings.json"].map((file) =>
      on.at(file, json(geminiRules)),
    ),
    ...on.inProjects([".gemini/settings.json"], json(geminiRules)),
    ...filesIn(join(on.home, ".gemini/policies"), ".toml").map((file) =>
      on.at(file, (text, place) => geminiPolicies(parseToml(text), place)),
    ),
    ...on.inProjects([".geminiignore"], ignoreFileRules),
  ],
  opencode: (on) => [
    ...["opencode.json", "opencode.jsonc"].map((name) =>
      on.at(join(on.own, "opencode", name), json(opencodeRules)),
    ),
    ...on.inProjects(
      ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
      json(opencodeRules),
    ),
  ],
  codex: (on, parseToml) => {
    const read: Read = (text, place) => codexRules(parseToml(text), place);
    return [on.at(join(on.own, "config.toml"), read), ...on.inProjects([".codex/config.toml"], read)];
  },
  continue: (on) => [
    on.at(join(on.own, "permissions.yaml"), (text, place) => permissionRules(continueLists(text), place)),
  ],
  cursor: (on) => [
    on.at(join(on.home, ".cursor/cli-config.json"), json(permissionRules)),
    ...on.inProjects([".cursor/cli.json"], json(permissionRules)),
    ...on.inProjects([".cursorignore"], ignoreFileRules),
  ],
  windsurf: (on) => on.inProjects([".codeiumignore"], ignoreFileRules),
  jetbrains: (on) => on.inProjects([".aiignore"], ignoreFileRules),
  zed: (on) => [
    on.at(join(on.own, "zed/settings.json"), json(zedRules)),
    ...on.inProjects([".zed/settings.json"], json(zedRules)),
  ],
  // Their rules are flags, or patterns for commands.
  vscode: () => [],
  copilot: () => [],
};

/** Qwen Code has rules like Claude Code's, and Gemini CLI's list of tools that are left out. */
function qwenRules(settings: unknown, place: RulePlace): readonly Carried[] {
  return [...permissionRules(settings, place), ...geminiRules(settings, place)];
}

/** A project's rules end at its repository, and never begin in a home folder. */
function isProjectEnd(folder: string): boolean {
  return existsSync(join(folder, ".git")) || dirname(folder) === homeFolder();
}

/** What an administrator has set for Claude Code. */
function managedFiles(): readonly string[] {
  const folder =
    process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
  return [join(folder, "managed-settings.json"), ...filesIn(join(folder, "managed-settings.d"), ".json")];
}

function filesIn(folder: string, ending: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.map((name) => join(folder, name));
}
