import type { OnMismatch } from "@holdfast/core/files";
import { type ClientName, changingTools, guardedClients, readingTools, toolNameIn } from "../clients.js";

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
  /** Of a setting that is to be taken out: the one value that is ours. Any other stays. */
  readonly onlyIf?: unknown;
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
  /** How a client starts this program. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
}

/** What to set, file by file, as each client documents it. */
export function settingsFor(wishes: SetupWishes): readonly Setting[] {
  return [
    ...(wishes.tools ? serverSettings(wishes) : []),
    ...(wishes.allowReads ? allowedReads(wishes.client, wishes.project) : []),
    ...(wishes.guard && guardedClients.includes(wishes.client) ? hookSettings(wishes) : []),
    ...(wishes.acceptEdits && wishes.client === "claude" ? [acceptingHook(wishes)] : []),
  ];
}

/** What to take out: all that was ever set, hooks too. */
export function removalsFor(wishes: Pick<SetupWishes, "client" | "project" | "program">): readonly Setting[] {
  const all = settingsFor({ ...wishes, tools: true, guard: true, allowReads: true, acceptEdits: true });
  return all.map(({ value: _, ...setting }) => setting);
}

/** What a person has to know where a change took this out of a file; undefined where there is nothing. */
export function adviceOnRemoval(before: string, after: string): string | undefined {
  const isLost = before.includes(codexLimit) && !after.includes(codexLimit);
  return isLost
    ? `${codexLimit} = ${codexTokens} goes, too: an earlier setup has set it. If you had a limit of your own before, set it again.`
    : undefined;
}

function serverSettings({ client, project, program, onMismatch }: SetupWishes): readonly Setting[] {
  const { command } = program;
  const args = [...program.args, "mcp", ...mismatchFlags(onMismatch), "--rules-of", client];
  const started = { command, args };
  const inEditor = { command, args: inWorkspace(args) };
  const entry = (file: string, value: object, path = servers): readonly Setting[] => [{ file, path, value }];
  switch (client) {
    case "claude":
      // Without it the client defers the schemas of all tools, and a model edits with those that it has.
      return entry(project ? ".mcp.json" : ".claude.json", { ...started, alwaysLoad: true });
    case "gemini":
      return entry(".gemini/settings.json", started);
    case "codex":
      return [
        // An earlier setup raised it: the default models do not heed it, so that more counted as shown than was.
        { file: codexFile, path: [codexLimit], onlyIf: codexTokens },
        // Without `required` the first request of a session may go out before the tools are there.
        ...entry(codexFile, { ...started, required: true }, ["mcp_servers", "holdfast"]),
      ];
    case "qwen":
      // As with Claude Code: it defers the schemas of all tools.
      return entry(".qwen/settings.json", { ...started, alwaysLoadTools: true });
    case "opencode": {
      const file = project ? "opencode.json" : ".config/opencode/opencode.json";
      const value = { type: "local", command: [command, ...args] };
      return [{ file, orFile: `${file}c`, path: ["mcp", "holdfast"], value }];
    }
    case "copilot":
      return entry(".copilot/mcp-config.json", { type: "local", ...started, tools: ["*"] });
    case "cursor":
      return entry(".cursor/mcp.json", inEditor);
    case "vscode": {
      const file = project ? ".vscode/mcp.json" : vscodeUserFile();
      return entry(file, { type: "stdio", ...inEditor }, ["servers", "holdfast"]);
    }
    case "zed":
      // https://zed.dev/docs/ai/mcp, read 2026-11-27.
      return entry(project ? ".zed/settings.json" : zedFile, started, ["context_servers", "holdfast"]);
    case "jetbrains":
      // https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html, as cited elsewhere, 2026-11-27.
      return entry(".junie/mcp/mcp.json", started);
    case "continue":
      return entry(".continue/config.yaml", started);
    case "windsurf":
      // https://docs.windsurf.com/windsurf/cascade/mcp, as cited elsewhere, 2026-11-27.
      return entry(".codeium/windsurf/mcp_config.json", started);
    default:
      return client satisfies never;
  }
}

const servers = ["mcpServers", "holdfast"];
const zedFile = ".config/zed/settings.json";
const codexFile = ".codex/config.toml";
const codexLimit = "tool_output_token_limit";
const codexTokens = 50_000;

const geminiPolicy = `# Written by "holdfast setup gemini": these tools change nothing.
[[rule]]
mcpName = "holdfast"
toolName = ${JSON.stringify(readingTools)}
decision = "allow"
priority = 100
`;

/** Where a client has a list of what it may do without asking; none where it asks nobody, or has only flags. */
export function allowedReads(client: ClientName, project: boolean): readonly Setting[] {
  // These two let a person alone allow anything.
  if (project && (client === "gemini" || client === "zed")) return [];
  const listed = (file: string, path: readonly string[]): readonly Setting[] =>
    readingTools.map((tool) => {
      const value = toolNameIn(client, tool);
      return { file, path, value, among: (element) => element === value };
    });
  switch (client) {
    case "claude":
      return listed(".claude/settings.json", ["permissions", "allow"]);
    case "qwen":
      return listed(".qwen/settings.json", ["permissions", "allow"]);
    case "gemini":
      return [
        { file: ".gemini/policies/holdfast.toml", path: ["rule"], value: geminiPolicy, whole: geminiPolicy },
      ];
    case "zed":
      // https://zed.dev/docs/ai/tool-permissions, read 2026-11-27.
      return readingTools.map((tool) => ({
        file: zedFile,
        path: ["agent", "tool_permissions", "tools", toolNameIn(client, tool)],
        value: { default: "allow" },
      }));
    default:
      return [];
  }
}

function vscodeUserFile(): string {
  return process.platform === "darwin"
    ? "Library/Application Support/Code/User/mcp.json"
    : ".config/Code/User/mcp.json";
}

/** Editors start servers anywhere; they name the folder themselves. */
function inWorkspace(args: readonly string[]): readonly string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor's own variable, not ours
  return [...args, "--root", "${workspaceFolder}"];
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
