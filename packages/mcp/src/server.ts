import { allTools, findTool, jsonSchema, readingTools, runTool, type Tool, tools } from "@holdfast/core";
import {
  type CallToolRequest,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  // The high-level class validates and rewrites arguments and schemas; here they are the tools' own.
  Server,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import type { CallsUnderWay } from "./calls-under-way.js";
import { instructions, readOnlyInstructions } from "./instructions.js";
import type { McpOptions } from "./options.js";
import { toCallResult } from "./result.js";

/** One server for one connection, for both protocol revisions. It declares tools and nothing else. */
export function createServer(options: McpOptions, calls: CallsUnderWay): Server {
  const server = new Server(
    { name: "holdfast", title: "Holdfast", version: options.version ?? "0.0.0" },
    {
      capabilities: { tools: {} },
      instructions: options.readOnly === true ? readOnlyInstructions : instructions,
    },
  );
  const listed = offeredTools(options).map(toListing);
  server.setRequestHandler("tools/list", () => ({ tools: [...listed] }));
  server.setRequestHandler("tools/call", async (request) => {
    calls.begin();
    try {
      return await callTool(request, options);
    } finally {
      calls.end();
    }
  });
  return server;
}

function offeredTools({ tools: names, readOnly }: McpOptions): readonly Tool[] {
  if (names === undefined) return readOnly === true ? readingTools : tools;
  return allTools.filter(
    (tool) => names.includes(tool.name) && (readOnly !== true || tool.annotations.readOnly),
  );
}

/**
 * A call that has begun is carried through even if the client cancels it: a write is not torn, and its lock
 * is released by the workspace like any other's.
 */
async function callTool({ params }: CallToolRequest, options: McpOptions): Promise<CallToolResult> {
  if (!isKnown(params.name, options)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
  }
  const { workspace, readOnly = false, wire = "text", resultContent = "auto", onError } = options;
  const reply = await runTool(params.name, params.arguments, {
    workspace,
    readOnly,
    wire,
    resultContent,
    offered: offeredTools(options),
    isStructured: options.structured === true,
    ...(onError === undefined ? {} : { onError }),
  });
  return toCallResult(reply, options.structured === true);
}

/** A writing tool that read-only mode hides is known: it is refused with its own code. */
function isKnown(name: string, { tools: names }: McpOptions): boolean {
  const tool = findTool(name);
  return tool !== undefined && (names?.includes(tool.name) ?? tools.includes(tool));
}

function toListing(tool: Tool): ToolListing {
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
