import { compileGlob } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { causeOf } from "@holdfast/core/text";
import { catching, jsonSchema } from "@holdfast/core/tools";
import type { McpOptions, RunningCalls } from "@holdfast/mcp";
import { footingOf, type Host, hostOfRequest, metaFor, roomAt } from "@holdfast/mcp";
import {
  type CallToolResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ToolListing,
} from "@modelcontextprotocol/server";
import { compatArguments } from "./arguments.js";
import { roomWithin } from "./fit.js";
import { type CompatAnswer, compatWords, fail } from "./session.js";
import { type CompatTool, compatTools } from "./tools.js";

/** A server with the tools of the official filesystem server, for one connection. */
export function createCompatServer(options: McpOptions, calls: RunningCalls): Server {
  const words = compatWords(options.readOnly === true);
  const offered = compatTools.filter((tool) => options.readOnly !== true || tool.readOnly);
  const server = new Server(
    { name: "holdfast", title: "Holdfast (filesystem)", version: options.version ?? "0.0.0" },
    { capabilities: { tools: {} } },
  );
  const footing = footingOf(server, options);
  // Its engine comes with the program, all but one file; where that were loaded later, no descriptor might be left for it.
  void compileGlob("*").catch(() => {});
  server.setRequestHandler("tools/list", (_, { mcpReq }) => {
    const host = hostOfRequest(server, mcpReq);
    return { tools: offered.map((tool) => toListing(tool, host, options)) };
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = offered.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    calls.begin();
    try {
      const found = footing.footing(mcpReq);
      // Awaited only where it has to be: calls begin in the order of their arrival.
      const workspace = found instanceof Promise ? await found : found;
      if (isInputRequiredResult(workspace)) return workspace;
      if (isRefusal(workspace)) return toResult(fail({ words }, workspace));
      const room = roomWithin(roomAt(hostOfRequest(server, mcpReq), options.answerBudget));
      const work = async (): Promise<CompatAnswer> => tool.run({ workspace, words, room }, params.arguments);
      const answer = await catching(
        tool.name,
        work,
        options,
        (error): CompatAnswer => ({
          kind: "failed",
          text: `Internal Error: ${tool.name} failed unexpectedly (${causeOf(error)}). Check the file's state before you go on.`,
          shown: [],
        }),
      );
      return footing.askAgain("code" in answer ? answer.code : undefined, mcpReq) ?? toResult(answer);
    } finally {
      calls.end();
    }
  });
  return server;
}

function toResult(answer: CompatAnswer): CallToolResult {
  switch (answer.kind) {
    case "text":
      return {
        content: [{ type: "text", text: answer.text }],
        structuredContent: { content: answer.text },
      };
    case "media":
      return {
        content: [answer.item, ...(answer.notes ?? [])],
        structuredContent: { content: [answer.item] },
      };
    case "failed":
      return { content: [{ type: "text", text: answer.text }], isError: true };
    default:
      return answer satisfies never;
  }
}

function toListing(tool: CompatTool, host: Host, { answerBudget }: McpOptions): ToolListing {
  const { destructive, idempotent } = tool;
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: { ...jsonSchema(compatArguments[tool.name]), type: "object" },
    outputSchema: tool.name === "read_media_file" ? mediaOutput : textOutput,
    annotations: {
      title: tool.title,
      readOnlyHint: tool.readOnly,
      openWorldHint: false,
      ...(destructive === undefined ? {} : { destructiveHint: destructive }),
      ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    },
    ...metaFor(host, coreTools.includes(tool.name), roomAt(host, answerBudget).budgetChars),
  };
}

/** What a day's work begins with. */
const coreTools: readonly string[] = [
  "read_text_file",
  "list_directory",
  "search_files",
  "edit_file",
  "write_file",
];

const textOutput = {
  type: "object" as const,
  properties: { content: { type: "string" } },
  required: ["content"],
};

const mediaOutput = {
  type: "object" as const,
  properties: {
    content: {
      type: "array",
      items: {
        anyOf: [
          {
            type: "object",
            properties: {
              type: { type: "string", enum: ["image", "audio"] },
              data: { type: "string" },
              mimeType: { type: "string" },
            },
            required: ["type", "data", "mimeType"],
          },
          {
            type: "object",
            properties: {
              type: { type: "string", const: "resource" },
              resource: {
                type: "object",
                properties: {
                  uri: { type: "string" },
                  mimeType: { type: "string" },
                  blob: { type: "string" },
                },
                required: ["uri", "blob"],
              },
            },
            required: ["type", "resource"],
          },
        ],
      },
    },
  },
  required: ["content"],
};
