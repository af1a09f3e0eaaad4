import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { done, provided } from "./provided.js";

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
  const [key, cert] = [join(home.folder, "key.pem"), join(home.folder, "cert.pem")];
  const subject = ["-subj", "/CN=provider.test", "-addext", "subjectAltName=DNS:provider.test", "-days", "2"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject],
    { stdio: "ignore" },
  );
  const secure = createSecureServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      const onward = new URL(request.url ?? "/", server.url);
      const parts: Buffer[] = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", async () => {
        const { host: _, connection: __, "content-length": ___, ...others } = request.headers;
        const headers = Object.entries(others).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        const answer = await fetch(onward, { method: "POST", headers, body: Buffer.concat(parts) });
        response.writeHead(answer.status, { "content-type": "text/event-stream" });
        response.end(Buffer.from(await answer.arrayBuffer()));
      });
    },
  );
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
    NODE_EXTRA_CA_CERTS: cert,
    ANTHROPIC_API_KEY: server.key,
    ANTHROPIC_BASE_URL: "https://provider.test",
  };
  home.put("settings.jsonc", JSON.stringify({ model: { name: "anthropic/claude-sonnet-4-5" } }));
  const ran = await run(["-p", "Hello."], { env });
  expect([ran.stdout, ran.stderr]).toEqual(["Done.\n", ""]);
  expect([ran.code, tunnels]).toEqual([0, ["provider.test:443"]]);
});
