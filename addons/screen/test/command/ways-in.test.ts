import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ProviderServer, responsesWire } from "../../../../packages/agent/test/loopback/index.js";
import { isThere } from "../../../../packages/cli/test/addon-there.js";
import { scripted } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux, openWindow } from "./tmux.js";

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

  it.runIf(isThere("mcp-client"))("is there beside a server that does not answer, and says so", async () => {
    const mcpServers = { silent: { command: "sleep", args: ["1000"] } };
    const at = scripted([{ text: "One." }], { settings: { mcpServers } });
    const window = openWindow(at);
    window.start(["--script", join(at.home.folder, "script.json")]);
    await window.until(
      /MCP server silent: It has not answered yet[\s\S]* · silent: connecting… · [^\n]*\n>$/,
    );
    window.type("Hello.");
    window.keys("Enter");
    await window.until(/> Hello\.\nOne\.\n1 request[^\n]*\n[^\n]*\n>$/);
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
});
