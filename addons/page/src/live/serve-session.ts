import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ConversationRefusal, SessionStore } from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import type { LiveAnswer, PageOptions } from "../browser/page-data.js";
import { emptyPage } from "../html-page.js";
import { keptTexts, namedStates, spentIn } from "../session-files.js";
import { FollowedSession } from "./followed-session.js";

/** Where a session is served, and to whom. */
export interface ServeOptions extends Omit<PageOptions, "now"> {
  /** Any that is free unless given. */
  readonly port?: number;
  /** What a page has to show; 256 random bits unless given. */
  readonly token?: string;
}

/** A session that is served on this machine. */
export interface LiveServer {
  readonly kind: "live";
  readonly port: number;
  /** With the token behind `#`, which a browser sends to nobody. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the page of a session on the loopback address, following it while another process writes it. The page itself
 * holds nothing; all else is answered to those alone who show the token, and never to a page of another origin.
 *
 * @returns what the session cannot be read with; `busy` where the port is taken.
 */
export async function serveSession(
  store: SessionStore,
  id: string,
  options: ServeOptions,
): Promise<LiveServer | ConversationRefusal> {
  const session = await FollowedSession.open(store, id);
  if (isRefusal(session)) return session;
  const { token = randomBytes(32).toString("base64url") } = options;
  const page = (await emptyPage()).replace("img-src data:", "connect-src 'self'; img-src data:");
  const answers = new LiveAnswers(session, token, options, page);
  const server = createServer(limits, (request, response) => {
    answers.answer(request, response).catch(() => response.destroy());
  });
  server.maxConnections = mostStrangers + 64;
  server.on("connection", (socket) => answers.met(socket));
  // Of those who ask for nothing, or read nothing of what they asked for.
  server.setTimeout(waitMs + 10_000);
  try {
    server.listen(options.port ?? 0, loopback);
    await once(server, "listening");
  } catch {
    await session.close();
    return refuse("busy", `Port ${options.port} cannot be used; without --port it is any that is free.`);
  }
  // A cast: it listens on a port, not on a pipe.
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await session.close();
  };
  return { kind: "live", port, url: `http://${loopback}:${port}/#${token}`, close };
}

/** Who has not shown the token yet: the oldest goes for a new one, so that holders of the token find a place. */
const mostStrangers = 48;
const loopback = "127.0.0.1";
const limits = { headersTimeout: 5_000, connectionsCheckingInterval: 2_000, maxHeaderSize: 8_192 };
/** Whoever waits for a change is answered after so long in any case. */
const waitMs = 20_000;

class LiveAnswers {
  private readonly tokenHash: Buffer;
  private readonly strangers = new Set<Socket>();
  private named: readonly [of: unknown, hashes: ReadonlySet<string>] = [undefined, new Set()];

  constructor(
    private readonly session: FollowedSession,
    token: string,
    private readonly options: ServeOptions,
    private readonly page: string,
  ) {
    this.tokenHash = digest(token);
  }

  /** Takes a connection of which nothing is known. */
  met(socket: Socket): void {
    this.strangers.add(socket);
    socket.once("close", () => this.strangers.delete(socket));
    const [oldest] = this.strangers;
    if (this.strangers.size > mostStrangers) oldest?.destroy();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(fixedHeaders)) response.setHeader(name, value);
    const say = (status: number, text = "") => void response.writeHead(status).end(text);
    if (request.method !== "GET") return say(405, "Only GET.");
    if (!isAskedHere(request)) return say(403, "Asked under another name, or by another page.");
    const { pathname, searchParams } = new URL(`http://${loopback}${request.url}`);
    if (pathname === "/") {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      return say(200, this.page);
    }
    if (!this.isAllowed(request)) return say(401, "The token is wrong or missing.");
    this.strangers.delete(request.socket);
    if (pathname === "/records") return this.answerRecords(response, searchParams);
    const text = await this.textAt(pathname);
    // What is kept no more is no fault of who asks.
    return say(text === undefined ? 204 : 200, text);
  }

  private isAllowed({ headers }: IncomingMessage): boolean {
    const [scheme, token = ""] = (headers.authorization ?? "").split(" ");
    // Digests are of one length, whatever is sent.
    return scheme === "Bearer" && timingSafeEqual(digest(token), this.tokenHash);
  }

  /** What came behind the records that the page has, as soon as there is something new; all where it has others. */
  private async answerRecords(response: ServerResponse, asked: URLSearchParams): Promise<void> {
    const seen = asked.get("seen") ?? "";
    if (seen === this.session.mark) await this.session.changed(waitMs);
    const { epoch, mark, trouble } = this.session;
    const { id, records, problems, lastSeq } = this.session.opened;
    const [seenEpoch, count] = seen.split(" ");
    const from = seenEpoch === epoch ? Math.min(records.length, Number(count)) : 0;
    const isCut = asked.has("cut") && records.length > fewRecords;
    const { version, costOf } = this.options;
    const about: Omit<LiveAnswer, "records"> = {
      ...{ format: "holdfast-page", v: 1, version, exportedMs: Date.now(), id, states: {}, problems },
      ...{ spent: spentIn(records, costOf), mark, from, isCut },
      ...defined({ lastSeq, trouble }),
    };
    response.setHeader("Content-Type", "application/json");
    await pipeline(Readable.from(answerParts(about, records.slice(from))), response);
  }

  /** The text of a state that the session names of a file that may hold no secrets, or the Base64 of a medium. */
  private async textAt(pathname: string): Promise<string | undefined> {
    const [, what, hash = ""] = /^\/(state|blob)\/([0-9a-f]{64})$/.exec(pathname) ?? [];
    if (what === "state") {
      const { records } = this.session.opened;
      if (this.named[0] !== records) this.named = [records, new Set(namedStates(records))];
      return this.named[1].has(hash) ? keptTexts(this.options.stateDir)(hash) : undefined;
    }
    const bytes = what === "blob" ? await this.session.opened.readBlob(hash) : undefined;
    return bytes === undefined || isRefusal(bytes) ? undefined : Buffer.from(bytes).toString("base64");
  }
}

const fixedHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Content-Type": "text/plain; charset=utf-8",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** A name that leads here by somebody else's DNS, and a page that came from elsewhere, are refused. */
function isAskedHere({ headers, socket }: IncomingMessage): boolean {
  const hosts = [`${loopback}:${socket.localPort}`, `localhost:${socket.localPort}`];
  const { host = "", origin = `http://${host}` } = headers;
  return hosts.includes(host) && hosts.some((name) => origin === `http://${name}`);
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The JSON of an answer, made as it is read: who does not read it costs no memory. */
function* answerParts(about: Omit<LiveAnswer, "records">, records: LiveAnswer["records"]): Generator<string> {
  const cut = (_: string, value: unknown) =>
    about.isCut && typeof value === "string" ? value.slice(0, mostOfText) : value;
  yield `${JSON.stringify(about).slice(0, -1)},"records":[`;
  for (const [at, record] of records.entries()) yield `${at === 0 ? "" : ","}${JSON.stringify(record, cut)}`;
  yield "]}";
}

const fewRecords = 2_000;
/** As much of a text as a row can show. */
const mostOfText = 320;
