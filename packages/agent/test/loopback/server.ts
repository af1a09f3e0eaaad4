import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { FileApi } from "./file-api.js";
import { filledCall } from "./fill.js";
import { Ledger } from "./ledger.js";
import type { PromptTokens, ServedAnswer, Wire, WireEvent } from "./wire.js";

/** A request as it came. */
export interface ReceivedRequest {
  /** To the byte. */
  readonly text: string;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** Signatures that the client had then, each to be given back to the byte while its answer is on the path. */
  readonly wanted: readonly string[];
}

/**
 * A provider on loopback: it refuses what the real one refuses, and plays a script to what is left. One answer for each
 * request that is well made, faults among them.
 */
export class ProviderServer {
  readonly requests: ReceivedRequest[] = [];
  /** What was refused as badly made, a sentence each: empty, or there is a bug in a client. */
  readonly refused: string[] = [];
  readonly ledger = new Ledger();
  /** Told of each request that is well made, counted from 1, before it is answered. */
  onRequest: (count: number) => void = () => {};
  /** Counts the tokens of a request, where somebody wants to know. */
  meter: ((body: unknown) => PromptTokens) | undefined;
  /** What the provider says of a request that is too long, or holds what it does not take; undefined where it takes it. */
  limit: ((request: ReceivedRequest) => string | undefined) | undefined;
  /** The answer to a request, where it is not the next one of the script: several may ask at once. */
  answer: ((request: ReceivedRequest) => ServedAnswer | undefined) | undefined;
  /** Google's files, at the same address. */
  files: FileApi | undefined;
  url = "";
  readonly #server: Server;
  readonly #script: ServedAnswer[];
  #held: (() => void)[] = [];

  constructor(
    readonly wire: Wire,
    script: readonly ServedAnswer[],
    readonly key = "sk-loopback-1",
  ) {
    this.#script = [...script];
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Listens on a free port; `url` is what a client is given as base URL. */
  async open(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.wire.base}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  /** More answers behind those that are left. */
  play(...answers: readonly ServedAnswer[]): void {
    this.#script.push(...answers);
  }

  /** How many answers nobody has asked for yet. */
  get left(): number {
    return this.#script.length;
  }

  /** Resolves when an answer is held back (`hold`, `stall`). */
  held(): Promise<void> {
    return new Promise((done) => this.#held.push(done));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    if (this.files?.takes(request) === true) return this.files.serve(request, response, bytes);
    const text = bytes.toString();
    const refuse = (status: number, message: string, headers: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(this.wire.error(status, message)));
    };
    if (!this.wire.path.test(`${request.method} ${request.url}`)) return refuse(404, `no ${request.url}`);
    if (this.wire.keyOf(request.headers) !== this.key) return refuse(401, "invalid x-api-key");
    const body = parsed(text);
    this.requests.push({ text, body, headers: request.headers, wanted: [...this.ledger.wanted] });
    const [complaint] = this.wire.complaints(body, this.ledger);
    if (complaint !== undefined) {
      this.refused.push(complaint);
      return refuse(400, complaint);
    }
    const forbidden = this.files?.forbids(body);
    if (forbidden !== undefined) return refuse(403, forbidden);
    const excess = this.limit?.({ text, body, headers: request.headers, wanted: [] });
    if (excess !== undefined) return refuse(400, excess);
    this.onRequest(this.requests.length);
    const next = this.answer?.({ text, body, headers: request.headers, wanted: [] }) ?? this.#script.shift();
    if (next === undefined) return refuse(400, "the script is over");
    const { fault } = next;
    if (fault?.kind === "status")
      return refuse(fault.status, fault.says ?? "as the script says", fault.headers ?? {});
    if (fault?.kind === "hold") return this.#hold();
    const calls = next.calls?.map((call) => filledCall(call, body));
    const prompt = this.meter?.(body) ?? next.prompt;
    await this.#stream(
      { ...next, ...(calls === undefined ? {} : { calls }), ...(prompt === undefined ? {} : { prompt }) },
      response,
    );
  }

  async #stream(answer: ServedAnswer, response: ServerResponse): Promise<void> {
    const events = this.wire.stream(answer, this.ledger);
    const { fault } = answer;
    const middle = middleOf(events);
    const isWhole = fault === undefined || fault.kind === "slow";
    this.ledger.endAnswer(isWhole);
    const shown = isWhole ? events : events.slice(0, middle);
    const text = shown.map((event) => event.text).join("");
    // Half of the next event as well: a cut knows nothing of events.
    const half = fault?.kind === "cut" ? (events[middle]?.text.slice(0, -9) ?? "") : "";
    const nonsense = fault?.kind === "malformed" ? this.wire.malformed : "";
    response.writeHead(200, { "content-type": "text/event-stream" });
    await write(response, Buffer.from(text + half + nonsense), fault?.kind === "slow" ? fault.pauseMs : 0);
    if (fault?.kind === "stall") return this.#hold();
    if (fault?.kind === "cut") setImmediate(() => response.destroy());
    else response.end();
  }

  #hold(): void {
    for (const done of this.#held.splice(0)) done();
  }
}

/** In the middle of the calls, or of the words where nothing is called. */
function middleOf(events: readonly WireEvent[]): number {
  const wanted = events.some(({ carries }) => carries === "call") ? "call" : "words";
  const places = events.flatMap(({ carries }, at) => (carries === wanted ? [at] : []));
  return places[Math.floor(places.length / 2)] ?? Math.floor(events.length / 2);
}

/** In pieces that end anywhere, inside letters and events. */
async function write(response: ServerResponse, bytes: Buffer, pauseMs: number): Promise<void> {
  const size = pauseMs === 0 ? 977 : 61;
  for (let at = 0; at < bytes.length; at += size) {
    await new Promise((done) => response.write(bytes.subarray(at, at + size), done));
    if (pauseMs > 0) await wait(pauseMs);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
