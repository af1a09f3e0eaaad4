import type { ResultContent, ToolName, WireForm } from "@holdfast/core/tools";
import type { Server } from "@modelcontextprotocol/server";
import type { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { ServedOn } from "./client-roots.js";
import type { RunningCalls } from "./running-calls.js";

/** One message may hold a whole file of this size. A longer line takes no more memory than this until it ends. */
export const messageLimitBytes = 64 * 1024 * 1024;

/** What a server offers, and on which workspace. */
export interface McpOptions extends ServedOn {
  /**
   * Makes a server with other tools than ours, for one connection. `tools`, `wire`, `resultContent` and `structured`
   * then do not count.
   */
  readonly createServer?: (options: McpOptions, calls: RunningCalls) => Server;
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
}
