import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { CallsUnderWay } from "./calls-under-way.js";
import { MessageLines } from "./message-lines.js";
import type { McpOptions } from "./options.js";
import { createServer } from "./server.js";

/**
 * Serves the tools over this process's stdin and stdout, in the revision that the client opens with
 * (2026-07-28 or 2025-11-25 and before). Nothing but the protocol goes to stdout.
 *
 * @returns when the client has closed stdin and every call that had begun is carried through.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
  const calls = new CallsUnderWay();
  const transport = new EndingTransport();
  const handle = serveStdio(() => createServer(options, calls), {
    transport,
    onerror: (error) => options.onError?.(error, "protocol"),
  });
  await transport.ended;
  await calls.settled();
  await handle.close();
}

/** One message may hold the largest file that can be changed (64 MiB), escaped as JSON. */
const messageLimitBytes = 130 * 1024 * 1024;

/** The answer to a message that is too long to be read: without one the client would wait for its time limit. */
function refuseTooLong(id: string | number | null): void {
  const message = `The message is longer than ${messageLimitBytes} bytes; nothing was done.`;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message } })}\n`);
}

/** Tells when the connection is over: stdin closed, stdout broken, or closed by the server. */
class EndingTransport extends StdioServerTransport {
  readonly ended: Promise<void>;
  private end: () => void = () => {};

  constructor() {
    super(process.stdin.pipe(new MessageLines(messageLimitBytes, refuseTooLong)), undefined, {
      maxBufferSize: messageLimitBytes,
    });
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.end();
  }
}
