import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, scripted } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux, openWindow, steady } from "./tmux.js";

const idle = /\n>$/u;
const answers = [{ text: "One." }, { text: "Two." }];

describe.runIf(hasTmux)("what is chosen from a list", () => {
  it("is a command by its sentence, a session by its first words, and a row by Enter", async () => {
    const at = scripted(answers);
    const window = openWindow(at, { columns: 100, rows: 20 });
    window.start(["--script", join(at.home.folder, "script.json")]);
    await window.until(idle);
    await window.say("Why is the sky blue?", /One\.[\s\S]*\n>$/u);
    window.type("/mo");
    await window.until(
      /^ {2}model +Goes on with another model[^\n]*\n {2}mode +Says what needs your consent/mu,
    );
    await expect(steady(window.screen())).toMatchFileSnapshot("screens/picker.txt");
    window.keys("C-c");
    await window.say("/clear", /A new session begins[\s\S]*\n>$/u);
    await window.say("Another question.", /(?:One|Two)\.[\s\S]*\n>$/u);
    window.type("/resume");
    window.keys("Enter");
    await window.until(/today \d\d:\d\d +Another question\.[\s\S]*today \d\d:\d\d +Why is the sky blue\?/u);
    window.type("sky");
    await window.until(/^> [0-9a-z]{26} +today \d\d:\d\d +Why is the sky blue\?$/mu);
    expect(window.screen()).not.toMatch(/today \d\d:\d\d +Another/u);
    window.keys("Enter");
    await window.until(/You are in session [0-9a-z]{26} now[\s\S]*> Why is the sky blue\?[\s\S]*\n>$/u);
  });

  it("is an MCP server, with how it stands", async () => {
    const settings = { mcpServers: { docs: { command: "/nowhere" }, tickets: { command: "/nowhere" } } };
    const at = scripted(answers, { settings });
    const window = openWindow(at, { columns: 100, rows: 20 });
    window.start(["--script", join(at.home.folder, "script.json")]);
    await window.until(/tickets: failed[\s\S]*\n>$/u);
    window.type("/mcp ");
    await window.until(/docs +failed\n.*tickets +failed/u);
    window.type("tick");
    await window.until(/^> tickets +failed$/mu);
    window.keys("Enter");
    await window.until(/^> \/mcp tickets\nMCP servers: 1\.\ntickets {2}failed/mu);
  });

  it("is a model, and Esc leaves what was typed", async () => {
    const at = scripted(answers);
    const window = openWindow(at, { columns: 100, rows: 20 });
    window.start(["--script", join(at.home.folder, "script.json")]);
    await window.until(idle);
    window.type("/model");
    window.keys("Enter");
    await window.until(/^> claude-\S+ +\d+k tokens/mu);
    window.type("haiku");
    await window.until(/^> claude-haiku\S+ +\d+k tokens/mu);
    window.keys("Escape");
    await window.until(/> \/model haiku$/u);
  });
});

it.runIf(hasTmux)(
  "answers by one key, says what is new once, and where one is after going back",
  async () => {
    const edit = call("write_file", { file_path: "a.txt", content: "a\n" });
    const at = scripted([{ calls: [edit] }, { text: "Written." }]);
    const window = openWindow(at, { columns: 100, rows: 24, isNew: true });
    window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "ask"]);
    await window.until(idle);
    await window.say("Write it.", /One key answers[\s\S]*\[e\]dit:$/u);
    window.type("y");
    await window.until(/\[e\]dit: y\n[\s\S]*First change\.[\s\S]*Written\.[\s\S]*\n>$/u);
    await expect(steady(window.screen())).toMatchFileSnapshot("screens/first-change.txt");
    await window.say("/undo", /You are behind your prompt "Write it\."; a\.txt came back\.[\s\S]*\n>$/u);
    window.type("/tour");
    window.keys("Enter");
    await window.until(/Back to any prompt, files too/u);
    await expect(steady(window.screen())).toMatchFileSnapshot("screens/tour.txt");
    window.keys("q");
    await window.until(idle);
  },
);
