import type * as z from "zod";
import type { FileEffect, Media } from "../conversation/index.js";
import { isRefusal, type RefusalCode, type WriteCaller } from "../files/index.js";
import { causeOf } from "../text/index.js";
import { intentOf } from "./arguments.js";
import { catching } from "./run-tool.js";
import type { ToolDefinition } from "./tool.js";

/** A tool that a host brings along, such as a shell or the tools of an MCP server. */
export interface HostTool<Shape extends z.ZodRawShape = z.ZodRawShape>
  extends ToolDefinition<Shape, HostRequest> {
  readonly kind: "host";
  /** Does it. An expected failure is a result; what is thrown is caught by `runHostTool`. */
  run(request: HostRequest, scope: HostScope): Promise<HostToolResult>;
}

/** A request of a host's own tool: plain data. */
export interface HostRequest {
  readonly kind: "host_request";
  readonly tool: string;
  /** One line for a person who is asked. */
  readonly summary: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a host's tool may use while it runs. */
export interface HostScope {
  /** To be handed to a `Workspace` with what the tool has it write: so the write is known as this call's. */
  readonly caller?: WriteCaller;
  readonly signal?: AbortSignal;
  readonly progress: (text: string) => void;
  /** Told what was thrown, for the host's log. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}

/** What a host's tool found or did. It needs no words of ours: `text` goes to the model as it is. */
export interface HostToolResult {
  readonly code: "ok" | RefusalCode;
  /** What the model reads. */
  readonly text: string;
  readonly media?: readonly Media[];
  /** States of files that were looked at afterwards. */
  readonly files?: readonly FileEffect[];
}

/** Runs a host's tool; it never rejects and shows no stack trace. */
export async function runHostTool(tool: HostTool, args: unknown, scope: HostScope): Promise<HostToolResult> {
  const work = async (): Promise<HostToolResult> => {
    const request = intentOf(tool, args);
    if (isRefusal(request))
      return { code: request.code, text: `FAILED (${request.code}): ${request.message}` };
    return tool.run(request, scope);
  };
  return catching(tool.name, work, scope, (error) => {
    const text = `FAILED (internal_error): Internal Error: ${tool.name} failed unexpectedly (${causeOf(error)}).`;
    return { code: "internal_error", text };
  });
}
