import { type ToolName, toolNames } from "@holdfast/core";
import { messageLimitBytes, serveMcp } from "@holdfast/mcp";
import { withWorkspace } from "../answers/index.js";
import { escapeName, exitCodes, type Invocation, MessageLines, version } from "../shell/index.js";

/** `holdfast mcp`: serves until the client closes our standard input. */
export async function mcpCommand({ flags, settings, terminal, misuse }: Invocation): Promise<number> {
  const tools = namedTools(flags.tools, misuse);
  if (process.stdin.isTTY) {
    terminal.err("This is an MCP server for an agent to start; end it with Ctrl-C. See: holdfast tour\n");
  }
  // Standard output belongs to the protocol: whatever else is said goes to standard error.
  return withWorkspace({ settings: { ...settings, json: false }, terminal }, async (workspace) => {
    await serveMcp({
      workspace,
      version,
      input: process.stdin.pipe(new MessageLines(messageLimitBytes, refuseTooLong)),
      readOnly: flags.readOnly === true,
      structured: flags.structured === true,
      onError: (error, where) => terminal.err(`holdfast: ${where}: ${escapeName(messageOf(error))}\n`),
      ...(tools === undefined ? {} : { tools }),
      ...(flags.wire === undefined ? {} : { wire: flags.wire }),
      ...(flags.resultContent === undefined ? {} : { resultContent: flags.resultContent }),
    });
    return exitCodes.success;
  });
}

/** The answer to a message that is too long to be read: without one the client would wait for its time limit. */
function refuseTooLong(id: string | number | null): void {
  const message = `The message is longer than ${messageLimitBytes} bytes; nothing was done.`;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message } })}\n`);
}

function namedTools(
  names: string | undefined,
  misuse: Invocation["misuse"],
): readonly ToolName[] | undefined {
  if (names === undefined) return undefined;
  if (names === "all") return toolNames;
  return names.split(",").map((name) => {
    const tool = toolNames.find((known) => known === name.trim());
    return tool ?? misuse(`there is no tool ${JSON.stringify(name)}; the tools are ${toolNames.join(", ")}`);
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
