import type { OnMismatch, Refusal } from "@holdfast/core/files/values";
import {
  type ClientName,
  changingTools,
  guardedClients,
  readingTools,
  toolNameIn,
  writingTools,
} from "../clients.js";
import type { HostRules } from "../rules/host-rules.js";
import { opencodeActions } from "../rules/opencode-rules.js";
import { memberAt } from "../rules/settings-text.js";
import { tableOf } from "../table.js";

/** The one flag of the server and the guard that `holdfast setup` is asked for. */
export const mismatchFlag = "--on-mismatch";

/** What is to stand in a client's configuration. */
export interface Setting {
  /** The file, relative to the project or, for a person's own settings, to their home folder. */
  readonly file: string;
  /** Another name of the same file, which counts where it alone is there. */
  readonly orFile?: string;
  /** The members from the root of the file to the value. */
  readonly path: readonly string[];
  /** Absent where the setting is to be taken out. */
  readonly value?: unknown;
  /**
   * The value is one element of the list at `path`: it takes the place of the element that this finds, or
   * stands at the end.
   */
  readonly among?: (element: unknown) => boolean;
  /** The whole text of a file that holds nothing but this setting. */
  readonly whole?: string;
}

/** The text of a settings file with the settings in it; comments and all else stay as they are. */
export type ChangedSettings = { readonly kind: "changed"; readonly text: string } | Refusal;

/** Puts settings into a text of JSON with comments, or takes them out. The command has it. */
export type ChangeJson = (text: string, settings: readonly PlacedSetting[]) => ChangedSettings;

/** A setting by its place. */
export interface PlacedSetting {
  /** A number is a place in a list. */
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
  readonly merge?: (present: unknown) => unknown;
}

