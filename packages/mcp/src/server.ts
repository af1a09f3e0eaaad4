import {
  allTools,
  type FileTool,
  findTool,
  jsonSchema,
  readingTools,
  runTool,
  type ToolReply,
  tools,
} from "@holdfast/core";
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  // The high-level class validates and rewrites arguments and schemas; here they are the tools' own.
  Server,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import { instructions, readOnlyInstructions } from "./instructions.js";
import type { McpOptions } from "./options.js";
import { toCallResult } from "./result.js";
import type { RunningCalls } from "./running-calls.js";
import type { UndeliveredCalls } from "./undelivered-calls.js";

/** One server for one connection, for both protocol revisions. It declares tools and nothing else. */
export function createServer(
  options: McpOptions,
  calls: RunningCalls,
  undelivered: UndeliveredCalls,
): Server {
  const server = new Server(
    { name: "holdfast", title: "Holdfast", version: options.version ?? "0.0.0" },
    {
      capabilities: { tools: {} },
      instructions: options.readOnly === true ? readOnlyInstructions : instructions,
    },
  );
  const listed = offeredTools(options).map(toListing);
  server.setRequestHandler("tools/list", () => ({ tools: [...listed] }));
  server.setRequestHandler("tools/call", async (request, { mcpReq }) => {
    calls.begin();
    try {
      return await callTool(request, options, (work) => runOnce(request, mcpReq.id, undelivered, work));
    } finally {
      calls.end();
    }
  });
  return server;
}

function offeredTools({ tools: names, readOnly }: McpOptions): readonly FileTool[] {
  if (names === undefined) return readOnly === true ? readingTools : tools;
  return allTools.filter(
    (tool) => names.includes(tool.name) && (readOnly !== true || tool.annotations.readOnly),
  );
}

/**
 * A call that has begun is carried through even if the client cancels it: a write is not torn, and its lock
 * is released by the workspace like any other's.
 */
async function callTool(
  { params }: CallToolRequest,
  options: McpOptions,
  once: (work: Work) => Promise<ToolReply>,
): Promise<CallToolResult> {
  if (!isKnown(params.name, options)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
  }
  const { workspace, readOnly = false, wire = "text", resultContent = "auto", onError } = options;
  const context = {
    workspace,
    readOnly,
    wire,
    resultContent,
    offered: offeredTools(options),
    isStructured: options.structured === true,
    ...(onError === undefined ? {} : { onError }),
  };
  const reply = await once((isRepeat) => runTool(params.name, params.arguments, { ...context, isRepeat }));
  return toCallResult(reply, options.structured === true);
}

type Work = (isRepeat: boolean) => Promise<ToolReply>;

/** A call that would do more the second time is made once, where it is known that its answer was not delivered. */
function runOnce(
  { params }: CallToolRequest,
  id: string | number,
  undelivered: UndeliveredCalls,
  work: Work,
): Promise<ToolReply> {
  if (findTool(params.name)?.annotations.idempotent !== false) return work(false);
  return undelivered.run(id, params.name, params.arguments ?? {}, work);
}

/** A writing tool that read-only mode hides is known: it is refused with its own code. */
function isKnown(name: string, { tools: names }: McpOptions): boolean {
  const tool = findTool(name);
  return tool !== undefined && (names?.includes(tool.name) ?? tools.includes(tool));
}

function toListing(tool: FileTool): ToolListing {
  const { readOnly, destructive, idempotent, openWorld } = tool.annotations;
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...jsonSchema(tool.parameters), type: "object" },
    annotations: {
      title: tool.title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
}
