import { tableOf } from "./table.js";

/** What a client does about the tools of a server, as it was tried; by its documentation only, where no version is named. */
export interface Client {
  readonly title: string;
  /** The program that a shell starts. */
  readonly program: string;
  /** The version that was run. */
  readonly tested: string | undefined;
  /**
   * How its modes hold for our tools: it keeps them itself; it tells them, in each call or in a file; flags and settings say
   * them; or nobody knows.
   */
  readonly modes: "kept" | "told" | "read" | "unknown";
  /** Its own tools that read, and those that write: each by the names that it has in rules. */
  readonly reading: readonly (readonly string[])[];
  readonly writing: readonly (readonly string[])[];
  /** What its own tools are refused, and ours are not: said before a person agrees, and in docs/mcp.md. */
  readonly cannot: string;
}

/** A client whose settings `holdfast setup` knows. */
export type ClientName =
  | ("claude" | "gemini" | "codex" | "qwen" | "opencode" | "copilot")
  | ("cursor" | "vscode" | "zed" | "jetbrains" | "continue" | "windsurf");

/** Name, title, program and version, modes, tools that read, tools that write, what cannot be had. */
const rows = tableOf(`
claude    | Claude Code        | claude 2.1.332   | kept    | Read | Edit Write | What a blocking hook refuses that setup did not see, as of another project.
gemini    | Gemini CLI         | gemini 0.61.0    | kept    | read_file/ReadFileTool | replace/EditTool write_file/WriteFileTool | What policies of extensions refuse, and an argsPattern about more than a path.
codex     | Codex              | codex 0.171.0    | told    |      |            |
qwen      | Qwen Code          | qwen 0.24.4      | kept    | read_file/Read/ReadFileTool | edit/EditTool/replace |
opencode  | opencode           | opencode 1.18.33 | read    |      |            | What settings from the network and plugins refuse.
copilot   | GitHub Copilot CLI | copilot 1.0.102  | told    | view | edit create | Content exclusion of an organisation, and paths that its sandbox denies.
cursor    | Cursor             | cursor           | unknown | Read | Write      | We did not run it: what its modes refuse its own tools.
vscode    | Visual Studio Code | code             | unknown |      |            | We did not run it: what its modes and rules refuse its own tools.
zed       | Zed                | zed              | unknown |      |            | We did not run it: what its modes and rules refuse its own tools.
jetbrains | JetBrains (Junie and AI Assistant) | junie | unknown |  |            | We did not run it: what its modes refuse its own tools.
continue  | Continue           | cn 1.5.47        | read    | Read | Edit/MultiEdit Write | Plan mode that is chosen with Shift+Tab: Continue allows the tools of servers in it, and tells no server.
windsurf  | Windsurf           | windsurf         | unknown |      |            | We did not run it: what its modes refuse its own tools.
`);

/** One row a client. */
// A cast: the table has a row of each name.
export const clients = Object.fromEntries([...rows].map(([name, cells]) => [name, clientOf(cells)])) as {
  readonly [Name in ClientName]: Client;
};
// A cast: an object has no other members than its type.
export const clientNames = Object.keys(clients) as readonly ClientName[];

function clientOf([
  title = "",
  run = "",
  modes,
  reads = "",
  writes = "",
  cannot = "",
]: readonly string[]): Client {
  const [program = "", tested] = run.split(" ");
  const named = (tools: string) => (tools === "" ? [] : tools.split(" ").map((names) => names.split("/")));
  // A cast: the table is ours.
  return {
    title,
    program,
    tested,
    modes: modes as Client["modes"],
    reading: named(reads),
    writing: named(writes),
    cannot,
  };
}

/** The clients whose hooks `holdfast guard` answers. */
export const guardedClients: readonly ClientName[] = ["claude", "gemini"];

/** The clients that read no settings of a project which a team could share. */
export const personalClients: readonly ClientName[] = ["codex", "copilot", "continue", "windsurf"];

/**
 * Where a client has its settings: a folder of the home folder, and a variable of the environment that names another one
 * in its place. A file that stands beside that folder is in it then.
 */
