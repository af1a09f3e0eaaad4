import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to the server that breaks when it is told to. */
export interface BreakingWay {
  readonly port: number;
  /**
   * The next commit breaks the connection: before the server has it, or after, so that only its answer is
   * lost. `thenAway` refuses whoever comes next, until `mend`.
   *
   * @param meanwhile what happens after the commit and before the client learns that its way is broken.
   */
  breakCommit(when: "before" | "after", thenAway: boolean, meanwhile?: () => Promise<unknown>): void;
  mend(): void;
  /** How many commits were broken. */
  broken(): number;
  close(): Promise<void>;
}

interface Order {
  readonly when: "before" | "after";
  readonly thenAway: boolean;
  readonly meanwhile: (() => Promise<unknown>) | undefined;
}

export async function breakingWay(port: number): Promise<BreakingWay> {
  let order: Order | undefined;
  let isUnavailable = false;
  let broken = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    if (isUnavailable) return client.destroy();
    const server = connect(port, "127.0.0.1");
    let meanwhile: (() => Promise<unknown>) | undefined;
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    server.on("data", (bytes) => {
      // Once the server has answered it has committed; the client never hears of it.
      if (meanwhile === undefined) client.write(bytes);
      else void meanwhile().then(() => client.destroy());
    });
    client.on("data", (bytes) => {
      if (order === undefined || !/\bcommit\b/u.test(bytes.toString("latin1"))) return server.write(bytes);
      const { when, thenAway } = order;
      const then = order.meanwhile ?? (async () => undefined);
      order = undefined;
      broken += 1;
      isUnavailable = thenAway;
      if (when === "before") return client.destroy();
      meanwhile = then;
      return server.write(bytes);
    });
    return undefined;
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    port: address.port,
    breakCommit: (when, thenAway, meanwhile) => {
      order = { when, thenAway, meanwhile };
    },
    mend: () => {
      isUnavailable = false;
    },
    broken: () => broken,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
