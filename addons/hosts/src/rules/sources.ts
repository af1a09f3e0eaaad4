import { basename, dirname, join, relative, resolve } from "node:path";
import { homeFolder, listForeign } from "@holdfast/core/node";
import { type ClientName, homeOf } from "../clients.js";
import { geminiPolicies, geminiRules } from "./gemini-rules.js";
import { gitIgnored } from "./git-ignored.js";
import { opencodeAgentFile, opencodeRules } from "./opencode-rules.js";
import { codexRules, continueLists, upToRepository } from "./other-rules.js";
import { claudeSensitive, continueSensitive, geminiBlocked } from "./own-defaults.js";
import {
  type Carried,
  everyFile,
  ignoreFileRules,
  linesRule,
  permissionRules,
  type RulePlace,
  toolRules,
} from "./permission-rules.js";
import { memberAt, readSettings, textsOf } from "./settings-text.js";
import { onlyTools } from "./whole-tools.js";
import { realPathOf } from "./written-lines.js";

/** One file of settings, or what the client was started with. */
export interface Source {
  readonly file: string | undefined;
  readonly place: RulePlace;
  /** In place of a file's. */
  readonly text?: string;
  readonly limitBytes?: number;
  /** Throws for a text that it cannot read. A source that is named in it is read then. */
  readonly read: (text: string, place: RulePlace) => readonly (Carried | Source)[];
}

type Read = Source["read"];
type Parse = (text: string) => unknown;

/** Where the settings of a client may be, for some roots. */
export interface Places extends Omit<RulePlace, "shown" | "folder"> {
  /** The client's own folder. */
  readonly own: string;
  /** The roots, and the folders above them up to their repositories. */
  readonly projects: readonly string[];
  files(paths: readonly string[], read: Read): readonly Source[];
  /** These names in each project. */
  inProjects(names: readonly string[], read: Read): readonly Source[];
  /** A text that is in no file, such as a variable of the environment. */
  inline(shown: string, text: string | undefined, read: Read): readonly Source[];
  /** The values of a flag of this run, under any of its names. */
  flag(...names: readonly string[]): readonly string[];
  hasFlag(name: string): boolean;
}

/** @param run the words with which the client was started. */
export function placesFor(client: ClientName, roots: readonly string[], run: readonly string[]): Places {
  const home = homeFolder();
  const { folder, moved } = homeOf(client);
  const at = (file: string, read: Read, base = dirname(file)): Source => {
    const near = roots.map((root) => relative(root, file)).find((path) => !path.startsWith(".."));
    const shown = near ?? (file.startsWith(`${home}/`) ? `~/${relative(home, file)}` : file);
    return { file, read, place: { shown, roots, folder: base, home } };
  };
  const projects = [...new Set(roots.flatMap((root) => upToRepository(root)))];
  return {
    roots,
    home,
    own: moved === "" ? join(home, folder) : resolve(moved),
    projects,
    files: (paths, read) => paths.map((path) => at(path, read)),
    inProjects: (names, read) =>
      projects.flatMap((project) => names.map((name) => at(join(project, name), read, project))),
    inline: (shown, text, read) =>
      text === undefined || text === ""
        ? []
        : [{ file: undefined, text, read, place: { shown, roots, folder: roots[0] ?? "/", home } }],
    flag: (...names) =>
      run.flatMap((word, at) => {
        const [name = "", ...value] = word.split("=");
        if (!names.includes(name)) return [];
        const end = run.findIndex((one, next) => next > at && one.startsWith("-"));
        const words = value.length > 0 ? [value.join("=")] : run.slice(at + 1, end < 0 ? undefined : end);
        return words;
      }),
    hasFlag: (name) => run.includes(name),
  };
}

function json(read: (settings: unknown, place: RulePlace) => ReturnType<Read>): Read {
  return (text, place) => read(readSettings(text), place);
}

/** The names in a list as people write it behind a flag: with commas, blanks, or one word each. */
function listed(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.match(/(?:[^\s,(]|\([^)]*\))+/g) ?? []);
}

