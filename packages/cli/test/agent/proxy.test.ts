import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { done, provided } from "./provided.js";

/** A key that protects nothing, and its certificate for the name `provider.test`, until 2120. */
const certified = fileURLToPath(new URL("../../../../test/fixtures/provider.test.pem", import.meta.url));

async function listening(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  // A cast: a server on a port has an address of a net.
  return (server.address() as AddressInfo).port;
}

test("a model behind a proxy and a certificate of one's own is asked, and no SDK says a word", async () => {
  const ground = await provided(
    anthropicWire,
    [done],
    {},
    { model: { name: "anthropic/claude-sonnet-4-5" } },
  );
  const { home, server, run } = ground;
  const pem = readFileSync(certified);
  const secure = createSecureServer({ key: pem, cert: pem }, (request, response) => {
    const onward = new URL(request.url ?? "/", server.url);
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
      const { host: _, connection: __, "content-length": ___, ...others } = request.headers;
      const headers = Object.entries(others).map(([name, value]): [string, string] => [name, String(value)]);
      const answer = await fetch(onward, { method: "POST", headers, body: Buffer.concat(parts) });
      response.writeHead(answer.status, { "content-type": "text/event-stream" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  const securePort = await listening(secure);
  const tunnels: (string | undefined)[] = [];
  const proxy = createServer().on("connect", (request, socket) => {
    tunnels.push(request.url);
    const onward = connect(securePort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  const env = {
    HTTPS_PROXY: `http://127.0.0.1:${await listening(proxy)}`,
    NODE_EXTRA_CA_CERTS: certified,
    ANTHROPIC_API_KEY: server.key,
    ANTHROPIC_BASE_URL: "https://provider.test",
  };
  home.put("settings.jsonc", JSON.stringify({ model: { name: "anthropic/claude-sonnet-4-5" } }));
  const ran = await run(["-p", "Hello."], { env });
  expect([ran.stdout, ran.stderr]).toEqual(["Done.\n", ""]);
  expect([ran.code, tunnels]).toEqual([0, ["provider.test:443"]]);
});
