import type { OnMismatch } from "@holdfast/core/files";
import type { Terminal } from "./terminal.js";

/** A client that `holdfast setup` knows. */
export const hostNames = [
  "claude",
  "gemini",
  "codex",
  "qwen",
  "opencode",
  "copilot",
  "cursor",
  "vscode",
  "zed",
  "jetbrains",
  "continue",
  "windsurf",
] as const;

/** What a command gets: its arguments in order, its flags, and where it may print. */
export interface Invocation {
  readonly args: readonly (string | undefined)[];
  readonly flags: Flags;
  readonly settings: Settings;
  readonly terminal: Terminal;
  /** Ends the command as a usage error: one line, a hint, exit code 2. */
  readonly misuse: (message: string) => never;
}

/** Every flag of every command; which command takes which is said in the table below. */
export interface Flags extends GlobalFlags {
  readonly offset?: number;
  readonly charOffset?: number;
  readonly limit?: number;
  readonly depth?: number;
  readonly all?: boolean;
  readonly tryModel?: boolean;
  readonly glob?: readonly string[];
  readonly type?: readonly string[];
  readonly filesWithMatches?: boolean;
  readonly counts?: boolean;
  readonly exclude?: readonly string[];
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  readonly context?: number;
  readonly encoding?: string;
  readonly strip?: number;
  readonly modes?: boolean;
  /** One state; for a change set those of its files, each as PATH=SHA256. */
  readonly base?: string | readonly string[];
  readonly atomic?: boolean;
  readonly inPlace?: boolean | "auto";
  readonly exact?: boolean;
  readonly old?: string;
  readonly new?: string;
  readonly count?: number;
  readonly create?: boolean;
  readonly jsonl?: boolean;
  readonly readOnly?: boolean;
  readonly tools?: string;
  readonly wire?: "text" | "json";
  readonly resultContent?: "auto" | "full" | "changed" | "none";
  readonly structured?: boolean;
  readonly answerBudget?: number;
  readonly allowWideRoot?: boolean;
  readonly compat?: "filesystem";
  readonly overwriteGuard?: "hash" | "read" | "warn";
  readonly editGuard?: "read" | "atomic";
  readonly memoryPaths?: readonly string[];
  readonly onMismatch?: OnMismatch;
  readonly strictView?: boolean;
  readonly rereadStub?: boolean;
  readonly keepDays?: number;
  readonly maxMegabytes?: number;
  readonly secrets?: boolean;
  readonly dryRun?: boolean;
  readonly guard?: boolean;
  readonly guardOnly?: boolean;
  readonly toolsOnly?: boolean;
  readonly allowReads?: boolean;
  readonly acceptEdits?: boolean;
  readonly formatters?: boolean;
  /** The client whose rules count, too. */
  readonly rulesOf?: (typeof hostNames)[number];
  readonly user?: boolean;
  /** Of `setup`; the name of a folder for `sessions import`. */
  readonly project?: boolean | string;
  readonly remove?: boolean;
  readonly yes?: boolean;
  /** Where sessions are: `postgres://…`, or the state folder. */
  readonly store?: string;
  /** A node of a session. */
  readonly head?: string;
  /** The same, whose files are meant. */
  readonly node?: string;
  readonly restore?: boolean;
  /** A restore of a session that is to be taken back. */
  readonly undo?: string;
  readonly consent?: readonly string[];
  readonly leave?: boolean;
  readonly title?: string;
  readonly output?: string;
  readonly repair?: boolean;
  readonly newId?: boolean;
  /** Milliseconds since the epoch, as are the next two. */
  readonly olderThan?: number;
  readonly since?: number;
  readonly before?: number;
  readonly after?: string;
  readonly keep?: number;
  readonly tenant?: string;
  /** The program whose sessions are meant. */
  readonly from?: string;
  readonly apply?: boolean;
  readonly yaml?: boolean;
  readonly html?: boolean;
  /** Of `view`: where it is served, the file it is written to, and whether a browser is opened. */
  readonly port?: number;
  readonly share?: string;
  readonly open?: boolean;
  readonly times?: boolean;
  /** Of a history: kinds of nodes, separated by commas. */
  readonly kind?: readonly string[];
  readonly text?: string;
  /** A node whose branch is meant. */
  readonly branch?: string;
  readonly foldTasks?: boolean;
  /** Of the agent: what is asked of it without a screen. */
  readonly prompt?: string;
  readonly promptInteractive?: string;
  readonly outputFormat?: "text" | "json" | "stream-json";
  readonly reading?: boolean;
  readonly includePartial?: boolean;
  /** The name of it that others use. */
  readonly includePartialMessages?: boolean;
  readonly continue?: boolean;
  /** A session to go on with. */
  readonly resume?: string;
  readonly fork?: boolean;
  readonly sessionId?: string;
  readonly ephemeral?: boolean;
  readonly model?: string;
  /** A file with the answers of a scripted model. */
  readonly script?: string;
  /** A file in which requests and answers are recorded. */
  readonly record?: string;
  /** A recording that is played in place of a model. */
  readonly replay?: string;
  readonly effort?: "off" | "low" | "medium" | "high" | "max";
  readonly approvalMode?: "plan" | "ask" | "auto-edit" | "yolo";
  readonly sandbox?: "auto" | "on" | "off";
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCost?: number;
  /** A file in which each request is written as it is sent. */
  readonly debug?: string;
  readonly include?: readonly string[];
  readonly mcpConfig?: string;
}

/** What every command knows from the flags before it begins. */
export interface Settings {
  /** Folders that may be worked in; a relative path counts from the first. */
  readonly roots: readonly string[];
  /** Where history, states and locks are kept; the user's state folder unless given. */
  readonly stateDir?: string;
  readonly json: boolean;
  /** Globs of protected paths that the caller approves of for this one call. */
  readonly allowProtected: readonly string[];
  /** For how many days states of files that may hold secrets are kept; seven unless given. */
  readonly keepSecrets?: number | "none";
}

/** The flags as commander hands them over, for any command. */
export interface GlobalFlags {
  readonly root?: readonly string[];
  readonly stateDir?: string;
  readonly json?: boolean;
  readonly color?: boolean;
  readonly allowProtected?: readonly string[];
  readonly keepSecrets?: number | "none";
}
