/** A client as its users call it. */
export const clientTitles = {
  claude: "Claude Code",
  gemini: "Gemini CLI",
  codex: "Codex",
  qwen: "Qwen Code",
  opencode: "opencode",
  copilot: "GitHub Copilot CLI",
  cursor: "Cursor",
  vscode: "Visual Studio Code",
  zed: "Zed",
  jetbrains: "JetBrains (Junie and AI Assistant)",
  continue: "Continue",
  windsurf: "Windsurf",
} as const;

/** A client whose settings `holdfast setup` knows. */
export type ClientName = keyof typeof clientTitles;
// A cast: the compiler does not know that an object has no other members than its type.
export const clientNames = Object.keys(clientTitles) as readonly ClientName[];

/** The clients whose hooks `holdfast guard` answers. */
export const guardedClients: readonly ClientName[] = ["claude", "gemini"];

/** The clients that read no settings of a project which a team could share. */
export const personalClients: readonly ClientName[] = ["codex", "copilot", "continue", "windsurf"];

/**
 * Where a client has its settings: a folder of the home folder, and a variable of the environment that names another one
 * in its place. A file that stands beside that folder is in it then.
 */
export const movedHomes: {
  readonly [Name in ClientName]?: { readonly variable: string; readonly folder: string };
} = {
  claude: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  codex: { variable: "CODEX_HOME", folder: ".codex" },
  qwen: { variable: "QWEN_HOME", folder: ".qwen" },
  opencode: { variable: "XDG_CONFIG_HOME", folder: ".config" },
  copilot: { variable: "COPILOT_HOME", folder: ".copilot" },
  zed: { variable: "XDG_CONFIG_HOME", folder: ".config" },
  continue: { variable: "CONTINUE_GLOBAL_DIR", folder: ".continue" },
};

/** The tools that change nothing, as a person can let them run without being asked. */
export const readingTools = ["read_file", "read_many_files", "list_files", "search_files"] as const;
/** The tools that give a file new content: a formatter has work after them. */
export const changingTools = [
  "edit_file",
  "write_file",
  "safe_patch",
  "append_to_file",
  "update_section",
] as const;

/** A tool of ours as the client calls it in its settings. */
export function toolNameIn(client: ClientName, tool: string): string {
  if (client === "zed") return `mcp:holdfast:${tool}`;
  return client === "gemini" ? `mcp_holdfast_${tool}` : `mcp__holdfast__${tool}`;
}

/** For whom the tools are, and for whom the guard: said before anything is asked. */
export function doorFor(client: ClientName): string {
  switch (client) {
    case "claude":
      return "For Claude Code the guard is recommended: Claude keeps its own tools, and a write over a change that it has not seen is refused. Take Holdfast's tools if several agents share a project.";
    case "codex":
      return "For Codex the tools are recommended: its own apply_patch loses lines of a file that changed meanwhile.";
    case "qwen":
      return "Qwen Code's own tools keep what others save. Take Holdfast's tools if several agents share a project.";
    default:
      return "Holdfast's tools are for agents whose own tools lose what others save, and for several agents on one project.";
  }
}

/**
 * What a person has to know beside what was written; undefined where there is nothing. Whether a model may write where
 * nobody is asked is the person's to say: none of this is set.
 */
export function adviceFor(client: ClientName): string | undefined {
  switch (client) {
    case "claude":
      return "Headless (-p) Claude Code asks nobody and so refuses the tools that are not allowed: give --allowedTools mcp__holdfast.";
    case "gemini":
      return 'Headless (-p) Gemini CLI offers the tools only in a folder that it trusts (or with --skip-trust), and only where "trust": true stands beside the server\'s command (or with --yolo).';
    case "codex":
      return 'Headless (codex exec) Codex refuses the tools that write, unless default_tools_approval_mode = "approve" stands below [mcp_servers.holdfast]. With it they write whatever --sandbox says: only sandbox_mode in config.toml counts for them.';
    case "qwen":
      return "Headless (-p) Qwen Code declines the tools that are not allowed: give --yolo, or --allowed-tools mcp__holdfast.";
    case "cursor":
      // https://cursor.com/docs/reference/permissions, read 2026-11-27: the list takes the place of another, so a person adds it.
      return `Cursor asks before each tool. For the tools that only read, put these into "mcpAllowlist" in ~/.cursor/permissions.json, which then counts in place of the list in Cursor's settings: ${readingTools.map((tool) => `"holdfast:${tool}"`).join(", ")}`;
    case "copilot":
      return `Copilot CLI asks before each tool. For the tools that only read: copilot ${readingTools.map((tool) => `--allow-tool='holdfast(${tool})'`).join(" ")}`;
    case "continue":
      return "Continue shows the tools by their bare names (read_file): a second server with such names collides. Headless (cn -p) it allows the tools of all servers.";
    case "jetbrains":
      return "Junie reads this file. In AI Assistant paste it under Settings | Tools | AI Assistant | Model Context Protocol (MCP), Add, As JSON. Both ask before each tool: Junie's Action Allowlist lets reads pass.";
    case "windsurf":
      return "Windsurf reads the file when its MCP servers are refreshed. It starts servers in no project: in the settings of a project's own window add \"--root\" and the project's folder to args.";
    default:
      return undefined;
  }
}
