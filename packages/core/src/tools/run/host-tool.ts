import * as z from "zod";
import type { OfferedTool } from "../../context/index.js";
import type { ContextManager } from "../../conversation/index.js";
import type { FileEffect, Media, TouchedFiles } from "../../conversation/values/index.js";
import type { WriteCaller } from "../../files/index.js";
import { isRefusal, type Refusal, type RefusalCode } from "../../files/values/index.js";
import { causeOf, clip, escapeForDisplay } from "../../text/index.js";
import type { JsonSchema } from "../tool/shapes.js";
import {
  ignoredIn,
  intentOf,
  jsonSchema,
  objectOf,
  readOnlyAnnotations,
  refuseArguments,
  type ToolAnnotations,
  type ToolDefinition,
} from "../tool/tool.js";
import { catching } from "./run-tool.js";

/** A tool that a host brings along, such as a shell or the tools of an MCP server. */
export interface HostTool<Shape extends z.ZodRawShape = z.ZodRawShape>
  extends ToolDefinition<Shape, HostRequest> {
  readonly kind: "host";
  /**
   * The JSON Schema of the arguments, where somebody else wrote it: it is offered as it is, in place of that of
   * `parameters`. The arguments of a call, one object, then reach `intent` as they came: whoever wrote the schema
   * holds them against it.
   */
  readonly schema?: JsonSchema;
  /** Found by `more_tools`, where there is one, and not listed. */
  readonly rare?: true;
  /** What the tool says of itself, for approval; of a tool that is not the host's own these are claims. */
  readonly annotations?: HostToolAnnotations;
  /** Does it. An expected failure is a result; what is thrown is caught by `runHostTool`. */
  run(request: HostRequest, scope: HostScope): Promise<HostToolResult>;
}

/** As `ToolAnnotations`; a tool of the host may reach beyond the files, too. */
export interface HostToolAnnotations extends Omit<ToolAnnotations, "openWorld"> {
  readonly openWorld: boolean;
}

/** A request of a host's own tool: plain data. */
export interface HostRequest {
  readonly kind: "host_request";
  readonly tool: string;
  /** One line for a person who is asked. */
  readonly summary: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Of a command: whether it runs in a sandbox. Decided before a person is asked, so that a yes is about it, too. */
  readonly sandboxed?: boolean;
  /** The sandbox stood in the way of this very command before. */
  readonly isBarred?: boolean;
  /** Of a command in a sandbox: it can write nothing there but temporary files. */
  readonly isReadOnly?: boolean;
}

/** What a host's tool may use while it runs. */
export interface HostScope {
  /** To be handed to a `Workspace` with what the tool has it write: so the write is known as this call's. */
  readonly caller?: WriteCaller;
  /** The conversation, with the head at which the call stands. */
  readonly manager?: ContextManager;
  readonly signal?: AbortSignal;
  /** @param program what it runs, with what that has printed until now. */
  readonly progress: (text: string, program?: RanProgram) => void;
  /** Told what was thrown, for the host's log. Must not throw. */
  readonly onError?: (error: unknown, toolName: string) => void;
}

/** What a host's tool found or did. It needs no words of ours: `text` goes to the model as it is. */
export interface HostToolResult {
  readonly code: "ok" | RefusalCode | HostCode;
  /** What the model reads. */
  readonly text: string;
  readonly media?: readonly Media[];
  /** States of files that were looked at afterwards. */
  readonly files?: readonly FileEffect[];
  /** Files that a command changed beside them. */
  readonly touched?: TouchedFiles;
  /** The program that it ran, for whoever watches. */
  readonly program?: RanProgram;
  /** In what the sandbox stood in its way, a sentence for a person. */
  readonly barred?: string;
  /** Ends the turn: these are its last words, such as a plan that a person reads. */
  readonly final?: string;
}

/** A program that a tool ran. */
export interface RanProgram {
  /** Its number among the session's commands. */
  readonly id: string;
  /** Absent where it goes on in the background; `null`: it did not end by itself. */
  readonly end?: { readonly seconds: number; readonly exitCode: number | null };
  /** The last lines that it printed; nothing in them acts on a terminal. */
  readonly lastLines: readonly string[];
  /** How many lines it printed before them, where that is known. */
  readonly linesBefore?: number;
}

