import { CLIENT_INFO_META_KEY, deserializeMessage, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type BadLine, BadLines } from "./bad-lines.js";
import { type McpOptions, messageLimitBytes } from "./options.js";
import { RunningCalls } from "./running-calls.js";
import { createServer } from "./server.js";
import { UndeliveredCalls } from "./undelivered-calls.js";

/**
 * Serves the tools over this process's stdin and stdout, in the revision that the client opens with
 * (2026-07-28 or 2025-11-25 and before). Nothing but the protocol goes to stdout.
 *
 * @returns when the client has closed stdin and every call that had begun is carried through.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { calls = new RunningCalls() } = options;
  const undelivered = new UndeliveredCalls();
  const tell = (error: Error) => options.onError?.(error, "protocol");
  const badLines = new BadLines(tell);
  const transport = new LineTransport(options.input, {
    delivered: (id) => undelivered.delivered(id),
    badLine: (kind) => badLines.add(kind),
  });
  const create = () =>
    options.createServer === undefined
      ? createServer(options, calls, undelivered, transport.client)
      : options.createServer(options, calls);
  const handle = serveStdio(create, {
    transport,
    onerror: tellNowAndThen(tell),
  });
  await transport.ended;
  badLines.end();
  await calls.idle();
  await handle.close();
}

/**
 * A client may do wrong without end, such as answer what was not asked: the first such error is told, and from then on
 * every tenth, hundredth, thousandth with their number. Of each the first line, and no more of that than is read.
 */
function tellNowAndThen(tell: (error: Error) => void): (error: Error) => void {
  let count = 0;
  return (error) => {
    count += 1;
    if (!/^10*$/.test(String(count))) return;
    const [line = ""] = error.message.split("\n", 1);
    const short = line.length > longestError ? `${line.slice(0, longestError)}…` : line;
    tell(new Error(count === 1 ? short : `${count} errors so far, the last: ${short}`, { cause: error }));
  };
}

const longestError = 200;

/** Who hears of what a connection brings. */
interface LineListener {
  /** A request whose answer was written out. */
  readonly delivered: (id: string | number) => void;
  /** A line that is no message; it is left out. */
  readonly badLine: (kind: BadLine) => void;
}

/**
 * The SDK's transport, but that it reads lines itself: the SDK drops a line that is no JSON without a word, and tells one
 * that is no message in a parser's text of any length. It also tells when the connection is over: stdin closed, stdout
 * broken, or closed by the server.
 */
class LineTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  /** What the client says of itself, in the first message that does. */
  client: unknown;
  private end: () => void = () => {};
  private parts: Buffer[] = [];
  private size = 0;
  private isOver = false;
  private revision: string | undefined;
  private readonly batches = new Batches();

  constructor(
    input: McpOptions["input"],
    private readonly listener: LineListener,
  ) {
    super(input);
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  override _ondata = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      this.gather(chunk.subarray(from, at));
      from = at + 1;
      this.takeLine();
    }
    this.gather(chunk.subarray(from));
  };

  setProtocolVersion = (revision: string): void => {
    this.revision = revision;
  };

  override async send(message: Parameters<StdioServerTransport["send"]>[0]): Promise<void> {
    const isAnswer = "result" in message || "error" in message;
    const id = isAnswer && "id" in message ? message.id : undefined;
    const together = this.batches.end(id, message);
    await (together === undefined ? super.send(message) : this.sendAll(together));
    if (id !== undefined) this.listener.delivered(id);
  }

  private async sendAll(answers: readonly object[]): Promise<void> {
    // The cast: a line may hold a list of messages, which the library's type does not say.
    if (answers.length > 0) await super.send(answers as never);
  }

  override async close(): Promise<void> {
    this.isOver = true;
    this.parts = [];
    await super.close();
    this.end();
  }

  private gather(part: Buffer): void {
    if (this.isOver || part.length === 0) return;
    this.size += part.length;
    if (this.size <= messageLimitBytes) {
      this.parts.push(part);
      return;
    }
    this.parts = [];
    this.onerror?.(
      new Error(`A message is longer than ${messageLimitBytes} bytes; the connection is closed.`),
    );
    void this.close();
  }

  private takeLine(): void {
    if (this.isOver) return;
    const [first = noBytes, ...more] = this.parts;
    const line = (more.length === 0 ? first : Buffer.concat(this.parts)).toString("utf8");
    this.parts = [];
    this.size = 0;
    const items = /^\s*\[/.test(line) ? parsed(line) : undefined;
    const message = items === undefined ? this.readLine(line) : undefined;
    if (items !== undefined) this.takeBatch(items);
    else if (message !== undefined) this.hand(message);
  }

  private takeBatch(items: unknown): void {
    const texts = Array.isArray(items) ? items.map((one) => JSON.stringify(one)) : [];
    if (this.revision !== batchRevision || texts.length === 0) {
      this.listener.badLine("no-message");
      const message = `A list of messages is of revision ${batchRevision} only: send one message a line.`;
      // The cast: an answer to no request has the id null, which the library's type does not say.
      void super.send({ jsonrpc: "2.0", id: null, error: { code: -32600, message } } as never);
      return;
    }
    const messages = texts.flatMap((text) => this.readLine(text) ?? []);
    this.batches.begin(messages);
    for (const message of messages) this.hand(message);
  }

  private hand(message: JSONRPCMessage): void {
    this.client ??= clientIn(message);
    if ("method" in message && message.method === "notifications/cancelled")
      void this.sendAll(this.batches.end(Object(message.params).requestId) ?? []);
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private readLine(line: string): ReturnType<typeof deserializeMessage> | undefined {
    try {
      return deserializeMessage(line);
    } catch (error) {
      // Blank lines mean nothing, as between the objects of a JSON text.
      if (line.trim() !== "") this.listener.badLine(error instanceof SyntaxError ? "no-json" : "no-message");
      return undefined;
    }
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function clientIn(message: object): unknown {
  const { clientInfo, _meta } = Object(Object(message).params);
  return clientInfo ?? Object(_meta)[CLIENT_INFO_META_KEY];
}

const newline = 10;
const noBytes = Buffer.alloc(0);

/** The requests of one line that have no answer yet, and the answers that are there. */
interface Batch {
  readonly open: Set<string | number>;
  readonly answers: JSONRPCMessage[];
}

/** The only revision with batches: several messages in one line, whose answers come in one line, too. */
const batchRevision = "2025-03-26";

/** Gathers the answers to each batch. */
class Batches {
  private readonly batches = new Set<Batch>();

  /** These messages came in one line. */
  begin(messages: readonly JSONRPCMessage[]): void {
    const ids = messages.flatMap((one) =>
      "method" in one && "id" in one && one.id !== undefined ? [one.id] : [],
    );
    if (ids.length > 0) this.batches.add({ open: new Set(ids), answers: [] });
  }

  /**
   * A request of a batch is over.
   *
   * @param answer its answer; none for a call that the client cancelled.
   * @returns the answers to be sent now; undefined where it is of no batch.
   */
  end(id: string | number | undefined, answer?: JSONRPCMessage): readonly JSONRPCMessage[] | undefined {
    for (const batch of this.batches) {
      if (id === undefined || !batch.open.delete(id)) continue;
      if (answer !== undefined) batch.answers.push(answer);
      if (batch.open.size > 0) return [];
      this.batches.delete(batch);
      return batch.answers;
    }
    return undefined;
  }
}
