import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProviderServer, responsesWire } from "../../../agent/test/loopback/index.js";
import { done, scripted } from "./provided.js";
import { hasTmux, openWindow } from "./tmux.js";

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

  it("puts a page before the model that the words name, where its host is allowed", async () => {
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
  });
});

describe.runIf(hasTmux)("the program in a terminal", () => {
  it("begins with the words that it is given, and talks on", async () => {
    const at = scripted([{ text: "One.", expects: ["do this"] }, { text: "Two." }]);
    const flags = ["--script", join(at.home.folder, "script.json")];
    const window = openWindow(at);
    window.start(["do this", ...flags]);
    await window.until(/> do this\nOne\.\n1 request[^\n]*\n[^\n]*\n>$/);
    window.type("More.");
    window.keys("Enter");
    await window.until(/> More\.\nTwo\.\n1 request[^\n]*\n[^\n]*\n>$/);
    window.keys("C-d");
    await window.until(/^\$$/m);
    at.play([{ text: "Three.", expects: ["begin"] }]);
    window.start(["-i", "begin", ...flags]);
    await window.until(/> begin\nThree\.\n1 request[^\n]*\n[^\n]*\n>$/);
  });

  it("asks a person without a key for one, and shows and keeps it nowhere but in one file", async () => {
    const key = "sk-proj-0123456789abcdefghij";
    const server = await new ProviderServer(
      responsesWire,
      [{ text: "ok" }, { text: "It works." }],
      key,
    ).open();
    onTestFinished(() => server.close());
    const { bare: at } = scripted([], { settings: { model: { name: `openai/${responsesWire.model}` } } });
    const debug = join(at.home.folder, "debug.jsonl");
    const window = openWindow({ ...at, env: { ...at.env, OPENAI_BASE_URL: server.url } });
    window.start(["--debug", debug, "--approval-mode", "yolo"]);
    await window.until(
      /There is no key for openai.*\n.*none of ANTHROPIC_API_KEY.*\n.*Local servers: .*[\s\S]*^Key/m,
    );
    window.paste("sk-proj-wrongwrongwrong");
    window.keys("Enter");
    await window.until(/The key is not kept\.\n[\s\S]*^Key/m);
    // A paste without marks, and an Enter too many: no answer, and nothing that is said later.
    window.bytes(
      Buffer.from(`${key}\r\r`)
        .toString("hex")
        .replaceAll(/..(?=.)/g, "$& "),
    );
    await window.until("Give one line; nothing was kept.");
    await window.untilAt("Key (it is not shown):");
    window.paste(`${key}\n`);
    window.keys("Enter");
    await window.until(/answers\.\n[\s\S]*^>$/m);
    window.type(`Does it? @${join(at.home.folder, "credentials.json")}`);
    window.keys("Enter");
    await window.until("It works.");
    window.type("!env; cat nothing");
    window.keys("Enter");
    await window.until("HOLDFAST_HOME=");
    for (const command of ["/settings", "/export page.yaml"]) {
      window.type(command);
      window.keys("Enter");
      await window.until(/^>$/m);
    }
    // The command stands on the screen before it is done, and a key of a moment before belongs to it.
    await window.until(/^Written: [\s\S]*^>$/m);
    window.keys("C-d");
    await window.until(/^\$$/m);
    const holding = [at.home.folder, at.project.folder].flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .filter((path) => readFileSync(path).includes("0123456789abcdefghij")),
    );
    const file = join(at.home.folder, "credentials.json");
    expect(holding).toEqual([file]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ openai: key });
    expect(readFileSync(debug, "utf8")).not.toContain(key);
    // No tool reads it, wherever its root lies.
    const read = await at.run(["read", "credentials.json", "--root", at.home.folder]);
    expect(read).toMatchObject({ code: 5, stdout: "", stderr: expect.stringContaining("for no tool") });
    // The environment goes before it.
    const env = { OPENAI_API_KEY: "sk-other-key-of-env", OPENAI_BASE_URL: server.url };
    const other = await at.run(["-p", "Again."], { env });
    expect(other).toMatchObject({ code: 41, stderr: expect.stringContaining("Check OPENAI_API_KEY") });
  });

  it("says one sentence where nobody can be asked", async () => {
    const { bare } = scripted([]);
    const refused = await bare.run(["-p", "Go."]);
    expect(refused).toMatchObject({ code: 41, stdout: "" });
    expect(refused.stderr.trim().split("\n")).toHaveLength(1);
  });
});
