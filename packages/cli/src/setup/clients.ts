import type { OnMismatch } from "@holdfast/core";

/** The one flag of the server that `holdfast setup` is asked for. */
export const mismatchFlag = "--on-mismatch";

/** What is to stand in a client's configuration. */
export interface Setting {
  /** The file, relative to the project or, for a person's own settings, to their home folder. */
  readonly file: string;
  /** The members from the root of the file to the value. */
  readonly path: readonly string[];
  readonly value: unknown;
  /**
   * The value is one element of the list at `path`: it takes the place of the element that this finds, or
   * stands at the end.
   */
  readonly among?: (element: unknown) => boolean;
}

/** What `holdfast setup` is asked to write. */
export interface SetupWishes {
  readonly client: ClientName;
  /** The settings of the person, for all their projects, instead of those of the project. */
  readonly user: boolean;
  /** Also the hooks of `holdfast guard`. */
  readonly guard: boolean;
  /** What the server answers to a change of an older state; its default unless given. */
  readonly onMismatch?: OnMismatch | undefined;
  /** How a client starts this program. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
}

export const clientNames = ["claude", "gemini", "cursor", "vscode"] as const;
/** A client whose settings `holdfast setup` knows. */
export type ClientName = (typeof clientNames)[number];

/** The clients whose hooks `holdfast guard` answers. */
export const guardedClients: readonly ClientName[] = ["claude", "gemini"];

/** What to set, file by file, as each client documents it. */
export function settingsFor(wishes: SetupWishes): readonly Setting[] {
  const hooks = wishes.guard ? hookSettings(wishes) : [];
  return [serverSetting(wishes), ...hooks];
}

function serverSetting({ client, user, program, onMismatch }: SetupWishes): Setting {
  const { command } = program;
  const args = [...program.args, "mcp", ...(onMismatch === undefined ? [] : [mismatchFlag, onMismatch])];
  switch (client) {
    case "claude":
      return { file: user ? ".claude.json" : ".mcp.json", path: servers, value: { command, args } };
    case "gemini":
      return { file: ".gemini/settings.json", path: servers, value: { command, args } };
    case "cursor":
      return { file: ".cursor/mcp.json", path: servers, value: { command, args: inWorkspace(args) } };
    case "vscode":
      return {
        file: user ? ".config/Code/User/mcp.json" : ".vscode/mcp.json",
        path: ["servers", "holdfast"],
        value: { type: "stdio", command, args: inWorkspace(args) },
      };
    default:
      return client satisfies never;
  }
}

const servers = ["mcpServers", "holdfast"];

/** Editors start servers anywhere; they name the folder themselves. */
function inWorkspace(args: readonly string[]): readonly string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor's own variable, not ours
  return [...args, "--root", "${workspaceFolder}"];
}

function hookSettings({ client, program }: SetupWishes): readonly Setting[] {
  const command = [program.command, ...program.args, "guard"].map(shellWord).join(" ");
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
    case "cursor":
    case "vscode":
      return [];
    default:
      return client satisfies never;
  }
}

const claudeTools = "Read|Edit|MultiEdit|Write|NotebookEdit|mcp__.*";
const geminiTools = "read_file|replace|write_file|mcp_.*";

/** A hook that calls `holdfast guard`, of whatever checkout. */
function isOurs(element: unknown): boolean {
  return /holdfast[^"]*["']? guard"/.test(JSON.stringify(element) ?? "");
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
