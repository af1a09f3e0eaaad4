import type { ModelPort } from "@holdfast/core/context";
import type { ContextManager } from "@holdfast/core/conversation";
import type { ConversationRefusal, JsonObject } from "@holdfast/core/conversation/values";
import type { Workspace } from "@holdfast/core/files";
import type { AnyRefusalCode } from "@holdfast/core/files/values";
import type { HostScope, HostTool } from "@holdfast/core/tools";
import type { ApprovalRule } from "../config/approval.js";
import type { McpServerState } from "../host/mcp-servers.js";
import type { RunningCommand } from "../host/running-command.js";
import type { WrittenPrompt } from "../input/written-prompts.js";
import type { Agent } from "../loop/agent.js";

/** What a slash command does, and how it is typed. Help, completion and the reader of a line go by it. */
export interface Command {
  /** Its words without the slash, such as `task start`. */
  readonly name: string;
  /** What may follow, as help shows it. */
  readonly usage: string;
  /** One sentence. */
  readonly says: string;
  /** Its options by name, without the dashes. */
  readonly options: Readonly<Record<string, OptionKind>>;
  /** How many words it takes beside its options; the rest of the line is one text where `most` is `text`. */
  readonly operands: { readonly least: number; readonly most: number | "text" };
  /** What its first word is, for completion. */
  readonly operand?: OperandKind;
  readonly run: (given: GivenWords, host: CommandHost) => Promise<CommandOutcome>;
}

/** A command as it is written here: it takes nothing of what is left out. The table of the commands fills that in. */
export type CommandSpec = Omit<Command, "usage" | "options" | "operands"> & Partial<Command>;

/**
 * `switch`: present or not; `value`: the last one counts; `values`: each counts; `node`: a value that names a node; a
 * list: one of these.
 */
export type OptionKind = "switch" | "value" | "values" | "node" | readonly string[];

/** What a word names. */
export type OperandKind =
  | "path"
  | "task"
  | "node"
  | "session"
  | "model"
  | "effort"
  | "mode"
  | "command"
  | "server";

/** What a line gives to its command. */
export interface GivenWords {
  readonly kind: "given";
  /** The words beside the options. */
  readonly words: readonly string[];
  /** The same as one text; empty where there is none. */
  readonly text: string;
  has(option: string): boolean;
  value(option: string): string | undefined;
  values(option: string): readonly string[];
}

/** What the commands work on. What a host cannot do is left out; the command then says so. */
export interface CommandHost {
  readonly agent: Agent;
  readonly manager: ContextManager;
  readonly workspace: Workspace;
  /** Prompts that were written down: commands of the person's and the project's own, and skills. */
  readonly prompts?: readonly WrittenPrompt[];
  /** Runs a command of the person in a shell: `run_shell_command`. */
  readonly shell?: HostTool;
  /** Told what that command has printed until now. */
  readonly progress?: HostScope["progress"];
  /** The commands of the model in the background, with the latest that have ended. */
  readonly background?: () => readonly RunningCommand[];
  /** Opens another model by its name; `unpriced` where the run has a limit of cost and its prices are not known. */
  readonly openModel?: (name: string) => Promise<ModelPort | Refused>;
  /** Names of models that can be typed, such as `anthropic/claude-…`. */
  readonly modelNames?: () => Promise<readonly string[]>;
  /** The stored sessions, the last changed first. */
  readonly listSessions?: () => Promise<readonly ListedSession[] | ConversationRefusal>;
  /** The whole session as a text of this form. */
  readonly exportAs?: (form: ExportForm) => Promise<string | ConversationRefusal>;
  /** Writes a new file for the person; one that is there already is refused. @returns its path as it is shown. */
  readonly writeNew?: (path: string, text: string) => Promise<string | Refused>;
  /** Puts a text into the clipboard of the person. */
  readonly copy?: (text: string) => Promise<void>;
  /** The settings that hold, a line each, with where each comes from. */
  readonly settings?: (sections?: readonly string[]) => Promise<readonly string[]>;
  /** Puts a rule of approval before all others, in the person's own settings too. @returns what was done. */
  readonly addRule?: (rule: ApprovalRule) => Promise<string | Refused>;
  /** How the MCP servers stand; starts those that failed once more where that is wanted. */
  readonly servers?: (isRetry: boolean) => Promise<readonly McpServerState[]>;
  /** Trusts the folder, or no more; without an answer it tells how it stands. @returns a sentence, and lines on it. */
  readonly trust?: (answer?: "yes" | "no") => Promise<readonly string[]>;
  /** The report of `holdfast doctor`. */
  readonly doctor?: () => Promise<readonly string[]>;
  readonly signal?: AbortSignal;
}

/** A stored session in a list. */
export interface ListedSession {
  readonly id: string;
  readonly title?: string;
  /** Milliseconds since the epoch. */
  readonly changedMs: number;
}

/** The forms of an export. */
export const exportForms = ["outline", "yaml", "json", "html"] as const;

/** A form of an export. */
export type ExportForm = (typeof exportForms)[number];

/** An expected "no" of a port. */
export interface Refused {
  readonly kind: "refusal";
  readonly code: CommandCode;
  readonly message: string;
}

/** Why a command did nothing: a code of the core, or one that only a command has. */
export type CommandCode =
  | AnyRefusalCode
  | "unknown_command"
  | "unavailable"
  | "unknown_model"
  | "unpriced"
  | "nothing_to_copy";

/** What a command comes to, as a value: a screen or a stream shows it, `describeResult` makes text of it. */
export type CommandResult = CommandOutcome & {
  /** The command's name; `!` for a command of the shell. */
  readonly command: string;
};

/** A result before the command's name is put to it. */
export type CommandOutcome =
  | DoneResult
  /** Nothing was done. */
  | { readonly kind: "refused"; readonly code: CommandCode; readonly message: string }
  | AskedBack
  /** The host is to ask the model with these words, in which `@` names files. */
  | { readonly kind: "prompt"; readonly text: string; readonly message?: string }
  /** The host is to go on with another session; this one stays as it is. */
  | { readonly kind: "session"; readonly session: WantedSession }
  | { readonly kind: "quit" };

/** It was done, or here is what was asked for. */
export interface DoneResult {
  readonly kind: "told";
  /** One sentence. */
  readonly message: string;
  readonly data?: JsonObject;
  /** A longer text to be read as it is. */
  readonly text?: string;
}

/** Nothing was done yet: the person has to choose. Each choice is a line to be run in its place. */
export interface AskedBack {
  readonly kind: "question";
  readonly message: string;
  readonly text: string;
  readonly choices: readonly Choice[];
}

/** One way to go on. */
export interface Choice {
  readonly word: string;
  readonly says: string;
  /** The command that does it. */
  readonly line: string;
}

/** The session that a host is to go on with. */
export type WantedSession =
  | { readonly kind: "new" }
  /** By the beginning of its id. */
  | { readonly kind: "resume"; readonly id: string }
  /** A copy of the present one with all its branches; its head is at the node where one is named. */
  | { readonly kind: "fork"; readonly nodeId?: string };