/** Where each client looks for its settings, and how it writes down what is denied. */
export const sourcesOf: {
  readonly [Name in ClientName]: (on: Places, parseToml: Parse) => readonly Source[];
} = {
  claude: (on) => {
    const read = json(permissionRules);
    return [
      ...on.files([...managedFiles(), join(on.own, "settings.json")], read),
      ...on.inProjects([".claude/settings.json", ".claude/settings.local.json"], read),
      ...on
        .flag("--settings")
        .flatMap((value) =>
          value.startsWith("{") ? on.inline("--settings", value, read) : on.files([resolve(value)], read),
        ),
      ...deniedByFlag(on, "--disallowedTools", "--disallowed-tools"),
      ...onlyByFlag("claude", on, "--tools"),
      ...defaults(on, "what Claude Code asks about in every mode", "writing", claudeSensitive),
    ];
  },
  qwen: (on) => {
    const read = json((settings, place) => [
      ...permissionRules(settings, place),
      ...toolRules(textsOf(memberAt(settings, "tools", "exclude")), place),
      ...onlyTools("qwen", memberAt(settings, "tools", "core"), `tools.core in ${place.shown}`),
      ...on.inProjects(
        textsOf(memberAt(settings, "context", "fileFiltering", "customIgnoreFiles")),
        ignoreFileRules,
      ),
    ]);
    return [
      ...on.files([join(on.own, "settings.json"), "/etc/qwen-code/settings.json"], read),
      ...on.inProjects([".qwen/settings.json"], read),
      ...on.inProjects([".qwenignore", ".agentignore", ".aiignore"], ignoreFileRules),
      ...deniedByFlag(on, "--exclude-tools"),
      ...onlyByFlag("qwen", on, "--core-tools"),
    ];
  },
  gemini: (on, parseToml) => {
    const policies: Read = (text, place) => geminiPolicies(parseToml(text), place);
    const policyFiles = (paths: readonly string[]) =>
      listed(paths).flatMap((path) =>
        on.files(path.endsWith(".toml") ? [resolve(path)] : filesIn(resolve(path), ".toml"), policies),
      );
    const read = json((settings, place) => {
      const filtering = memberAt(settings, "context", "fileFiltering");
      const named = ["policyPaths", "adminPolicyPaths"].flatMap((name) => textsOf(memberAt(settings, name)));
      return [
        ...geminiRules(settings, place),
        { kind: "part", value: memberAt(filtering, "respectGitIgnore") },
        ...policyFiles(named),
        ...on.inProjects(textsOf(memberAt(filtering, "customIgnoreFilePaths")), ignoreFileRules),
      ];
    });
    return [
      ...on.files([join(on.home, ".gemini/settings.json"), "/etc/gemini-cli/settings.json"], read),
      ...on.inProjects([".gemini/settings.json"], read),
      ...policyFiles([join(on.home, ".gemini/policies"), "/etc/gemini-cli/policies"]),
      ...policyFiles(on.flag("--policy", "--admin-policy")),
      ...on.inProjects([".geminiignore"], ignoreFileRules),
      ...defaults(on, "what Gemini CLI takes for outside of the project", "reading", geminiBlocked),
    ];
  },
  opencode: (on) => {
    const { OPENCODE_CONFIG, OPENCODE_CONFIG_DIR, OPENCODE_CONFIG_CONTENT, OPENCODE_PERMISSION } =
      process.env;
    const part: Read = (text) => [{ kind: "part", value: readSettings(text) }];
    const agent: Read = (text, { shown }) => [
      { kind: "part", value: opencodeAgentFile(basename(shown, ".md"), text) },
    ];
    const own = join(on.own, "opencode");
    const outermostFirst = on.projects.toReversed();
    const folders = [
      ...outermostFirst.map((project) => join(project, ".opencode")),
      join(on.home, ".opencode"),
      ...(OPENCODE_CONFIG_DIR === undefined ? [] : [OPENCODE_CONFIG_DIR]),
    ];
    const settingsIn = (folder: string) =>
      on.files([join(folder, "opencode.json"), join(folder, "opencode.jsonc")], part);
    const agentsIn = (folder: string) =>
      ["agent", "agents", "mode", "modes"].flatMap((name) =>
        on.files(filesIn(join(folder, name), ".md"), agent),
      );
    return [
      ...on.files([join(own, "config.json")], part),
      ...settingsIn(own),
      ...(OPENCODE_CONFIG === undefined ? [] : on.files([resolve(OPENCODE_CONFIG)], part)),
      ...outermostFirst.flatMap(settingsIn),
      ...agentsIn(own),
      ...folders.flatMap((folder) => [...settingsIn(folder), ...agentsIn(folder)]),
      ...on.inline("OPENCODE_CONFIG_CONTENT", OPENCODE_CONFIG_CONTENT, part),
      ...settingsIn("/etc/opencode"),
      ...on.inline("OPENCODE_PERMISSION", OPENCODE_PERMISSION, (text) => [
        { kind: "part", value: { permission: readSettings(text) } },
      ]),
    ];
  },
  codex: (on, parseToml) => {
    const read: Read = (text, place) => codexRules(parseToml(text), place);
    return [
      ...on.files(filesIn(on.own, "config.toml"), read),
      ...on.inProjects([".codex/config.toml"], read),
    ];
  },
  copilot: (on) => {
    const session = process.env.COPILOT_AGENT_SESSION_ID ?? "none";
    const plans = on.flag("--mode").includes("plan") || on.hasFlag("--plan");
    return [
      ...deniedByFlag(on, "--deny-tool"),
      ...deniedByFlag(on, "--excluded-tools"),
      ...on.inline("plan mode of this run", plans ? "plan" : "", (mode) => [{ kind: "part", value: mode }]),
      ...on
        .files([join(on.own, "session-state", session, "events.jsonl")], lastMode)
        .map((source) => ({ ...source, limitBytes: 64 * 1024 * 1024 })),
    ];
  },
  continue: (on) => [
    ...on.files([join(on.own, "permissions.yaml")], (text, place) =>
      permissionRules(continueLists(text), place),
    ),
    ...deniedByFlag(on, "--exclude"),
    ...on.inline("--readonly", on.hasFlag("--readonly") ? "plan" : "", (_, { shown }) => [
      everyFile("writing", shown),
    ]),
    ...defaults(on, "what Continue takes for a secret", "reading", continueSensitive),
  ],
  cursor: (on) => [
    ...on.files([join(on.home, ".cursor/cli-config.json")], json(permissionRules)),
    ...on.inProjects([".cursor/cli.json"], json(permissionRules)),
    ...on.inProjects([".cursorignore"], ignoreFileRules),
  ],
  windsurf: (on) => on.inProjects([".codeiumignore"], ignoreFileRules),
  jetbrains: (on) => on.inProjects([".aiignore"], ignoreFileRules),
  // Their rules are patterns for commands, and about other tools.
  vscode: () => [],
  zed: () => [],
};