const homes = tableOf(`
claude   | CLAUDE_CONFIG_DIR   | .claude
codex    | CODEX_HOME          | .codex
qwen     | QWEN_HOME           | .qwen
opencode | XDG_CONFIG_HOME     | .config
copilot  | COPILOT_HOME        | .copilot
zed      | XDG_CONFIG_HOME     | .config
continue | CONTINUE_GLOBAL_DIR | .continue
`);

/** The folder of a client, and where it was moved to. */
export function homeOf(client: ClientName): { readonly folder: string; readonly moved: string } {
  const [variable = "", folder = ""] = homes.get(client) ?? [];
  return { folder, moved: process.env[variable] ?? "" };
}

/** The tools that change nothing, as a person can let them run without being asked. */
export const readingTools = ["read_file", "read_many_files", "list_files", "search_files"] as const;
/** The tools that give a file new content: a formatter has work after them. */
export const changingTools = "edit_file write_file safe_patch append_to_file update_section".split(" ");

/** All tools that write. */
export const writingTools = [...changingTools, "move_file", "delete_file", "undo_edit"];

/** A tool of ours as the client calls it in its settings. */
export function toolNameIn(client: ClientName, tool: string): string {
  return `${prefixes.get(client)?.[0] ?? "mcp__holdfast__"}${tool}`;
}

const prefixes = tableOf(`
zed      | mcp:holdfast:
gemini   | mcp_holdfast_
opencode | holdfast_
copilot  | holdfast-
continue |
`);

/** For whom the tools are, and for whom the guard: said before anything is asked. */
export function doorFor(client: ClientName): string {
  const [words] = doors.get(client) ?? [];
  return (
    words ??
    "Holdfast's tools are for agents whose own tools lose what others save, and for several agents on one project."
  );
}

const doors = tableOf(`
claude | For Claude Code the guard is recommended: Claude keeps its own tools, and a write over a change that it has not seen is refused. Take Holdfast's tools if several agents share a project.
codex  | For Codex the tools are recommended: its own apply_patch loses lines of a file that changed meanwhile.
qwen   | Qwen Code's own tools keep what others save. Take Holdfast's tools if several agents share a project.
`);

/**
 * What a person has to know beside what was written; undefined where there is nothing. Whether a model may write where
 * nobody is asked is the person's to say: none of this is set.
 */
export function adviceFor(client: ClientName): string | undefined {
  return advice.get(client)?.join("|");
}

// Cursor: https://cursor.com/docs/reference/permissions, read 2026-11-27: the list takes the place of another, so a person adds it.
const advice = tableOf(`
claude   | Headless (-p) Claude Code asks nobody and so refuses the tools that are not allowed: give --allowedTools mcp__holdfast.
gemini   | Headless (-p) Gemini CLI offers the tools only in a folder that it trusts (or with --skip-trust), and only where "trust": true stands beside the server's command (or with --yolo).
codex    | Headless (codex exec) Codex refuses the tools that write, unless default_tools_approval_mode = "approve" stands below [mcp_servers.holdfast]. Its sandbox, profile and permissions hold for them all the same.
qwen     | Headless (-p) Qwen Code declines the tools that are not allowed: give --yolo, or --allowed-tools mcp__holdfast.
opencode | Agents of your own get none of the tools: give them "permission": { "holdfast_*": "allow" }, and they count as what the agent may do with any file.
cursor   | Cursor asks before each tool. For the tools that only read, put these into "mcpAllowlist" in ~/.cursor/permissions.json, which then counts in place of the list in Cursor's settings: ${readingTools.map((tool) => `"holdfast:${tool}"`).join(", ")}
copilot  | Copilot CLI asks before each tool. For the tools that only read: copilot ${readingTools.map((tool) => `--allow-tool='holdfast(${tool})'`).join(" ")}
continue | Continue shows the tools by their bare names (read_file): a second server with such names collides. Headless (cn -p) it allows the tools of all servers.
jetbrains | Junie reads this file. In AI Assistant paste it under Settings > Tools > AI Assistant > Model Context Protocol (MCP), Add, As JSON. Both ask before each tool: Junie's Action Allowlist lets reads pass.
windsurf | Windsurf reads the file when its MCP servers are refreshed. It starts servers in no project: in the settings of a project's own window add "--root" and the project's folder to args.
`);
