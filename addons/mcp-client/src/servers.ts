import { createHash } from "node:crypto";
import {
  type McpResource,
  type McpServerState,
  type McpServers,
  type McpServersGround,
  safeText,
} from "@holdfast/agent/host";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import type { HostTool } from "@holdfast/core/tools";
import {
  type ConnectionContext,
  errorWords,
  type ListedTool,
  McpConnection,
  shownName,
} from "./connection.js";
import { type ResultBudget, resultBudget } from "./result.js";
import { type McpCalls, toolOfServer } from "./tool.js";

/** What the servers are opened with, and bounds that hold for all of them. */
export interface ServersOptions extends McpServersGround {
  /** For connecting to one server and listing its tools, in milliseconds: 30,000 unless given. */
  readonly startMs?: number;
  /** For one call without a sign of progress, in milliseconds: ten minutes unless given. */
  readonly callMs?: number;
  /**
   * Of one message of a server: 10 MiB unless given. The library puts a long line together anew with each piece of it:
   * a line of 32 MiB takes ten seconds of our time.
   */
  readonly messageBytes?: number;
  readonly budget?: ResultBudget;
}

/** Opens the MCP servers of one session; none is connected to before `start`. */
export function openMcpServers(options: ServersOptions): McpServers {
  return new Servers(options);
}

class Servers implements McpServers {
  private readonly connections: ReadonlyMap<string, McpConnection>;
  private readonly calls: McpCalls;
  private offered: readonly HostTool[] = [];
  private offeredOf: readonly unknown[] = [];
  private readonly onExit = () => this.killNow();

  constructor(options: ServersOptions) {
    const { spilled: files, callMs = 600_000, budget = resultBudget, checkFiles } = options;
    this.calls = { callMs, budget, files, ...defined({ checkFiles }) };
    const context: ConnectionContext = {
      roots: options.roots,
      environment: options.environment,
      client: options.client,
      startMs: options.startMs ?? 30_000,
      messageBytes: options.messageBytes ?? 10 << 20,
      onListed: () => options.onChanged?.(),
    };
    const made = Object.entries(options.servers).map(
      ([name, config]) => [name, new McpConnection(name, config, context)] as const,
    );
    this.connections = new Map(made);
    process.on("exit", this.onExit);
  }

  async start(): Promise<readonly McpServerState[]> {
    await Promise.all([...this.connections.values()].map((connection) => connection.open()));
    return this.states();
  }

  states(): readonly McpServerState[] {
    return [...this.connections.values()].map(({ name, state }) => ({
      name,
      kind: state.kind,
      tools: state.kind === "ready" ? state.tools.length : 0,
      messages: state.kind === "ready" ? state.left : state.kind === "failed" ? [state.message] : [],
    }));
  }

  tools(): readonly HostTool[] {
    const listed = [...this.connections.values()].flatMap((connection) => this.listedOf(connection));
    const key = listed.map(({ tool }) => tool);
    if (key.length === this.offeredOf.length && key.every((tool, at) => tool === this.offeredOf[at]))
      return this.offered;
    const names = offeredNames(
      listed.map(({ tool, connection }) => ({ server: connection.name, tool: tool.name })),
    );
    this.offered = listed.map(({ tool, connection }, at) =>
      toolOfServer(names[at] ?? tool.name, tool, connection, this.callsOf(connection)),
    );
    this.offeredOf = key;
    return this.offered;
  }

  private callsOf({ timeoutMs = this.calls.callMs }: McpConnection): McpCalls {
    return { ...this.calls, callMs: timeoutMs };
  }

  instructions(): readonly { readonly server: string; readonly text: string }[] {
    return [...this.connections.values()].flatMap(({ name, instructions }) =>
      instructions === undefined || instructions.trim() === ""
        ? []
        : [{ server: name, text: safeText(instructions).slice(0, mostInstructionChars) }],
    );
  }

  async listResources(
    server: string,
    signal?: AbortSignal,
  ): Promise<readonly { readonly uri: string; readonly name: string }[] | Refusal> {
    const client = await this.clientOf(server, signal);
    if (isRefusal(client)) return client;
    try {
      const { resources } = await client.listResources({}, defined({ signal }));
      return resources.map(({ uri, name }) => ({ uri, name }));
    } catch (error) {
      return refuse("not_found", `${shownName(server)} lists no resources: ${errorWords(error)}`);
    }
  }

  async readResource(server: string, uri: string, signal?: AbortSignal): Promise<McpResource | Refusal> {
    const client = await this.clientOf(server, signal);
    if (isRefusal(client)) return client;
    try {
      const { contents } = await client.readResource({ uri }, defined({ signal }));
      const parts = contents.map((one): McpResource["parts"][number] => {
        const { mimeType } = one;
        if ("text" in one) return { kind: "text", uri: one.uri, text: one.text, ...defined({ mimeType }) };
        const media = { mimeType: mimeType ?? "application/octet-stream", data: one.blob };
        return { kind: "media", uri: one.uri, media };
      });
      return { kind: "resource", parts };
    } catch (error) {
      if (signal?.aborted === true) return refuse("cancelled", "Reading the resource was cancelled.");
      return refuse("not_found", `${shownName(server)} gives no ${safeText(uri)}: ${errorWords(error)}`);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.connections.values()].map((connection) => connection.close()));
    process.off("exit", this.onExit);
  }

  private async clientOf(server: string, signal?: AbortSignal) {
    const connection = this.connections.get(server);
    return connection === undefined
      ? refuse("not_found", `There is no MCP server ${shownName(server)}.`)
      : connection.open(signal);
  }

  private readonly lastListed = new Map<string, readonly ListedTool[]>();

  private listedOf(connection: McpConnection) {
    const { name, state } = connection;
    if (state.kind === "ready") this.lastListed.set(name, state.tools);
    return (this.lastListed.get(name) ?? []).map((tool) => ({ tool, connection }));
  }

  private killNow(): void {
    for (const connection of this.connections.values()) connection.killNow();
  }
}

const mostInstructionChars = 8_000;

/** A tool as its server names it. */
interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * The names under which tools of servers are offered, as `server__tool`: such as every provider takes (letters, digits,
 * `_` and `-`, a letter or `_` first, at most 64), and no two alike. A name that would be too long or is taken already
 * ends in digits of the hash of what it stands for.
 *
 * @param taken names that are somebody else's.
 */
export function offeredNames(tools: readonly NamedTool[], taken: Iterable<string> = []): readonly string[] {
  const used = new Set(taken);
  return tools.map(({ server, tool }) => {
    const plain = beginningWell(`${plainly(server)}__${plainly(tool)}`);
    let name = plain.length <= longest && !used.has(plain) ? plain : hashed(plain, `${server}\0${tool}`);
    // The same tool listed twice.
    for (let again = 2; used.has(name); again++) name = hashed(plain, `${server}\0${tool}\0${again}`);
    used.add(name);
    return name;
  });
}

const longest = 64;
const hashDigits = 8;

function plainly(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

function beginningWell(name: string): string {
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function hashed(plain: string, full: string): string {
  const hash = createHash("sha256").update(full).digest("hex").slice(0, hashDigits);
  return `${plain.slice(0, longest - hashDigits - 1)}_${hash}`;
}
