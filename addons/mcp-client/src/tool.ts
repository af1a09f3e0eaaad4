import { type FileCheck, type SpillFiles, safeText, withFileCheck } from "@holdfast/agent/host";
import { isRefusal } from "@holdfast/core/files/values";
import { clip, escapeForDisplay } from "@holdfast/core/text";
import {
  failedCall,
  type HostRequest,
  type HostScope,
  type HostTool,
  type HostToolAnnotations,
  type HostToolResult,
} from "@holdfast/core/tools";
import * as z from "zod";
import { errorWords, type ListedTool, type McpConnection, shownName } from "./connection.js";
import { type ResultBudget, resultOf } from "./result.js";

/** What calls of all servers have in common. */
export interface McpCalls {
  /** For one call without a sign of progress, in milliseconds. */
  readonly callMs: number;
  readonly budget: ResultBudget;
  readonly files: SpillFiles;
  readonly checkFiles?: FileCheck;
}

/** A tool of a server as a tool of the host, under the name that it is offered by. */
export function toolOfServer(
  name: string,
  listed: ListedTool,
  connection: McpConnection,
  calls: McpCalls,
): HostTool {
  const { title, description = "", inputSchema, annotations } = listed;
  return {
    kind: "host",
    name,
    title: safeText(title ?? annotations?.title ?? listed.name),
    description: clip(safeText(description), mostDescriptionChars),
    parameters: z.object({}),
    schema: inputSchema,
    annotations: annotationsOf(annotations),
    intent: (args): HostRequest => ({
      kind: "host_request",
      tool: name,
      summary: clip(escapeForDisplay(`${connection.name}: ${listed.name} ${JSON.stringify(args)}`), 200),
      args,
    }),
    run: async ({ args }, scope) => {
      const result = await callServer(listed.name, args, { connection, calls, scope });
      return withFileCheck(result, calls.checkFiles, scope);
    },
  };
}

const mostDescriptionChars = 8_000;

/** What a server does not say is as the protocol has it: the worst. */
function annotationsOf(hints: ListedTool["annotations"]): HostToolAnnotations {
  const readOnly = hints?.readOnlyHint ?? false;
  return {
    readOnly,
    destructive: !readOnly && (hints?.destructiveHint ?? true),
    idempotent: readOnly || (hints?.idempotentHint ?? false),
    openWorld: hints?.openWorldHint ?? true,
  };
}

interface CallOf {
  readonly connection: McpConnection;
  readonly calls: McpCalls;
  readonly scope: HostScope;
}

async function callServer(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  { connection, calls, scope }: CallOf,
): Promise<HostToolResult> {
  const { signal } = scope;
  const client = await connection.open(signal);
  if (isRefusal(client)) {
    const code = client.code === "cancelled" ? "cancelled" : "unreachable";
    return failedCall(code, client.message);
  }
  try {
    const result = await client.callTool(
      { name: tool, arguments: { ...args } },
      {
        timeout: calls.callMs,
        resetTimeoutOnProgress: true,
        onprogress: (told) => scope.progress(progressWords(told)),
        ...(signal === undefined ? {} : { signal }),
      },
    );
    return resultOf(result, calls.budget, calls.files);
  } catch (error) {
    return failureOf(error, connection, calls, signal);
  }
}

interface Told {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

function progressWords({ progress, total, message }: Told): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? count : clip(`${safeText(message)} (${count})`, 200);
}

async function failureOf(
  error: unknown,
  connection: McpConnection,
  { callMs }: McpCalls,
  signal: AbortSignal | undefined,
): Promise<HostToolResult> {
  const { SdkError, SdkErrorCode, ProtocolError } = await import("@modelcontextprotocol/client");
  const name = shownName(connection.name);
  if (signal?.aborted === true)
    return failedCall("cancelled", `The call was cancelled; the MCP server ${name} was told.`);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return failedCall("timeout", `The MCP server ${name} did not answer within ${callMs / 1_000} s.`);
  const { state } = connection;
  if (state.kind === "failed") return failedCall("unreachable", state.message);
  if (error instanceof ProtocolError && error.code === invalidParams)
    return failedCall("invalid_arguments", errorWords(error));
  return failedCall("failed", `The MCP server ${name} answers: ${errorWords(error)}`);
}

const invalidParams = -32_602;