/** What `holdfast setup` is asked to write. */
export interface SetupWishes {
  readonly client: ClientName;
  /** The settings of the project, which a team shares, instead of those of the person. */
  readonly project: boolean;
  /** The MCP server with its tools. */
  readonly tools: boolean;
  /** The hooks of `holdfast guard`. */
  readonly guard: boolean;
  /** The client asks nobody before the tools that change nothing. */
  readonly allowReads: boolean;
  /** The hook of `holdfast guard --accept-edits`. */
  readonly acceptEdits: boolean;
  /** What the server answers to a change of an older state; its default unless given. */
  readonly onMismatch?: OnMismatch | undefined;
  /** What the client asks about, and to whom it gives which tools: copied for ours. */
  readonly rules?: Pick<HostRules, "asked" | "parts"> | undefined;
  /** How a client starts this program. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
}

/** What to set, file by file, as each client documents it. */
export function settingsFor(wishes: SetupWishes): readonly Setting[] {
  return [
    ...(wishes.tools ? [...serverSettings(wishes), ...copiedPermissions(wishes)] : []),
    ...(wishes.allowReads ? allowedReads(wishes.client, wishes.project) : []),
    ...(wishes.guard && guardedClients.includes(wishes.client) ? hookSettings(wishes) : []),
    ...(wishes.acceptEdits && wishes.client === "claude" ? [acceptingHook(wishes)] : []),
  ];
}

/** What to take out: all that was ever set, hooks too. */
export function removalsFor(wishes: Pick<SetupWishes, "client" | "project" | "program">): readonly Setting[] {
  const asked = [{ denies: "reading" }, { denies: "writing" }] as const;
  const rules = { asked: asked.map((one) => ({ ...one, shown: "" })), parts: [] };
  const all = settingsFor({
    ...wishes,
    tools: true,
    guard: true,
    allowReads: true,
    acceptEdits: true,
    rules,
  });
  return all.map(({ value: _, ...setting }) => setting);
}

/**
 * The client's own permissions for our tools. Where it asks about all of its own, it is to ask about ours. opencode gives them
 * to its agents as it gives them its own, and to agents that setup does not know not at all.
 */
function copiedPermissions({ client, project, rules }: SetupWishes): readonly Setting[] {
  if (client === "opencode") return opencodePermissions(project, rules?.parts ?? []);
  const tools = (rules?.asked ?? []).flatMap(({ denies }): readonly string[] =>
    denies === "reading" ? readingTools : writingTools,
  );
  if (tools.length === 0) return [];
  if (client === "claude" || client === "qwen") return listedTools(client, "ask", tools);
  if (client !== "gemini" || project) return [];
  return [geminiPolicy("holdfast-asks", tools, "ask_user", 999)];
}

function opencodePermissions(project: boolean, parts: readonly unknown[]): readonly Setting[] {
  // Said with one word, it holds for our tools as it stands.
  if (parts.some((part) => typeof memberAt(part, "permission") === "string")) return [];
  const [edits, reads] = [opencodeActions(parts, "edit"), opencodeActions(parts, "read")];
  const of = (agent: string) => {
    const [edit, read] = [edits.get(agent) ?? "allow", reads.get(agent) ?? "allow"];
    const readers = Object.fromEntries(opencodeReaders.map((tool) => [tool, read]));
    return { "holdfast_*": edit, ...(edit === read ? {} : readers) };
  };
  const all = [
    { path: ["permission"], actions: { "holdfast_*": "deny" } },
    ...["build", "general", "plan"].map((agent) => ({
      path: ["agent", agent, "permission"],
      actions: of(agent),
    })),
  ];
  return all.flatMap(({ path, actions }) =>
    Object.entries(actions).map(([tool, value]) => ({
      ...settingsFile("opencode", project),
      path: [...path, tool],
      value,
    })),
  );
}

const opencodeReaders = ["holdfast_read_*", "holdfast_list_files", "holdfast_search_files"];

/** How a client starts the server: where its own settings and those of a project are, the member, and what stands beside. */
const entries = tableOf(`
claude    | .claude.json                         | .mcp.json           | mcpServers      | alwaysLoad
gemini    | .gemini/settings.json                |                     | mcpServers      |
codex     | .codex/config.toml                   |                     | mcp_servers     | required
qwen      | .qwen/settings.json                  |                     | mcpServers      | alwaysLoadTools
opencode  | .config/opencode/opencode.json       | opencode.json       | mcp             |
copilot   | .copilot/mcp-config.json             |                     | mcpServers      |
cursor    | .cursor/mcp.json                     |                     | mcpServers      |
vscode    | ${vscodeFolder()}/mcp.json           | .vscode/mcp.json    | servers         |
zed       | .config/zed/settings.json            | .zed/settings.json  | context_servers |
jetbrains | .junie/mcp/mcp.json                  |                     | mcpServers      |
continue  | .continue/config.yaml                |                     | mcpServers      |
windsurf  | .codeium/windsurf/mcp_config.json    |                     | mcpServers      |
`);

/**
 * As each documents it: Zed https://zed.dev/docs/ai/mcp, Junie https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html,
 * Windsurf https://docs.windsurf.com/windsurf/cascade/mcp, read 2026-11-27. Three load no tools, or defer their schemas, unless
 * a member says otherwise.
 */
function serverSettings({ client, project, program, onMismatch }: SetupWishes): readonly Setting[] {
  const [, , member = "", hint = ""] = entries.get(client) ?? [];
  const isEditor = client === "cursor" || client === "vscode";
  const flags = [...mismatchFlags(onMismatch), "--rules-of", client];
  // Editors start servers anywhere; they name the folder themselves.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor's own variable, not ours
  const root = isEditor ? ["--root", "${workspaceFolder}"] : [];
  const args = [...program.args, "mcp", ...flags, ...root];
  const local = client === "opencode" || client === "copilot" ? { type: "local" } : {};
  const value = {
    ...(client === "vscode" ? { type: "stdio" } : local),
    ...(client === "opencode" ? { command: [program.command, ...args] } : { command: program.command, args }),
    ...(client === "copilot" ? { tools: ["*"] } : {}),
    ...(hint === "" ? {} : { [hint]: true }),
  };
  return [{ ...settingsFile(client, project), path: [member, "holdfast"], value }];
}

function settingsFile(client: ClientName, project: boolean): Pick<Setting, "file" | "orFile"> {
  const [own = "", shared = ""] = entries.get(client) ?? [];
  const file = project && shared !== "" ? shared : own;
  return client === "opencode" ? { file, orFile: `${file}c` } : { file };
}

function vscodeFolder(): string {
  return process.platform === "darwin" ? "Library/Application Support/Code/User" : ".config/Code/User";
}

/** A policy file of its own. */
function geminiPolicy(name: string, tools: readonly string[], decision: string, priority: number): Setting {
  const whole = `# Written by "holdfast setup gemini".
[[rule]]
mcpName = "holdfast"
toolName = ${JSON.stringify(tools)}
decision = "${decision}"
priority = ${priority}
`;
  return { file: `.gemini/policies/${name}.toml`, path: ["rule"], value: whole, whole };
}

function listedTools(
  client: ClientName,
  list: "allow" | "ask",
  tools: readonly string[],
): readonly Setting[] {
  return tools.map((tool) => {
    const value = toolNameIn(client, tool);
    const file = `.${client}/settings.json`;
    return { file, path: ["permissions", list], value, among: (element) => element === value };
  });
}

/** Where a client has a list of what it may do without asking; none where it asks nobody, or has only flags. */
export function allowedReads(client: ClientName, project: boolean): readonly Setting[] {
  // These two let a person alone allow anything.
  if (project && (client === "gemini" || client === "zed")) return [];
  switch (client) {
    case "claude":
    case "qwen":
      return listedTools(client, "allow", readingTools);
    case "gemini":
      return [geminiPolicy("holdfast", readingTools, "allow", 100)];
    case "zed":
      // https://zed.dev/docs/ai/tool-permissions, read 2026-11-27.
      return readingTools.map((tool) => ({
        ...settingsFile(client, false),
        path: ["agent", "tool_permissions", "tools", toolNameIn(client, tool)],
        value: { default: "allow" },
      }));
    default:
      return [];
  }
}

function hookSettings({ client, program, onMismatch }: SetupWishes): readonly Setting[] {
  const command = hookCommand(program, mismatchFlags(onMismatch));
  const isClaude = client === "claude";
  const name = isClaude ? {} : { name: "holdfast-guard" };
  return Object.entries(isClaude ? claudeHooks : geminiHooks).map(([event, matcher]) => ({
    file: isClaude ? ".claude/settings.json" : ".gemini/settings.json",
    path: ["hooks", event],
    value: { matcher, hooks: [{ type: "command", ...name, command }] },
    among: hasHook(/ guard(?: --on-mismatch [a-z-]+)?$/),
  }));
}

/**
 * A hook is a process of its own: none starts for another server's tools, nor before ours, which check states themselves.
 * A command is looked at before and after it, also where it fails: it may change any file.
 */
const claudeHooks = {
  PreToolUse: "Read|Edit|MultiEdit|Write|NotebookEdit|Bash",
  PostToolUse: "Read|Edit|MultiEdit|Write|NotebookEdit|Bash|Grep|mcp__holdfast__.*",
  PostToolUseFailure: "Bash",
};
const geminiHooks = {
  BeforeTool: "read_file|replace|write_file|run_shell_command",
  AfterTool: "read_file|replace|write_file|run_shell_command|grep_search|mcp_holdfast_.*",
};

function mismatchFlags(onMismatch: OnMismatch | undefined): readonly string[] {
  return onMismatch === undefined ? [] : [mismatchFlag, onMismatch];
}

/** A setting of its own: the guard can come and go without it. */
function acceptingHook({ client, program }: SetupWishes): Setting {
  const hook = { type: "command", command: hookCommand(program, ["--accept-edits"]) };
  const matcher = changingTools.map((tool) => toolNameIn(client, tool)).join("|");
  return {
    file: ".claude/settings.json",
    path: ["hooks", "PreToolUse"],
    value: { matcher, hooks: [hook] },
    among: hasHook(/ guard --accept-edits$/),
  };
}

function hookCommand({ command, args }: SetupWishes["program"], flags: readonly string[]): string {
  return [command, ...args, "guard", ...flags].map(shellWord).join(" ");
}

/** Whether a hook runs the guard: whatever its matcher, it needs none of our tools. */
export const runsGuard = (command: string): boolean => /holdfast[^"]*["']? guard(?: |$)/.test(command);

/** Has a hook that calls holdfast, of whatever checkout, with this at the end. Nothing else that it says makes it ours. */
function hasHook(call: RegExp) {
  const isOurs = (command: unknown) =>
    typeof command === "string" && new RegExp(`holdfast[^"]*["']?${call.source}`).test(command);
  return (element: unknown): boolean => {
    const hooks: unknown = property(element, "hooks");
    return Array.isArray(hooks) && hooks.some((hook) => isOurs(property(hook, "command")));
  };
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