/**
 * What a host's tool answers beside the codes of the files: it was carried out, and what it ran says that it failed
 * (`failed`: a command's exit code, an error of an MCP tool); or there was nobody to carry it out (`unreachable`).
 */
const hostCodes = ["failed", "unreachable"] as const;

/** A code that only a host's tool answers. */
export type HostCode = (typeof hostCodes)[number];

/** The JSON Schema of a host tool's arguments, as it is offered to a model. */
export function hostSchema(tool: HostTool): JsonSchema {
  return tool.schema ?? jsonSchema(tool.parameters);
}

/** Runs a host's tool; it never rejects and shows no stack trace. */
export async function runHostTool(tool: HostTool, args: unknown, scope: HostScope): Promise<HostToolResult> {
  const work = async (): Promise<HostToolResult> => {
    const request = requestOf(tool, args);
    if (isRefusal(request)) return failedCall(request.code, request.message);
    const result = await tool.run(request, scope);
    const ignored = tool.schema === undefined ? ignoredIn(tool, args) : "";
    return ignored === "" ? result : { ...result, text: `${ignored}\n${result.text}` };
  };
  return catching(tool.name, work, scope, (error) => {
    const words = `Internal Error: ${tool.name} failed unexpectedly (${causeOf(error)}).`;
    return failedCall("internal_error", words);
  });
}

/** The result of a call that came to nothing, in the form of every tool: its code first, then why. */
export function failedCall(code: HostToolResult["code"], words: string): HostToolResult {
  return { code, text: `FAILED (${code}): ${words}` };
}

function requestOf(tool: HostTool, args: unknown): HostRequest | Refusal {
  if (tool.schema === undefined) return intentOf(tool, args);
  const given = objectOf(tool.name, args);
  // A tool's own intent may refuse, as that of every tool.
  return isRefusal(given) ? given : tool.intent(given);
}

/** The name of the tool by which those are found and called that a prompt does not list. */
export const moreToolsName = "more_tools";

const parameters = z.object({
  find: z.string().exactOptional().describe("Words; answers with schemas"),
  name: z.string().exactOptional().describe("To call one"),
  args: z.unknown().optional().meta({ type: "object" }),
});

/**
 * One tool in the place of many, so that a prompt is small and begins the same whatever is found: `find` answers with the
 * schemas of tools; `name` and `args` are a call of one, which `meantCall` reads. Nothing is called here.
 */
export function moreTools(others: readonly OfferedTool[]): HostTool<typeof parameters.shape> {
  const names = others.map(({ name }) => name.replace(/__.*/su, "__*"));
  return {
    kind: "host",
    name: moreToolsName,
    title: "Find other tools",
    description: `Finds and calls more tools: ${[...new Set(names)].join(", ")}.`,
    parameters,
    annotations: readOnlyAnnotations,
    // A call that came here was not read as one of another tool: it has arguments beside `args`.
    intent: (args) =>
      args.name === undefined
        ? {
            kind: "host_request",
            tool: moreToolsName,
            summary: `Find tools: ${args.find ?? ""}`,
            args,
          }
        : refuseArguments(
            `What ${clip(escapeForDisplay(args.name), 80)} takes belongs into args. Nothing was called.`,
          ),
    run: async ({ args: { find } }) => ({ code: "ok", text: foundWords(others, String(find ?? "")) }),
  };
}

/** Those that hold most of the words, with their schemas up to a bound; the names of all where none does. */
function foundWords(others: readonly OfferedTool[], find: string): string {
  const words = find.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const held = ({ name, description }: OfferedTool) =>
    words.filter((word) => `${name} ${description}`.toLowerCase().includes(word)).length;
  const found = others.filter((tool) => held(tool) > 0).sort((one, other) => held(other) - held(one));
  const shown = found.slice(0, mostShown).map((tool) => JSON.stringify(tool));
  const left = (found.length > 0 ? found.slice(mostShown) : others).map(({ name }) => name);
  return [...shown, ...(left.length === 0 ? [] : [`By name: ${left.join(", ")}`])].join("\n");
}

const mostShown = 8;
