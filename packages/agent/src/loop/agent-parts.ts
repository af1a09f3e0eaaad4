import type { Effort, ModelPort, OfferedTool } from "@holdfast/core/context";
import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import type { EconomySettings } from "@holdfast/core/economy";
import type { Workspace } from "@holdfast/core/files";
import type { ConversationTool, FileTool, HostTool, ToolContext } from "@holdfast/core/tools";
import type { CostMeter } from "../models/catalog.js";
import type { EconomyParts } from "./context-economy.js";
import type { FileUploads } from "./file-forms.js";
import type { GateOptions } from "./gate.js";
import type { Hooks } from "./hooks.js";
import type { TurnLimits } from "./running-turn.js";
import type { SubAgents } from "./sub-agents.js";

/** What an agent is made of. The caller opens the parts and closes them. */
export interface AgentParts extends Omit<GateOptions, "namesOf">, Omit<EconomyParts, "settings" | "files"> {
  readonly workspace: Workspace;
  readonly model: ModelPort;
  /** The system text, in the vocabulary of the tools that are offered. The same tools give the same text. */
  readonly system?: (offered: readonly OfferedTool[]) => string;
  /** Tools of files that are listed; `dayTools` unless given. */
  readonly fileTools?: readonly FileTool[];
  /** Those that a model may call beside them: all, or where `fileTools` is given other vendors' (`dialectTools`). */
  readonly moreFileTools?: readonly FileTool[];
  /** Whether tools that are not listed, and those of servers where they are many, are found by `more_tools`; unless false. */
  readonly findsTools?: boolean;
  /** What a model may do to the conversation, by one tool that stands for these; all unless given. */
  readonly conversationTools?: readonly ConversationTool[];
  /** Commands, tools of MCP servers. Asked for with each request: the tools of a server may become others. */
  readonly hostTools?: () => readonly HostTool[];
  /** How much the model is to think; what its provider does by itself unless given. */
  readonly effort?: Effort;
  readonly limits?: TurnLimits;
  /** Lets a model delegate tasks; none unless given. */
  readonly subAgents?: SubAgents;
  /** Commands of the settings that are run before and after calls, and at the end of a turn. */
  readonly hooks?: Hooks;
  /** What the folder of the session is known by, also where it has another name by now. */
  readonly folderId?: string;
  /** The folder of the session now, absolute. */
  readonly folder?: string;
  /** Counts the money of the run, which may have more than one agent; one of the agent's own unless given. */
  readonly meter?: CostMeter;
  /** When the prompt is made smaller; `defaultEconomy` unless given. */
  readonly economy?: EconomySettings;
  readonly newId: () => string;
  /** The bytes of media that the session keeps (`OpenSession.readBlob`); without it such media are lost to the prompt. */
  readonly readBlob?: (sha256: string) => Promise<Uint8Array | ConversationRefusal | undefined>;
  /** Where large files are uploaded to, so that requests name them; nowhere unless given. */
  readonly uploads?: FileUploads;
  readonly wire?: Pick<ToolContext, "wire" | "resultContent">;
  /** Told what was thrown by a tool, for the host's log. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}
