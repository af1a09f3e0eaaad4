import { pathToFileURL } from "node:url";
import {
  endFamily,
  killFamily,
  type McpServerConfig,
  type McpServersGround,
  markerName,
  safeText,
  withinTime,
} from "@holdfast/agent/host";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { clip } from "@holdfast/core/text";
import type { Client, ClientOptions } from "@modelcontextprotocol/client";
import * as z from "zod";

/** What all connections have in common. */
export interface ConnectionContext extends Pick<McpServersGround, "roots" | "environment" | "client"> {
  /** For connecting and listing the tools, in milliseconds. */
  readonly startMs: number;
  /** Of one message of a server. */
  readonly messageBytes: number;
  /** Told after the tools of a server were listed again. Must not throw. */
  readonly onListed: () => void;
}

/** A tool as a server lists it, as far as it can be read. */
export type ListedTool = z.output<typeof listedTool>;

/** A connection as it stands. */
type ConnectionState =
  | { readonly kind: "idle" | "closed" }
  /** `left`: what of its list cannot be offered, one sentence each. */
  | { readonly kind: "ready"; readonly tools: readonly ListedTool[]; readonly left: readonly string[] }
  /** One sentence for a person: it did not start, or is gone. */
  | { readonly kind: "failed"; readonly message: string };

/** The connection to one server: made when it is first needed, and made again by the next call after it was lost. */
export class McpConnection {
  private current: ConnectionState = { kind: "idle" };
  private client: Client | undefined;
  private connecting: Promise<Client | Refusal> | undefined;
  /** One that is on its way to stand. */
  private pending: Client | undefined;
  private marker = "";
  private lastError = "";
  private lastWords = "";
  private readonly closing = new AbortController();
  private listing: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly config: McpServerConfig,
    private readonly context: ConnectionContext,
  ) {}

  /** How it stands now. */
  get state(): ConnectionState {
    return this.current;
  }

  /** For one call, in milliseconds, where this server has a time of its own. */
  get timeoutMs(): number | undefined {
    return this.config.timeoutMs;
  }

  /** What the server says about itself, for the system text; undefined where it says nothing. */
  get instructions(): string | undefined {
    return this.client?.getInstructions();
  }

  /**
   * The client of a connection that stands; it is made where there is none. `not_found` where that fails, `cancelled` where
   * `signal` ends the wait: a start goes on for the next call.
   */
  open(signal?: AbortSignal): Promise<Client | Refusal> {
    if (this.closing.signal.aborted) return Promise.resolve(refuse("cancelled", "The session is over."));
    if (this.client !== undefined) return Promise.resolve(this.client);
    this.connecting ??= this.connect().finally(() => {
      this.connecting = undefined;
    });
    return signal === undefined ? this.connecting : this.unlessCancelled(this.connecting, signal);
  }

  /** Ends the connection, and the server where it was started here, with everything it started. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.connecting;
    await this.drop();
    this.current = { kind: "closed" };
  }

  /** Kills the server at once, for the end of our own process. */
  killNow(): void {
    if (this.marker !== "") killFamily({ marker: this.marker });
  }

  private async unlessCancelled<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | Refusal> {
    try {
      return await withinTime(work, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return refuse("cancelled", `Cancelled while the MCP server ${shownName(this.name)} was starting.`);
    }
  }

  private get startMs(): number {
    return this.config.startTimeoutMs ?? this.context.startMs;
  }

  private async connect(): Promise<Client | Refusal> {
    const limit = AbortSignal.any([AbortSignal.timeout(this.startMs), this.closing.signal]);
    const began = Date.now();
    try {
      const client = await withinTime(this.handshake(limit), limit);
      this.client = client;
      await withinTime(this.list(client, limit), limit);
      // It may be gone already.
      if (this.client === client) return client;
      throw new Error("it ended");
    } catch (error) {
      await this.drop();
      const seconds = this.startMs / 1_000;
      // On a busy machine the library's own limit may be noticed before ours: it is the same answer.
      const isLate = limit.aborted || Date.now() - began >= this.startMs;
      const why = isLate ? `it did not answer within ${seconds} s` : errorWords(error);
      const message = `The MCP server ${shownName(this.name)} cannot be used: ${why}.${this.stderrWords()}`;
      this.current = { kind: "failed", message };
      return refuse("not_found", message);
    }
  }

  private async handshake(signal: AbortSignal): Promise<Client> {
    const library = await import("@modelcontextprotocol/client");
    const client = new library.Client(this.context.client, this.clientOptions());
    const roots = this.context.roots.map((root) => ({ uri: pathToFileURL(root).href }));
    client.setRequestHandler("roots/list", () => ({ roots }));
    client.onclose = () => this.lost(client);
    client.onerror = (error) => {
      this.lastError = errorWords(error);
    };
    const transport = await this.transport();
    this.pending = client;
    await client.connect(transport, { signal, timeout: this.startMs + marginMs });
    return client;
  }

  private clientOptions(): ClientOptions {
    const isProgram = "command" in this.config;
    return {
      capabilities: { roots: {} },
      // A program would be started twice to find out which revision it speaks; all speak the older one.
      versionNegotiation: { mode: isProgram ? "legacy" : "auto" },
      listChanged: { tools: { autoRefresh: false, debounceMs: 50, onChanged: () => this.listAgain() } },
    };
  }

  private async transport() {
    const { config } = this;
    const { environment, roots, messageBytes } = this.context;
    if (!("command" in config)) {
      const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
      return new StreamableHTTPClientTransport(new URL(config.url), {
        requestInit: { headers: { ...config.headers } },
        fetch: limitedFetch(messageBytes),
      });
    }
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    this.marker = `${process.pid}-mcp-${Math.random().toString(36).slice(2)}`;
    this.lastWords = "";
    const cwd = config.cwd ?? roots[0];
    const transport = new StdioClientTransport({
      command: config.command,
      args: [...(config.args ?? [])],
      env: { ...environment, ...config.env, [markerName]: this.marker },
      stderr: "pipe",
      maxBufferSize: messageBytes,
      ...(cwd === undefined ? {} : { cwd }),
    });
    transport.stderr?.on("data", (chunk: Uint8Array) => {
      this.lastWords = `${this.lastWords}${new TextDecoder().decode(chunk)}`.slice(-stderrChars);
    });
    return transport;
  }

  private async list(client: Client, signal?: AbortSignal): Promise<void> {
    const tools: ListedTool[] = [];
    const left: string[] = [];
    if (client.getServerCapabilities()?.tools !== undefined) {
      let cursor: string | undefined;
      for (let page = 0; page < mostPages && tools.length < mostTools; page++) {
        const params = cursor === undefined ? {} : { cursor };
        const timeout = this.startMs + marginMs;
        const request = { method: "tools/list", params };
        const answer = await client.request(request, listPage, { timeout, ...(signal ? { signal } : {}) });
        for (const one of answer.tools) {
          const read = readListed(one);
          if (isRefusal(read)) left.push(`${shownName(this.name)}: ${read.message}`);
          else tools.push(read);
        }
        cursor = answer.nextCursor;
        if (cursor === undefined) break;
      }
    }
    this.current = { kind: "ready", tools: tools.slice(0, mostTools), left: left.slice(0, mostLeft) };
  }

  /** One listing after the other; one that fails leaves the list as it was. */
  private listAgain(): void {
    this.listing = this.listing.then(async () => {
      const { client } = this;
      if (client === undefined) return;
      try {
        await this.list(client);
        this.context.onListed();
      } catch {
        // The server is asked again at its next notice.
      }
    });
  }

  private lost(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    const why = this.lastError === "" ? "" : ` (${this.lastError})`;
    const message = `The MCP server ${shownName(this.name)} ended${why}; its next call starts it again.${this.stderrWords()}`;
    if (!this.closing.signal.aborted) this.current = { kind: "failed", message };
    void this.endProcesses(0);
  }

  private async drop(): Promise<void> {
    const client = this.client ?? this.pending;
    this.client = undefined;
    this.pending = undefined;
    const closing = client?.close().catch(() => {});
    await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
    await this.endProcesses(closeMs);
  }

  private async endProcesses(graceMs: number): Promise<void> {
    if (this.marker !== "") await endFamily({ marker: this.marker }, graceMs);
  }

  private stderrWords(): string {
    const words = safeText(this.lastWords).trim();
    return words === "" ? "" : ` It said: ${clip(words.slice(-stderrShown), stderrShown)}`;
  }
}

