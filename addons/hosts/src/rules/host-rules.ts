import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { HostRule } from "@holdfast/core/files";
import { homeFolder, listForeign, readForeign } from "@holdfast/core/node";
import { type ClientName, movedHomes } from "../clients.js";
import {
  codexRules,
  continueLists,
  geminiPolicies,
  geminiRules,
  opencodeRules,
  upToRepository,
  zedRules,
} from "./other-rules.js";
import {
  type Carried,
  ignoreFileRules,
  mostRules,
  permissionRules,
  type RulePlace,
  tooManyRules,
  unknownRules,
} from "./permission-rules.js";
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
  const absolute = roots.map((root) => resolve(root));
  let known: { readonly stamp: string; readonly rules: HostRules } | undefined;
  let checkedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (known !== undefined && performance.now() - checkedMs < freshMs) return known.rules;
    checkedMs = performance.now();
    const sources = sourcesOf(client, absolute, parse);
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
  if (!existsSync(file)) return "";
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(":");
}

function carriedFrom({ file, place, read }: Source): readonly Carried[] {
  const found = readForeign(file, { links: "followed", limitBytes: 256 * 1024 });
  if (found.kind === "absent") return [];
  if (found.kind === "unreadable") return [unknownRules(place, found.why)];
  try {
    const carried = read(found.bytes.toString(), place);
    return carried.length > mostRules ? [unknownRules(place, tooManyRules)] : carried;
  } catch {
    return [unknownRules(place)];
  }
}

function rulesOf(carried: readonly Carried[]): HostRules {
  const rules = carried.filter((one) => one.kind === "rule");
  const left = carried.flatMap((one) => (one.kind === "left" ? [`${one.shown} (${one.why})`] : []));
  const readOnly = rules.some(({ denies, everything }) => everything && denies === "writing");
  return { rules, left, readOnly };
}

type Parse = (text: string) => unknown;
type Read = Source["read"];

/** Where the settings of a client may be, for some roots. */
interface Places {
  readonly home: string;
  /** The client's own folder. */
  readonly own: string;
  files(paths: readonly string[], read: Read): readonly Source[];
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
  const projects = [...new Set(roots.flatMap((root) => upToRepository(root)))];
  const places: Places = {
    home,
    own: moved === "" ? join(home, folder) : resolve(moved),
    files: (paths, read) => paths.map((path) => at(path, read)),
    inProjects: (names, read) =>
      projects.flatMap((project) => names.map((name) => at(join(project, name), read, project))),
  };
  return sources[client](places, parseToml);
}

function json(read: (settings: unknown, place: RulePlace) => readonly Carried[]): Read {
  return (text, place) => read(readSettings(text), place);
}

/** Where each client looks for its settings, and how it writes down what is denied. */
const sources: {
  readonly [Name in ClientName]: (on: Places, parseToml: Parse) => readonly Source[];
} = {
  claude: (on) => [
    ...on.files([...managedFiles(), join(on.own, "settings.json")], json(permissionRules)),
    ...on.inProjects([".claude/settings.json", ".claude/settings.local.json"], json(permissionRules)),
  ],
  qwen: (on) => [
    ...on.files([join(on.own, "settings.json"), "/etc/qwen-code/settings.json"], json(qwenRules)),
    ...on.inProjects([".qwen/settings.json"], json(qwenRules)),
    ...on.inProjects([".qwenignore"], ignoreFileRules),
  ],
  gemini: (on, parseToml) => [
    ...on.files([join(on.home, ".gemini/settings.json"), "/etc/gemini-cli/settings.json"], json(geminiRules)),
    ...on.inProjects([".gemini/settings.json"], json(geminiRules)),
    ...on.files(filesIn(join(on.home, ".gemini/policies"), ".toml"), (text, place) =>
      geminiPolicies(parseToml(text), place),
    ),
    ...on.inProjects([".geminiignore"], ignoreFileRules),
  ],
  opencode: (on) => {
    const names = ["opencode.json", "opencode.jsonc"];
    const own = names.map((name) => join(on.own, "opencode", name));
    const inProject = [...names, ...names.map((name) => `.opencode/${name}`)];
    return [...on.files(own, json(opencodeRules)), ...on.inProjects(inProject, json(opencodeRules))];
  },
  codex: (on, parseToml) => {
    const read: Read = (text, place) => codexRules(parseToml(text), place);
    return [...on.files([join(on.own, "config.toml")], read), ...on.inProjects([".codex/config.toml"], read)];
  },
  continue: (on) =>
    on.files([join(on.own, "permissions.yaml")], (text, place) =>
      permissionRules(continueLists(text), place),
    ),
  cursor: (on) => [
    ...on.files([join(on.home, ".cursor/cli-config.json")], json(permissionRules)),
    ...on.inProjects([".cursor/cli.json"], json(permissionRules)),
    ...on.inProjects([".cursorignore"], ignoreFileRules),
  ],
  windsurf: (on) => on.inProjects([".codeiumignore"], ignoreFileRules),
  jetbrains: (on) => on.inProjects([".aiignore"], ignoreFileRules),
  zed: (on) => [
    ...on.files([join(on.own, "zed/settings.json")], json(zedRules)),
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

/** What an administrator has set for Claude Code. */
function managedFiles(): readonly string[] {
  const folder =
    process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
  return [join(folder, "managed-settings.json"), ...filesIn(join(folder, "managed-settings.d"), ".json")];
}

function filesIn(folder: string, ending: string): readonly string[] {
  const listed = listForeign(folder, { links: "followed", limitEntries: 1_000 });
  if (listed.kind === "absent") return [];
  // A name that no file has: what cannot be listed denies everything, as what cannot be read does.
  if (listed.kind === "unreadable") return [folder];
  return listed.entries.map(({ name }) => join(folder, name)).filter((path) => path.endsWith(ending));
}
