import type { OnMismatch } from "@holdfast/core/files";

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
  /** A number that is there already and at least as large stays. */
  readonly atLeast?: true;
  /** Of a setting that is to be taken out: the one value that is ours. Any other stays. */
  readonly onlyIf?: unknown;
}

/** What `holdfast setup` is asked to write. */
export interface SetupWishes {
  readonly client: ClientName;
  /** The settings of the project, which a team shares, instead of those of the person. */
  readonly project: boolean;
  /** Also the hooks of `holdfast guard`. */
  readonly guard: boolean;
  /** What the server answers to a change of an older state; its default unless given. */
  readonly onMismatch?: OnMismatch | undefined;
  /** How a client starts this program. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
}

export const clientNames = ["claude", "gemini", "codex", "qwen", "opencode", "cursor", "vscode"] as const;
/** A client whose settings `holdfast setup` knows. */
export type ClientName = (typeof clientNames)[number];

/** The clients whose hooks `holdfast guard` answers. */
export const guardedClients: readonly ClientName[] = ["claude", "gemini"];

/** The clients that read settings of a project which a team can share. */
export const sharedClients: readonly ClientName[] = [
  "claude",
  "gemini",
  "qwen",
  "opencode",
  "cursor",
  "vscode",
];

/**
 * Where a client looks for its settings in the place of a folder of the home folder: a variable of the environment. A
 * file that stands beside that folder is in it then.
 */
export const movedHomes: {
  readonly [Name in ClientName]?: { readonly variable: string; readonly folder: string };
} = {
  claude: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  codex: { variable: "CODEX_HOME", folder: ".codex" },
  qwen: { variable: "QWEN_HOME", folder: ".qwen" },
  opencode: { variable: "XDG_CONFIG_HOME", folder: ".config" },
};

/** What to set, file by file, as each client documents it. */
export function settingsFor(wishes: SetupWishes): readonly Setting[] {
  const hooks = wishes.guard ? hookSettings(wishes) : [];
  return [...serverSettings(wishes), ...hooks];
}

/** What to take out: all that was ever set, hooks too. A limit goes where it is the one that we set. */
export function removalsFor(wishes: Omit<SetupWishes, "guard">): readonly Setting[] {
  const all = settingsFor({ ...wishes, guard: true });
  return all.map(({ value, atLeast, ...setting }) =>
    atLeast === true ? { ...setting, onlyIf: value } : setting,
  );
}

/** What a person has to know where a removal took this out of a file; undefined where there is nothing. */
export function adviceOnRemoval(before: string, after: string): string | undefined {
  const isLost = before.includes(codexLimit) && !after.includes(codexLimit);
  return isLost
    ? `${codexLimit} = ${codexTokens} goes, too: setup sets it. If you had a limit of your own before, set it again.`
    : undefined;
}

/**
 * What a person has to know beside what was written; undefined where there is nothing. Whether a model may write where
 * nobody is asked is the person's to say: none of this is set.
 */
export function adviceFor(client: ClientName): string | undefined {
  switch (client) {
    case "claude":
      return "Headless (-p) Claude Code asks nobody and so refuses the tools: give --allowedTools mcp__holdfast.";
    case "gemini":
      return 'Headless (-p) Gemini CLI offers the tools only in a folder that it trusts (or with --skip-trust), and only where "trust": true stands beside the server\'s command (or with --yolo).';
    case "codex":
      return 'Headless (codex exec) Codex refuses the tools that write, unless default_tools_approval_mode = "approve" stands below [mcp_servers.holdfast].';
    case "qwen":
    case "opencode":
    case "cursor":
    case "vscode":
      return undefined;
    default:
      return client satisfies never;
  }
}

function serverSettings({ client, project, program, onMismatch }: SetupWishes): readonly Setting[] {
  const { command } = program;
  const args = [...program.args, "mcp", ...(onMismatch === undefined ? [] : [mismatchFlag, onMismatch])];
  switch (client) {
    case "claude":
      // Without it the client defers the schemas of all tools, and a model edits with those that it has.
      return [
        {
          file: project ? ".mcp.json" : ".claude.json",
          path: servers,
          value: { command, args, alwaysLoad: true },
        },
      ];
    case "gemini":
      return [{ file: ".gemini/settings.json", path: servers, value: { command, args } }];
    case "codex":
      return [
        { file: ".codex/config.toml", path: [codexLimit], value: codexTokens, atLeast: true },
        {
          file: ".codex/config.toml",
          path: ["mcp_servers", "holdfast"],
          value: { command, args: [...args, "--answer-budget", `${codexBudget}`] },
        },
      ];
    case "qwen":
      // As with Claude Code: it defers the schemas of all tools.
      return [
        { file: ".qwen/settings.json", path: servers, value: { command, args, alwaysLoadTools: true } },
      ];
    case "opencode":
      return [
        {
          file: project ? "opencode.json" : ".config/opencode/opencode.json",
          orFile: project ? "opencode.jsonc" : ".config/opencode/opencode.jsonc",
          path: ["mcp", "holdfast"],
          value: { type: "local", command: [command, ...args] },
        },
      ];
    case "cursor":
      return [{ file: ".cursor/mcp.json", path: servers, value: { command, args: inWorkspace(args) } }];
    case "vscode":
      return [
        {
          file: project ? ".vscode/mcp.json" : vscodeUserFile(),
          path: ["servers", "holdfast"],
          value: { type: "stdio", command, args: inWorkspace(args) },
        },
      ];
    default:
      return client satisfies never;
  }
}

const servers = ["mcpServers", "holdfast"];

/** Four bytes of UTF-8 a token, by which Codex cuts; our budget counts characters of at most three. */
const codexTokens = 50_000;
const codexLimit = "tool_output_token_limit";
const codexBudget = 65_000;

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
  const flags = onMismatch === undefined ? [] : [mismatchFlag, onMismatch];
  const command = [program.command, ...program.args, "guard", ...flags].map(shellWord).join(" ");
  switch (client) {
    case "claude":
      return ["PreToolUse", "PostToolUse"].map((event) => ({
        file: ".claude/settings.json",
        path: ["hooks", event],
        value: { matcher: claudeTools, hooks: [{ type: "command", command }] },
        among: isOurs,
      }));
    case "gemini":
      return ["BeforeTool", "AfterTool"].map((event) => ({
        file: ".gemini/settings.json",
        path: ["hooks", event],
        value: { matcher: geminiTools, hooks: [{ type: "command", name: "holdfast-guard", command }] },
        among: isOurs,
      }));
    case "codex":
    case "qwen":
    case "opencode":
    case "cursor":
    case "vscode":
      return [];
    default:
      return client satisfies never;
  }
}

// A hook is a process of its own: no call of another server's tools starts one.
const claudeTools = "Read|Edit|MultiEdit|Write|NotebookEdit|mcp__holdfast__.*";
const geminiTools = "read_file|replace|write_file|mcp_holdfast_.*";

/** Has a hook that calls `holdfast guard`, of whatever checkout. Nothing else that it says makes it ours. */
function isOurs(element: unknown): boolean {
  const hooks: unknown = property(element, "hooks");
  return Array.isArray(hooks) && hooks.some((hook) => isGuard(property(hook, "command")));
}

function isGuard(command: unknown): boolean {
  return typeof command === "string" && /holdfast[^"]*["']? guard(?: --on-mismatch [a-z-]+)?$/.test(command);
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
