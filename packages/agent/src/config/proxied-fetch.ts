import { type IncomingMessage, request as plainRequest, type RequestOptions } from "node:http";
import { request as secureRequest } from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { connect } from "node:tls";

/**
 * The proxy that the environment names for an address: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case of letters.
 * Addresses of this machine are asked directly.
 */
export function proxyFor(
  { protocol, hostname, port }: URL,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): URL | undefined {
  const variable = (name: string) => environment[name.toLowerCase()] || environment[name] || "";
  const named = variable(protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  const given = named === "" || named.includes("://") ? named : `http://${named}`;
  if (!URL.canParse(given) || /^(localhost|127\.[\d.]+|\[::1\])$/u.test(hostname)) return undefined;
  const isDirect = variable("NO_PROXY")
    .split(/[\s,]+/u)
    .some((one) => {
      const [, host = "", ofPort] = /^\*?\.?(.*?)(?::(\d+))?$/u.exec(one.toLowerCase()) ?? [];
      if (one === "*") return true;
      if (host === "" || (ofPort !== undefined && ofPort !== port)) return false;
      return hostname === host || hostname.endsWith(`.${host}`);
    });
  return isDirect ? undefined : new URL(given);
}

/**
 * `fetch` through a proxy, without a redirect: Node 20's own knows none, and that of Node 24 only by a flag. Https goes through a tunnel (CONNECT),
 * so that the proxy reads nothing of it.
 */
export async function fetchThrough(proxy: URL, url: URL, init: RequestInit = {}): Promise<Response> {
  const asked = new Request(url, init);
  const body = Buffer.from(await asked.arrayBuffer());
  // What comes is read as it is: nobody here unpacks it.
  const headers = { ...Object.fromEntries(asked.headers), "accept-encoding": "identity" };
  const { method, signal } = asked;
  const sent = { method, signal, headers: { ...headers, host: url.host, "content-length": body.length } };
  const answer = await (url.protocol === "https:"
    ? tunnelled(proxy, url, sent, body)
    : answered(proxy, { ...sent, path: url.href, headers: { ...sent.headers, ...identity(proxy) } }, body));
  const { statusCode: status = 502, statusMessage: statusText = "" } = answer;
  const given = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isEmpty = status === 204 || status === 304;
  // A cast: the stream of Node and that of the web are declared apart, and are the same.
  const stream = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(stream, { status, statusText, headers: given });
}

async function tunnelled(proxy: URL, url: URL, options: RequestOptions, body: Buffer) {
  const socket = await tunnel(proxy, `${url.hostname}:${url.port || 443}`, options.signal);
  const createConnection = () => connect({ socket, servername: url.hostname });
  return answered(url, { ...options, path: url.pathname + url.search, createConnection }, body);
}

/** A connection to `host:port` by way of a proxy. */
export function tunnel(proxy: URL, target: string, signal?: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { host: target, ...identity(proxy) };
    const asking = requestOf(proxy)({
      ...addressOf(proxy),
      method: "CONNECT",
      path: target,
      headers,
      signal,
    });
    asking.once("connect", ({ statusCode = 0, statusMessage = "" }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`Connection error: the proxy ${proxy.host} answers ${statusCode} ${statusMessage}`));
    });
    asking.once("error", reject).end();
  });
}

function answered(at: URL, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    requestOf(at)({ ...addressOf(at), ...options }, resolve)
      .once("error", reject)
      .end(body);
  });
}

function requestOf({ protocol }: URL): typeof plainRequest {
  return protocol === "https:" ? secureRequest : plainRequest;
}

function addressOf({ hostname, port }: URL): RequestOptions {
  return { hostname: hostname.replace(/^\[|\]$/gu, ""), ...(port === "" ? {} : { port }) };
}

/** The name and password of the proxy's address. */
function identity({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
