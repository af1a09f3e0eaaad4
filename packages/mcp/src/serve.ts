import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createCompatServer } from "./compat/server.js";
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
  const transport = new EndingTransport(options.input, (id) => undelivered.delivered(id));
  const create = () =>
    options.compat === undefined
      ? createServer(options, calls, undelivered)
      : createCompatServer(options, calls);
  const handle = serveStdio(create, {
    transport,
    onerror: tellNowAndThen((error) => options.onError?.(error, "protocol")),
  });
  await transport.ended;
  await calls.idle();
  await handle.close();
}

/**
 * A client that sends what is no message may do so without end: of its errors the first is told, and from then on
 * every tenth, hundredth, thousandth with their number.
 */
function tellNowAndThen(tell: (error: Error) => void): (error: Error) => void {
  let count = 0;
  return (error) => {
    count += 1;
    if (!/^10*$/.test(String(count))) return;
    const [line = ""] = error.message.split("\n", 1);
    const short = line.length > longestError ? `${line.slice(0, longestError)}…` : line;
    tell(count === 1 ? error : new Error(`${count} errors so far, the last: ${short}`));
  };
}

const longestError = 200;

/** Tells when the connection is over: stdin closed, stdout broken, or closed by the server. */
class EndingTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  private end: () => void = () => {};

  /** @param delivered told of each request whose answer was written out */
  constructor(
    input: McpOptions["input"],
    private readonly delivered: (id: string | number) => void,
  ) {
    super(input, undefined, { maxBufferSize: messageLimitBytes });
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  override async send(message: Parameters<StdioServerTransport["send"]>[0]): Promise<void> {
    await super.send(message);
    const isAnswer = "result" in message || "error" in message;
    if (isAnswer && "id" in message && message.id !== undefined) this.delivered(message.id);
  }

  override async close(): Promise<void> {
    await super.close();
    this.end();
  }
}