/** What settings come to that a client puts together before it goes by them. */
export function rulesTogether(client: ClientName, parts: readonly unknown[], on: Places): readonly Carried[] {
  switch (client) {
    case "opencode":
      return opencodeRules(parts, on);
    case "gemini": {
      const tops = on.projects.slice(-1).map(realPathOf);
      const rule = { kind: "rule", denies: "reading", shown: ".gitignore", everything: false } as const;
      return parts.findLast((one) => one !== undefined) === false
        ? []
        : [{ ...rule, matches: gitIgnored(tops) }];
    }
    case "copilot": {
      const rule = { ...everyFile("writing", "GitHub Copilot CLI is in plan mode"), everything: false };
      return parts.at(-1) === "plan" ? [rule] : [];
    }
    default:
      return [];
  }
}

/** Copilot CLI writes each change of its mode into the file of its session, as soon as a person makes it. */
const lastMode: Read = (text) => {
  for (let at = text.length; at >= 0; ) {
    at = text.lastIndexOf("session.mode_changed", at - 1);
    const begin = text.lastIndexOf("\n", at) + 1;
    const [line = ""] = at < 0 ? [] : text.slice(begin).split("\n", 1);
    const event: unknown = line === "" ? {} : JSON.parse(line);
    if (memberAt(event, "type") === "session.mode_changed")
      return [{ kind: "part", value: memberAt(event, "data", "newMode") }];
  }
  return [];
};

function deniedByFlag(on: Places, ...names: readonly string[]): readonly Source[] {
  const denied = listed(on.flag(...names)).map((rule) => rule.replace(/^write\((?!\/)(?=.*\/)/, "write(**/"));
  return on.inline(names[0] ?? "", denied.join("\n"), (text, place) =>
    text.split("\n").flatMap((rule) => [
      // Copilot CLI has one name for all tools that write.
      ...(rule === "write" ? toolRules(["edit", "create"], place) : []),
      ...toolRules([rule], place),
    ]),
  );
}

function onlyByFlag(client: ClientName, on: Places, name: string): readonly Source[] {
  if (!on.hasFlag(name) || on.flag(name).join() === "default") return [];
  const names = listed(on.flag(name));
  return on.inline(name, name, (_, { shown }) => onlyTools(client, names, shown));
}

function defaults(
  on: Places,
  shown: string,
  denies: "reading" | "writing",
  names: string,
): readonly Source[] {
  return on.inline(shown, names, (text, { roots }) => [linesRule(denies, shown, text.split(" "), roots)]);
}

/** What an administrator has set for Claude Code. */
function managedFiles(): readonly string[] {
  const folder =
    process.platform === "darwin" ? "/Library/Application Support/ClaudeCode" : "/etc/claude-code";
  return [join(folder, "managed-settings.json"), ...filesIn(join(folder, "managed-settings.d"), ".json")];
}

function filesIn(folder: string, ending: string): readonly string[] {
  const listing = listForeign(folder, { links: "followed", limitEntries: 1_000 });
  if (listing.kind === "absent") return [];
  // A name that no file has: what cannot be listed denies everything, as what cannot be read does.
  if (listing.kind === "unreadable") return [folder];
  return listing.entries.map(({ name }) => join(folder, name)).filter((path) => path.endsWith(ending));
}
