import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { provided } from "./provided.js";

it("asks a provider by the kind of the settings, with headers that are shown nowhere", async () => {
  const at = await provided(anthropicWire, [{ text: "By Messages." }], {});
  const secret = "gateway-secret-1";
  const headers = { "X-Gateway": secret };
  const mine = { kind: "anthropic", baseUrl: at.server.url, keyEnv: "LOOPBACK_KEY", headers };
  at.home.put("settings.jsonc", JSON.stringify({ model: { name: "mine/m", providers: { mine } } }));
  const [debug, record] = [join(at.home.folder, "debug.jsonl"), join(at.home.folder, "record.jsonl")];
  const ran = await at.run(["-p", "Go.", "--debug", debug, "--record", record, "-o", "json"]);
  expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({ response: "By Messages.", model: "mine/m" });
  expect(at.server.requests[0]?.headers).toMatchObject({ "x-gateway": secret });
  expect(at.server.refused).toEqual([]);
  const listed = await at.run(["config", "list"]);
  expect(listed.stdout).toContain("X-Gateway");
  const doctor = await at.run(["doctor"]);
  const shown = [ran.stdout, ran.stderr, listed.stdout, doctor.stdout, doctor.stderr];
  for (const text of [...shown, readFileSync(debug, "utf8"), readFileSync(record, "utf8")])
    expect(text).not.toContain(secret);
});

it("refuses headers that cannot be sent, without their values", async () => {
  const at = await provided(anthropicWire, [], {});
  const headers = { "X Gateway": "gateway-secret-1", "X-Two": "gateway-secret-2\nX-Three: 3" };
  const mine = { baseUrl: at.server.url, headers };
  at.home.put("settings.jsonc", JSON.stringify({ model: { name: "mine/m", providers: { mine } } }));
  const ran = await at.run(["-p", "Go."]);
  expect(ran.code).toBe(52);
  expect(ran.stderr).toContain("must be one line");
  expect(ran.stderr).not.toContain("gateway-secret");
});
