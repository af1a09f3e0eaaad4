import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { BadLines } from "./bad-lines.js";
import { LineTransport } from "./line-transport.js";
import type { McpOptions } from "./options.js";
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
