import type { Media } from "@holdfast/core/conversation/values";
import type { Refusal } from "@holdfast/core/files/values";
import type { HostTool } from "@holdfast/core/tools";
import type { FileCheck } from "./shell-tool.js";
import type { SpillFiles } from "./spill-files.js";

/**
 * The MCP servers of one session, as the agent uses them: the port of the add-on that speaks to them. Each costs only
 * itself, and none of its faults is thrown. Close it: nothing that was started runs any more then.
 */
export interface McpServers {
  /** Connects to all servers side by side, each within its time; says how each stands then. Never rejects. */
  start(): Promise<readonly McpServerState[]>;
  /** How each server stands. */
  states(): readonly McpServerState[];
  /**
   * The tools of all servers that were listed, under names that are valid and unique. The same list again where nothing
   * has changed; a server that is gone keeps its tools, whose next call starts it again.
   */
  tools(): readonly HostTool[];
  /** What the servers say about themselves, for the system text. */
  instructions(): readonly { readonly server: string; readonly text: string }[];
  /** The addresses of a server's resources, for completion. */
  listResources(
    server: string,
    signal?: AbortSignal,
  ): Promise<readonly { readonly uri: string; readonly name: string }[] | Refusal>;
  /**
   * Reads a resource of a server.
   *
   * @returns `not_found` where there is no such server or resource, `cancelled`, or `too_large` for too much.
   */
  readResource(server: string, uri: string, signal?: AbortSignal): Promise<McpResource | Refusal>;
  /** Ends all connections, and the servers that were started, with everything they started. */
  close(): Promise<void>;
}

/** What the servers of a session are opened with. */
export interface McpServersGround {
  /** By the name that the user gave it. */
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  /** The workspace's folders, absolute: what a server is told when it asks for roots. */
  readonly roots: readonly string[];
  /** As `withoutSecrets` makes it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Our name and version, for the servers. */
  readonly client: { readonly name: string; readonly version: string };
  /** Where results are kept that are too long to be shown, to be read by `read_output`. */
  readonly spilled: SpillFiles;
  readonly checkFiles?: FileCheck;
  /** Told when the tools of a server are others than before. Must not throw. */
  readonly onChanged?: () => void;
}

/** A server of the user's configuration: a program, or an address. */
export type McpServerConfig = McpProgram | McpAddress;

/** How long a server is waited for. */
interface McpTimes {
  /** For connecting and listing its tools, in milliseconds; as for all servers unless given. */
  readonly startTimeoutMs?: number | undefined;
  /** For one call without a sign of progress, in milliseconds; as for all servers unless given. */
  readonly timeoutMs?: number | undefined;
}

/** A server that is started here and speaks on its standard streams. */
interface McpProgram extends McpTimes {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to our own environment, which is handed over without what looks like a secret. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The first root unless given. */
  readonly cwd?: string;
}

/** A server that is reached by streamable HTTP. */
interface McpAddress extends McpTimes {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A server, for a list that a person reads. */
export interface McpServerState {
  readonly name: string;
  readonly kind: "idle" | "ready" | "failed" | "closed";
  readonly tools: number;
  /** Why it cannot be used, and which of its tools are not offered and why. */
  readonly messages: readonly string[];
}

/** What is behind the address of a resource: `@server:uri`. */
export interface McpResource {
  readonly kind: "resource";
  readonly parts: readonly (
    | { readonly kind: "text"; readonly uri: string; readonly text: string; readonly mimeType?: string }
    | { readonly kind: "media"; readonly uri: string; readonly media: Media }
  )[];
}