/** An error of the protocol or of the server, in one line that can be shown. */
export function errorWords(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return clip(safeText(words).replace(/\s+/g, " ").trim(), 500);
}

/** The name of a server, for a sentence. */
export function shownName(name: string): string {
  return clip(safeText(name).replace(/\s+/g, " "), 60);
}

const mostPages = 64;
const mostTools = 1_000;
const mostLeft = 20;
const stderrChars = 4_000;
const stderrShown = 500;
/** The library's own time limit is behind ours, so that one sentence tells of both. */
const marginMs = 1_000;
const closeMs = 1_000;
const mostSchemaChars = 100_000;

const listPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const listedTool = z.object({
  name: z.string().min(1).max(1_000),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  annotations: z
    .object({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    })
    .optional()
    .catch(undefined),
});

/** One tool that cannot be offered costs the others nothing. */
function readListed(listed: unknown): ListedTool | Refusal {
  const read = listedTool.safeParse(listed);
  const name = shownName(String(Object(listed).name ?? "without a name"));
  if (!read.success) {
    const at = read.error.issues[0]?.path.join(".") ?? "";
    return refuse("invalid_arguments", `The tool ${name} is not offered: its ${at} is none.`);
  }
  if (JSON.stringify(read.data.inputSchema).length > mostSchemaChars)
    return refuse("too_large", `The tool ${name} is not offered: its schema is too long.`);
  return read.data;
}

/**
 * `fetch`, with a bound for what an answer may hold: for a stream of events between two line ends, for anything else in
 * all. An answer that is larger breaks off with an error.
 *
 * @param limitBytes of one message.
 */
export function limitedFetch(limitBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = response.body.pipeThrough(limiter(limitBytes, isStream));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function limiter(limitBytes: number, isByLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isByLine ? chunk.lastIndexOf(lineFeed) : -1;
      count = lineEnd < 0 ? count + chunk.length : chunk.length - lineEnd - 1;
      if (count > limitBytes) controller.error(new Error(`a message has more than ${limitBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

const lineFeed = 0x0a;
