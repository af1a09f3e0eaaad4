import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { chatWire } from "../../../agent/test/loopback/index.js";
import { isThere } from "../addon-there.js";
import { done, provided, scripted } from "./provided.js";

describe("the program without a command", () => {
  const runsAsPrompt: readonly (readonly [args: readonly string[], words: string])[] = [
    [["do this"], "do this"],
    [["--approval-mode", "plan", "do this"], "do this"],
    [["--approval-mode", "plan", "hello"], "hello"],
    [["-i", "begin"], "begin"],
    ...["edit", "read", "list", "search", "undo", "tour"].map((word) => [["-p", word], word] as const),
    [["--approval-mode", "plan", "-p", "read"], "read"],
    [["--prompt=list"], "list"],
    [["agent", "undo"], "undo"],
  ];

  it.each(runsAsPrompt)("takes %j as words for the agent", async (args, words) => {
    const { run } = scripted([{ text: "Yes.", expects: [words] }]);
    expect(await run(args)).toMatchObject({ code: 0, stdout: "Yes.\n" });
  });

  it("takes options before a command as options of that, and one unknown word as no prompt", async () => {
    const { bare } = scripted([], { files: { "a.txt": "a\n" } });
    const root = bare.project.folder;
    expect((await bare.run(["--root", root, "read", "a.txt"])).code).toBe(0);
    expect(await bare.run(["frobnicate"])).toMatchObject({
      code: 2,
      stderr:
        "holdfast: unknown command 'frobnicate'\nSee: holdfast --help; to say it to the agent: holdfast -p frobnicate\n",
    });
    expect(await bare.run(["--wire", "json", "read"])).toMatchObject({ code: 2, stdout: "" });
    expect((await bare.run([])).stderr).toContain("Usage: holdfast");
    expect((await bare.run(["--help"])).stdout).toContain("Usage: holdfast");
  });

  it("sets a model by its short name", async () => {
    const { bare } = scripted([]);
    expect((await bare.run(["config", "set", "model", "gpt-5"])).code).toBe(0);
    expect(JSON.parse(bare.home.text("settings.jsonc"))).toEqual({ model: { name: "openai/gpt-5" } });
    expect((await bare.run(["config", "set", "model", "ollama/qwen3"])).code).toBe(0);
    expect((await bare.run(["config", "set", "model", '{"name":"gpt-5.4"}'])).code).toBe(0);
    expect(await bare.run(["config", "set", "model", "nobody"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("give provider/name"),
    });
    expect(JSON.parse(bare.home.text("settings.jsonc"))).toEqual({ model: { name: "gpt-5.4" } });
  });

  it.skipIf(!isThere("web"))(
    "puts a page before the model that the words name, where its host is allowed",
    async () => {
      const server = createServer((_, response) => {
        response.setHeader("content-type", "text/html");
        response.end("<p>The page says <b>seven</b>.</p>");
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      onTestFinished(() => void server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
      const settings = { fetch: { allowedHosts: ["127.0.0.1"] } };
      const allowed = scripted([{ text: "Yes.", expects: ["The page says seven."] }], { settings });
      expect(await allowed.run(["-p", `Read @${url}, please.`])).toMatchObject({ code: 0, stderr: "" });
      const { run } = scripted([done]);
      const denied = await run(["-p", `Read @${url}, please.`]);
      expect(denied.code).toBe(0);
      expect(denied.stderr).toContain(
        `@${url}: The host 127.0.0.1 is not among those that may be fetched from. The setting fetch.allowedHosts`,
      );
    },
  );

  it("says one sentence where nobody can be asked", async () => {
    const { bare } = scripted([]);
    const refused = await bare.run(["-p", "Go."]);
    expect(refused).toMatchObject({ code: 41, stdout: "" });
    expect(refused.stderr.trim().split("\n")).toHaveLength(1);
  });
});

describe("the answer of -p", () => {
  it("comes as text while the model writes it, also into a pipe", async () => {
    const text = "Each word comes by itself. ".repeat(40).trim();
    const ground = await provided(chatWire, [{ text, fault: { kind: "slow", pauseMs: 5 } }]);
    const child = ground.begin(["-p", "Tell me."], ["ignore", "pipe", "ignore"]);
    let shown = "";
    const pieces: string[] = [];
    child.stdout?.on("data", (data) => {
      pieces.push(String(data));
      shown += data;
    });
    const [code] = await once(child, "close");
    expect([code, shown]).toEqual([0, `${text}\n`]);
    expect(pieces.length).toBeGreaterThan(3);
  });
});
