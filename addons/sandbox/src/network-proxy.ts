import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Server, type Socket } from "node:net";
import { allowedAddresses, proxyFor, refuseHost, tunnel } from "@holdfast/agent/host";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { causeOf } from "@holdfast/core/text";

const port = 3128;

/** The way of one command to the network. */
interface NetworkChannel {
  readonly environment: Readonly<Record<string, string>>;
  readonly connect: (child: ChildProcess) => void;
  /** @returns sentences on the hosts that it was not let to. */
  readonly close: () => readonly string[];
}

/**
 * Lets commands that have no network reach some hosts by HTTP and HTTPS. The command's own side makes a listening socket in
 * its empty net and hands that over, so that nothing else of this machine can use it.
 */
export class NetworkProxy {
  constructor(readonly allowedHosts: readonly string[]) {}

  /** What a shell does inside before the command. */
  static readonly prelude = [
    `'${process.execPath}' -e 'const s = require("net").createServer().listen(${port}, "127.0.0.1", () => process.send("", s, {}, () => process.exit()))' || exit 126`,
    "exec 3>&-; unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE",
  ].join("\n");

  open(): NetworkChannel {
    const refused = new Set<string>();
    const server = createServer((asked, answer) => void this.#pass(asked, answer, refused));
    server.on(
      "connect",
      (asked: IncomingMessage, socket: Socket, head: Buffer) =>
        void this.#tunnel(asked, socket, head, refused),
    );
    let listening: Server | undefined;
    return {
      environment,
      connect: (child) =>
        child.once("message", (_, handle) => {
          // A cast: it is what the prelude sends.
          listening = handle as Server;
          listening.on("connection", (socket) => server.emit("connection", socket));
          child.disconnect();
        }),
      close: () => {
        listening?.close();
        server.closeAllConnections();
        const hosts = [...refused].slice(0, mostNamed).join(", ");
        if (hosts === "") return [];
        return [
          `It asked for ${hosts}; commands reach only ${this.allowedHosts.join(", ")} (shell.network).`,
        ];
      },
    };
  }

  async #tunnel(asked: IncomingMessage, socket: Socket, head: Buffer, refused: Set<string>): Promise<void> {
    socket.on("error", () => {});
    const to = await this.#reach(`https://${asked.url}`, refused);
    if (isRefusal(to)) return void socket.end(`HTTP/1.1 403 Forbidden\r\n\r\n${to.message}\n`);
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    to.write(head);
    to.on("error", () => socket.destroy()).pipe(socket);
    socket.on("close", () => to.destroy()).pipe(to);
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse, refused: Set<string>): Promise<void> {
    const { method, url: path = "" } = asked;
    const to = await this.#reach(path, refused);
    if (isRefusal(to)) return void answer.writeHead(403).end(`${to.message}\n`);
    const url = new URL(path);
    const { "proxy-connection": _, "proxy-authorization": __, ...headers } = asked.headers;
    const sent = { method, path: url.pathname + url.search, headers: { ...headers, host: url.host } };
    const further = request({ ...sent, createConnection: () => to }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.headers);
      back.pipe(answer);
    });
    asked.pipe(further.on("error", () => answer.destroy()));
  }

  /** By the proxy that our own environment names, where there is one. */
  async #reach(text: string, refused: Set<string>): Promise<Socket | Refusal> {
    try {
      const url = new URL(text);
      const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
      const proxy = proxyFor(url);
      const found = await (proxy === undefined ? allowedAddresses(url, this) : refuseHost(url, this));
      if (found !== undefined && isRefusal(found)) {
        refused.add(url.host);
        return found;
      }
      if (proxy !== undefined) return await tunnel(proxy, `${url.hostname}:${port}`);
      const socket = connect({ host: found?.[0]?.address ?? url.hostname, port });
      await once(socket, "connect");
      return socket;
    } catch (error) {
      return refuse("not_found", `Nobody answers there: ${causeOf(error)}.`);
    }
  }
}

const mostNamed = 10;
const address = `http://127.0.0.1:${port}`;
const names = ["http_proxy", "https_proxy", "npm_config_proxy", "npm_config_https_proxy"];
const environment = {
  ...Object.fromEntries(names.flatMap((name) => [name, name.toUpperCase()].map((one) => [one, address]))),
  ...{ no_proxy: "localhost,127.0.0.1,::1", NO_PROXY: "localhost,127.0.0.1,::1", NODE_USE_ENV_PROXY: "1" },
};
