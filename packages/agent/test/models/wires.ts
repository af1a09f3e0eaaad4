import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type ModelPort,
  renderContext,
  toAnthropic,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "@holdfast/core/context";
import type { ContextManager } from "@holdfast/core/conversation";
import * as anthropic from "../../../core/test/context/vendors/anthropic.js";
import * as gemini from "../../../core/test/context/vendors/gemini.js";
import * as openai from "../../../core/test/context/vendors/openai.js";
import * as responses from "../../../core/test/context/vendors/openai-responses.js";
import { anthropicModel } from "../../src/models/anthropic.js";
import { googleModel, openaiChatModel, openaiResponsesModel } from "../../src/models/open-model.js";
import type { ProviderOptions } from "../../src/models/provider-port.js";

export const model = "the-model";
const tools = [
  { name: "read_file", inputSchema: { type: "object", properties: { file_path: { type: "string" } } } },
  { name: "list_files", inputSchema: { type: "object", properties: {} } },
];
export const offered = { system: "You change files.", tools } as const;

/** What the server answers to one request. */
export type Served =
  | { readonly stream: readonly string[]; readonly cutAfter?: number; readonly stallAfter?: number }
  | { readonly status: number; readonly body: object; readonly headers?: Readonly<Record<string, string>> };

/** A server on loopback that plays a list of answers; pieces of a stream end anywhere. */
export class Loopback {
  readonly bodies: Record<string, unknown>[] = [];
  /** Where each request went, and with what. */
  readonly requests: Pick<IncomingMessage, "url" | "headers">[] = [];
  script: Served[] = [];
  /** Connections that the client has closed before the answer was over. */
  dropped = 0;
  url = "";
  private readonly server: Server = createServer((request, response) => void this.serve(request, response));

  async open(): Promise<void> {
    await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(request);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    this.bodies.push(JSON.parse(Buffer.concat(parts).toString()));
    const next = this.script.shift() ?? { status: 500, body: { error: { message: "no script" } } };
    response.on("close", () => {
      if (!response.writableEnded) this.dropped += 1;
    });
    if ("status" in next) {
      const headers = { "content-type": "application/json", ...next.headers };
      response.writeHead(next.status, headers).end(JSON.stringify(next.body));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const bytes = Buffer.from(next.stream.slice(0, next.cutAfter ?? next.stallAfter).join(""));
    for (let at = 0; at < bytes.length; at += 61)
      await new Promise((done) => response.write(bytes.subarray(at, at + 61), done));
    if (next.stallAfter !== undefined) return;
    if (next.cutAfter === undefined) response.end();
    else setImmediate(() => response.destroy());
  }
}

const named = (event: { readonly type: string }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

/** A provider: our port to it, its stream of one answer with two calls, and its words for what goes wrong. */
export interface Wire {
  readonly name: string;
  readonly provider: string;
  readonly stream: readonly string[];
  readonly broken: readonly string[];
  open(options: ProviderOptions): ModelPort;
  error(status: number, message: string): object;
  /** What the form makes of a conversation: it has to arrive as it is. */
  form(manager: ContextManager): object;
}

const contentsFor = (manager: ContextManager, provider: string) => {
  const { contents, report } = renderContext(manager.context, { target: { provider, model } });
  return [contents, { model, ...offered, stableParts: report.stableParts }] as const;
};

export const wires: readonly Wire[] = [
  {
    name: "Anthropic",
    provider: "anthropic",
    stream: anthropic.events.map(named),
    broken: ["event: content_block_delta\ndata: {nonsense\n\n"],
    open: anthropicModel,
    error: (status, message) => ({ type: "error", error: { type: typeOf(status), message } }),
    form: (manager) => {
      const [contents, options] = contentsFor(manager, "anthropic");
      return toAnthropic(contents, { ...options, cache: "5m" }).body;
    },
  },
  {
    name: "OpenAI Responses",
    provider: "openai",
    stream: responses.events.map(named),
    broken: ["event: response.output_text.delta\ndata: {nonsense\n\n"],
    open: (options) => openaiResponsesModel(options),
    error: (status, message) => ({ error: { type: typeOf(status), message } }),
    form: (manager) => toOpenAIResponses(...contentsFor(manager, "openai")).body,
  },
  {
    name: "Chat Completions",
    provider: "openai",
    stream: [...openai.chunks.map(data), "data: [DONE]\n\n"],
    broken: ["data: {nonsense\n\n"],
    open: (options) => openaiChatModel(options),
    error: (status, message) => ({ error: { type: typeOf(status), message } }),
    form: (manager) => toOpenAI(...contentsFor(manager, "openai")).body,
  },
  {
    name: "Gemini",
    provider: "google",
    stream: gemini.stream(gemini.parts).map(data),
    broken: ["data: {nonsense\n\n"],
    open: (options) => googleModel(options),
    error: (status, message) => ({ error: { code: status, message, status: typeOf(status) } }),
    // The rest stands elsewhere on the wire than in the SDK's parameters.
    form: (manager) => ({ contents: toGemini(...contentsFor(manager, "google")).body.contents }),
  },
];

function typeOf(status: number): string {
  const names: Readonly<Record<number, string>> = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
  };
  return names[status] ?? "api_error";
}
