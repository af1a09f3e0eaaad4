import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { changeSettings, settingsFor } from "../../src/setup/index.js";
import { Project, program, runHoldfast } from "../process.js";

const server = { command: "node", args: [program, "mcp"] };
// biome-ignore lint/suspicious/noTemplateCurlyInString: the editor's own variable
const inEditor = { command: "node", args: [program, "mcp", "--root", "${workspaceFolder}"] };

describe("setup", () => {
  const cases = [
    ["claude", ".mcp.json", { mcpServers: { holdfast: server } }],
    ["gemini", ".gemini/settings.json", { mcpServers: { holdfast: server } }],
    ["cursor", ".cursor/mcp.json", { mcpServers: { holdfast: inEditor } }],
    ["vscode", ".vscode/mcp.json", { servers: { holdfast: { type: "stdio", ...inEditor } } }],
  ] as const;
  test.each(cases)(
    "%s: shows the change, makes it when told to, and then has nothing to do",
    async (client, file, settings) => {
      const project = new Project();
      const shown = await project.run(["setup", client]);
      expect(shown).toMatchObject({ code: 0, stderr: "Nothing was changed. To make this change: --yes\n" });
      expect(shown.stdout).toContain(`+++ ${file}`);
      expect(project.has(file)).toBe(false);
      const made = await project.run(["setup", client, "--yes"]);
      expect(made).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(project.text(file))).toEqual(settings);
      const again = await project.run(["setup", client, "--yes"]);
      expect(again.stdout).toBe("Everything is set already; nothing was changed.\n");
    },
  );

  test("what a change of an older state gets is written where it is asked for, in place of what stood there", async () => {
    const project = new Project();
    const argsOf = () => JSON.parse(project.text(".cursor/mcp.json")).mcpServers.holdfast.args;
    await project.run(["setup", "cursor", "--yes", "--on-mismatch", "rebase"]);
    expect(argsOf()).toEqual([program, "mcp", "--on-mismatch", "rebase", ...inEditor.args.slice(2)]);
    await project.run(["setup", "cursor", "--yes"]);
    expect(argsOf()).toContain("rebase");
    await project.run(["setup", "cursor", "--yes", "--on-mismatch", "refuse"]);
    expect(argsOf()).toEqual([program, "mcp", "--on-mismatch", "refuse", ...inEditor.args.slice(2)]);
    const unknown = await project.run(["setup", "cursor", "--on-mismatch", "always"]);
    expect(unknown.code).toBe(2);
  });

  const messy =
    '\ufeff{\r\n\t// ours\r\n\t"theme": "dark", /* stays */\r\n\t"mcpServers": {\r\n\t\t"db": { "command": "x" },\r\n\t},\r\n}\r\n';

  test("no other setting, comment, ending or mark is lost", async () => {
    const project = new Project({ ".gemini/settings.json": messy });
    expect((await project.run(["setup", "gemini", "--guard", "--yes"])).code).toBe(0);
    const after = project.text(".gemini/settings.json");
    for (const kept of ["\ufeff{", "// ours", "/* stays */", '"theme": "dark"', '"db"'])
      expect(after).toContain(kept);
    expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    const settings = parse(after.slice(1));
    expect(Object.keys(settings.mcpServers)).toEqual(["db", "holdfast"]);
    expect(Object.keys(settings.hooks)).toEqual(["BeforeTool", "AfterTool"]);
  });

  test("hooks of others stay, and ours is replaced in its place, not doubled", async () => {
    const project = new Project();
    const other = { matcher: "Bash", hooks: [{ type: "command", command: "true" }] };
    const old = { matcher: "Edit", hooks: [{ type: "command", command: "node /old/holdfast.js guard" }] };
    project.put(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [old, other] } }));
    await project.run(["setup", "claude", "--guard", "--yes"]);
    const { hooks } = JSON.parse(project.text(".claude/settings.json"));
    expect(hooks.PreToolUse).toHaveLength(2);
    expect(hooks.PreToolUse[1]).toEqual(other);
    expect(hooks.PreToolUse[0].hooks[0].command).toBe(`node ${program} guard`);
    expect(hooks.PostToolUse).toHaveLength(1);
  });

  test("what a person put beside ours stays: hooks in the same element, arguments, environment", async () => {
    const project = new Project();
    const audit = { type: "command", command: "/usr/local/bin/audit.sh" };
    const old = { type: "command", command: "npx holdfast guard" };
    const shared = { matcher: "Bash|Write", hooks: [audit, old] };
    project.put(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [shared] } }));
    const args = ["/old/holdfast.js", "mcp", "--root", "/data", "--read-only"];
    const entry = { command: "node", args, env: { HOLDFAST_STATE_DIR: "/srv" } };
    project.put(".mcp.json", JSON.stringify({ mcpServers: { holdfast: entry } }));
    await project.run(["setup", "claude", "--guard", "--yes"]);
    const { hooks } = JSON.parse(project.text(".claude/settings.json"));
    expect(hooks.PreToolUse[0]).toEqual({ matcher: "Bash|Write", hooks: [audit] });
    expect(hooks.PreToolUse[1].hooks[0].command).toBe(`node ${program} guard`);
    const { holdfast } = JSON.parse(project.text(".mcp.json")).mcpServers;
    expect(holdfast).toMatchObject({ env: entry.env, args: [program, "mcp", ...args.slice(2)] });
    const before = project.text(".claude/settings.json");
    await project.run(["setup", "claude", "--guard", "--yes"]);
    expect(project.text(".claude/settings.json")).toBe(before);
  });

  const refused = [
    ["is no JSON", "{ not json"],
    ["is a list", "[]"],
    ["has something else in the place", '{ "mcpServers": 7 }'],
    ["has something else in the place of the hooks", '{ "hooks": { "BeforeTool": {} } }'],
  ] as const;
  test.each(refused)("a file that %s is left alone", async (_, text) => {
    const project = new Project({ ".gemini/settings.json": text });
    const done = await project.run(["setup", "gemini", "--guard", "--yes"]);
    expect(done.code).toBe(4);
    expect(done.stderr).toContain("The file is left alone: ");
    expect(project.text(".gemini/settings.json")).toBe(text);
  });

  test("--user sets the person's own configuration", async () => {
    const home = new Project();
    const project = new Project();
    const done = await project.run(["setup", "claude", "--user", "--yes"], { env: { HOME: home.folder } });
    expect(done.code).toBe(0);
    expect(JSON.parse(home.text(".claude.json"))).toEqual({ mcpServers: { holdfast: server } });
  });

  test("--json tells the change", async () => {
    const project = new Project();
    const done = await project.run(["setup", "cursor", "--json"]);
    expect(JSON.parse(done.stdout)).toMatchObject({
      changes: [{ path: ".cursor/mcp.json" }],
      written: false,
    });
  });

  test("knows its clients, and which have hooks", async () => {
    expect(await runHoldfast(["setup", "emacs"])).toMatchObject({ code: 2 });
    expect(await runHoldfast(["setup", "vscode", "--guard"])).toMatchObject({ code: 2 });
  });

  test("settings are put into any object, once", () => {
    const wishes = {
      client: "gemini",
      user: false,
      guard: true,
      program: { command: "node", args: ["/it's/holdfast.js"] },
    } as const;
    const settings = settingsFor(wishes);
    for (const text of ["", "{}", '{"a":1}', '{\n    "hooks": {}\n}\n', messy.slice(1)]) {
      const once = changeSettings(text, settings);
      if (once.kind === "refusal") throw new Error(once.message);
      expect(changeSettings(once.text, settings)).toEqual(once);
      expect(parse(once.text)).toMatchObject({ ...parse(text), mcpServers: expect.anything() });
    }
  });

  test("a member that stands twice on the way to a setting is refused: a client reads one of them, nobody knows which", () => {
    const wishes = {
      client: "claude",
      user: false,
      guard: true,
      program: { command: "node", args: ["x"] },
    } as const;
    const [server] = settingsFor(wishes);
    const once = '{"mcpServers":{"holdfast":{}},"a":1,"a":2}';
    expect(changeSettings(once, [server!]).kind).toBe("changed");
    for (const text of ['{"mcpServers":{},"mcpServers":{}}', '{"mcpServers":{"holdfast":{},"holdfast":{}}}'])
      expect(changeSettings(text, [server!])).toMatchObject({ kind: "refusal", code: "invalid_arguments" });
  });
});
