import type { ResultContent, ToolName, ToolWorkspace, WireForm } from "@holdfast/core";
import type { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { OpenFor } from "./client-roots.js";
import type { FilesystemWorkspace } from "./compat/session.js";
import type { RunningCalls } from "./running-calls.js";

/** One message may hold a whole file of this size. A longer line takes no more memory than this until it ends. */
export const messageLimitBytes = 64 * 1024 * 1024;

/** What a server offers, and on which workspace. */
export interface McpOptions {
  /** One for whatever the client says, or what opens one for the roots that the client names, and again where they change. */
  readonly workspace: ToolWorkspace | OpenFor;
  /**
   * Offers the tools of the official filesystem server instead of our own, on this workspace. Of the other
   * options only `readOnly`, `input`, `version` and `onError` then count.
   */
  readonly compat?: { readonly profile: "filesystem"; readonly workspace: FilesystemWorkspace };
  /** The tools to offer; those of the catalogue's default unless given. They are listed in their own order, whatever this one's. */
  readonly tools?: readonly ToolName[];
  /** Offer only the tools that change nothing; the others are refused with `read_only`. */
  readonly readOnly?: boolean;
  /** `text` unless given. */
  readonly wire?: WireForm;
  /** `auto` unless given. */
  readonly resultContent?: ResultContent;
  /**
   * Small acknowledgements come as JSON, and the same JSON as `structuredContent`. Replies that hold text
   * of files stay text only: some clients show a model nothing but the one, some nothing but the other.
   */
  readonly structured?: boolean;
  /** The most characters that one answer has, whoever the client is; what `hosts.ts` knows of it unless given. */
  readonly answerBudget?: number;
  /**
   * Where messages come from; this process's stdin unless given. The SDK looks through all it holds again
   * at every chunk, so a host does well to hand over complete lines.
   */
  readonly input?: ConstructorParameters<typeof StdioServerTransport>[0];
  /** Counts the calls under way, for a host that paces what it hands over by them; the server's own unless given. */
  readonly calls?: RunningCalls;
  /** What the server calls itself. */
  readonly version?: string;
  /** Told what went wrong beside the protocol, for stderr or a log. Must not throw. */
  readonly onError?: (error: unknown, where: string) => void;
}
