import { chmodSync, lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse as parseToml } from "@decimalturn/toml-patch";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { changeSettings as changeJson } from "../../../packages/cli/src/config/change-settings.js";
import { Project, program, runHoldfast } from "../../../packages/cli/test/process.js";
import { clients, writingTools } from "../src/clients.js";
import { type Setting, settingsFor } from "../src/setup/client-settings.js";
import { changeFile } from "../src/setup/settings-files.js";
import { Person, wishesFor } from "./person.js";

const changeSettings = (text: string, settings: readonly Setting[]) =>
  changeFile("settings.json", text, settings, changeJson);

const serverFor = (client: string) => ({
  command: process.execPath,
  args: [program, "mcp", "--rules-of", client],
});
const inEditor = (client: string) => {
  const { command, args } = serverFor(client);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the editor's own variable
  return { command, args: [...args, "--root", "${workspaceFolder}"] };
};
describe("setup", () => {
  const vscode =
    process.platform === "darwin"
      ? "Library/Application Support/Code/User/mcp.json"
      : ".config/Code/User/mcp.json";
  const cases = [
    ["claude", ".claude.json", { mcpServers: { holdfast: { ...serverFor("claude"), alwaysLoad: true } } }],
    ["gemini", ".gemini/settings.json", { mcpServers: { holdfast: serverFor("gemini") } }],
    [
      "qwen",
      ".qwen/settings.json",
      { mcpServers: { holdfast: { ...serverFor("qwen"), alwaysLoadTools: true } } },
    ],
    [
      "opencode",
      ".config/opencode/opencode.json",
      {
        mcp: {
          holdfast: { type: "local", command: [process.execPath, ...serverFor("opencode").args] },
        },
        permission: { "holdfast_*": "deny" },
        agent: {
          build: { permission: { "holdfast_*": "allow" } },
          general: { permission: { "holdfast_*": "allow" } },
          plan: {
            permission: {
              "holdfast_*": "deny",
              "holdfast_read_*": "allow",
              holdfast_list_files: "allow",
              holdfast_search_files: "allow",
            },
          },
        },
      },
    ],
    [
      "copilot",
      ".copilot/mcp-config.json",
      { mcpServers: { holdfast: { type: "local", ...serverFor("copilot"), tools: ["*"] } } },
    ],
    ["cursor", ".cursor/mcp.json", { mcpServers: { holdfast: inEditor("cursor") } }],
    ["vscode", vscode, { servers: { holdfast: { type: "stdio", ...inEditor("vscode") } } }],
    ["zed", ".config/zed/settings.json", { context_servers: { holdfast: serverFor("zed") } }],
    ["jetbrains", ".junie/mcp/mcp.json", { mcpServers: { holdfast: serverFor("jetbrains") } }],
    ["windsurf", ".codeium/windsurf/mcp_config.json", { mcpServers: { holdfast: serverFor("windsurf") } }],
    [
      "continue",
      ".continue/config.yaml",
      {
        name: "Local Config",
        version: "1.0.0",
        schema: "v1",
        mcpServers: [{ name: "holdfast", ...serverFor("continue") }],
      },
    ],
    ["codex", ".codex/config.toml", { mcp_servers: { holdfast: { ...serverFor("codex"), required: true } } }],
  ] as const;
  const headless = [
    ["claude", /^Headless .* --allowedTools mcp__holdfast\.\n$/m],
    ["gemini", /^Headless .* --skip-trust.*"trust": true/m],
    ["codex", /^Headless .* default_tools_approval_mode = "approve"/m],
    ["qwen", /^Headless .* --allowed-tools mcp__holdfast\.\n$/m],
    ["cursor", /"mcpAllowlist" .*: "holdfast:read_file", /],
    ["copilot", /--allow-tool='holdfast\(read_file\)'/],
    ["continue", /^Continue shows the tools by their bare names/m],
    ["jetbrains", /paste it under Settings/],
    ["windsurf", /^Windsurf reads/m],
  ] as const;
  const read = (file: string, text: string): unknown =>
    JSON.parse(
      JSON.stringify((file.endsWith(".toml") ? parseToml : file.endsWith(".yaml") ? parseYaml : parse)(text)),
    );

  test.each(cases)(
    "%s: shows the change, makes it when told to, has then nothing to do, and takes it out again",
    async (client, file, settings) => {
      const person = new Person();
      const tools = [client, "--tools-only"];
      const shown = await person.setUp(tools);
      expect(shown.code).toBe(0);
      expect(shown.stderr).toContain("Nothing was changed. To make this change: --yes\n");
      expect(shown.stdout).toContain(`+++ ~/${file}`);
      expect(person.has(file)).toBe(false);
      const made = await person.setUp([...tools, "--yes"]);
      expect(made).toMatchObject({ code: 0 });
      expect(made.stderr).toMatch(headless.find(([name]) => name === client)?.[1] ?? /^/);
      // What nobody can keep is said before anybody agrees.
      for (const { stderr } of [shown, made]) expect(stderr).toContain(clients[client].cannot);
      expect(read(file, person.text(file))).toEqual(settings);
      const again = await person.setUp([...tools, "--yes"]);
      expect(again.stdout).toBe("Everything is set already; nothing was changed.\n");
      const removed = await person.setUp([client, "--remove", "--yes"]);
      expect(removed.code).toBe(0);
      // It held nothing but ours.
      expect(person.has(file)).toBe(false);
      const nothing = await person.setUp([client, "--remove", "--yes"]);
      expect(nothing.stdout).toBe("Nothing of ours is set; nothing was changed.\n");
    },
  );

  test("without a client it proposes the door for each that is here, and names them all where none is", async () => {
    const env = { PATH: "/nowhere" };
    const none = await new Person().setUp([], env);
    expect(none).toMatchObject({ code: 2, stdout: "" });
    for (const [client] of cases) expect(none.stderr).toContain(client);
    const person = new Person({ ".codex/auth.json": "{}", "bin/claude": "#!/bin/sh\necho 2.1.100\n" });
    chmodSync(join(person.folder, "bin/claude"), 0o755);
    const here = { PATH: `${person.folder}/bin:/bin` };
    const shown = await person.setUp([], here);
    expect(shown.stderr).toMatch(
      /^Claude Code is on this machine\. For Claude Code the guard is recommended/m,
    );
    expect(shown.stderr).toMatch(/^Codex is on this machine\. For Codex the tools are recommended/m);
    expect(shown.stderr).toContain("Claude Code 2.1.100 is older than 2.1.332");
    expect(person.has(".claude")).toBe(false);
    expect((await person.setUp(["--yes"], here)).code).toBe(0);
    expect(person.text(".claude/settings.json")).toContain(" guard");
    expect(person.has(".claude.json")).toBe(false);
    expect(person.text(".codex/config.toml")).toContain("[mcp_servers.holdfast]");
    expect((await person.setUp(["--remove", "--yes"], here)).code).toBe(0);
    expect(person.has(".claude/settings.json") || person.has(".codex/config.toml")).toBe(false);
    expect(await person.setUp(["--guard"], here)).toMatchObject({ code: 2 });
  });

  test("what a change of an older state gets is written where it is asked for, in place of what stood there", async () => {
    const person = new Person();
    const argsOf = () => JSON.parse(person.text(".cursor/mcp.json")).mcpServers.holdfast.args;
    await person.setUp(["cursor", "--yes", "--on-mismatch", "rebase"]);
    expect(argsOf()).toEqual([
      program,
      "mcp",
      "--on-mismatch",
      "rebase",
      ...inEditor("cursor").args.slice(2),
    ]);
    await person.setUp(["cursor", "--yes"]);
    expect(argsOf()).toContain("rebase");
    await person.setUp(["cursor", "--yes", "--on-mismatch", "refuse"]);
    expect(argsOf()).toEqual([
      program,
      "mcp",
      "--on-mismatch",
      "refuse",
      ...inEditor("cursor").args.slice(2),
    ]);
    const unknown = await person.setUp(["cursor", "--on-mismatch", "always"]);
    expect(unknown.code).toBe(2);
  });

  test("with --guard the hooks get the same answer, in place of what stood there, and go with the rest", async () => {
    const person = new Person();
    const commands = () => person.text(".claude/settings.json").match(/ guard[^"]*/g);
    await person.setUp(["claude", "--guard", "--yes"]);
    expect(commands()).toEqual([" guard", " guard", " guard"]);
    await person.setUp(["claude", "--guard", "--yes", "--on-mismatch", "rebase"]);
    expect(commands()).toEqual(Array(3).fill(" guard --on-mismatch rebase"));
    await person.setUp(["claude", "--guard", "--yes", "--on-mismatch", "refuse"]);
    expect(commands()).toEqual(Array(3).fill(" guard --on-mismatch refuse"));
    await person.setUp(["claude", "--remove", "--yes"]);
    expect(person.has(".claude/settings.json")).toBe(false);
  });

  test("CLAUDE_CONFIG_DIR is where Claude Code looks, for both of its files", async () => {
    const person = new Person();
    const env = { CLAUDE_CONFIG_DIR: join(person.folder, "else/where") };
    expect((await person.setUp(["claude", "--guard", "--yes"], env)).code).toBe(0);
    expect(JSON.parse(person.text("else/where/.claude.json")).mcpServers.holdfast.alwaysLoad).toBe(true);
    expect(person.text("else/where/settings.json")).toContain(" guard");
    expect(person.has(".claude.json") || person.has(".claude/settings.json")).toBe(false);
    await person.setUp(["claude", "--remove", "--yes"], env);
    expect(person.has("else/where/.claude.json") || person.has("else/where/settings.json")).toBe(false);
  });

  test("--project writes what holds on every machine, where npx finds it, and else nothing", async () => {
    const project = new Project();
    const refused = await project.run(["setup", "claude", "--project", "--yes"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("npm install --save-dev @holdfast/cli");
    expect(project.has(".mcp.json")).toBe(false);
    project.put("node_modules/@holdfast/cli/package.json", "{}");
    expect((await project.run(["setup", "claude", "--project", "--guard", "--yes"])).code).toBe(0);
    const written = project.text(".mcp.json") + project.text(".claude/settings.json");
    expect(JSON.parse(project.text(".mcp.json")).mcpServers.holdfast).toEqual({
      command: "npx",
      args: ["--no-install", "holdfast", "mcp", "--rules-of", "claude"],
      alwaysLoad: true,
    });
    expect(written).toContain("npx --no-install holdfast guard");
    expect(written).not.toContain(program);
    expect(await project.run(["setup", "codex", "--project"])).toMatchObject({ code: 2 });
  });

  test("--project writes for every client that reads settings of a project", async () => {
    const project = new Project({ "node_modules/@holdfast/cli/package.json": "{}" });
    const start = ["npx", "--no-install", "holdfast", "mcp"];
    // The person's own place has nothing to do with it.
    const env = { QWEN_HOME: "/nowhere", XDG_CONFIG_HOME: "/nowhere" };
    for (const client of ["qwen", "opencode"])
      expect(await project.run(["setup", client, "--project", "--yes"], { env })).toMatchObject({ code: 0 });
    expect(JSON.parse(project.text(".qwen/settings.json")).mcpServers.holdfast).toEqual({
      command: start[0],
      args: [...start.slice(1), "--rules-of", "qwen"],
      alwaysLoadTools: true,
    });
    expect(JSON.parse(project.text("opencode.json")).mcp.holdfast).toEqual({
      type: "local",
      command: [...start, "--rules-of", "opencode"],
    });
    expect(await project.run(["setup", "qwen", "--project", "--remove", "--yes"])).toMatchObject({ code: 0 });
    expect(project.has(".qwen/settings.json")).toBe(false);
  });

  test("opencode: the file of either name is changed where it alone is there, and a person's arguments stay", async () => {
    const own = { type: "local", command: ["node", "/old.js", "mcp", "--read-only"], enabled: false };
    const text = `{ // mine\n  "mcp": { "holdfast": ${JSON.stringify(own)} } }\n`;
    const person = new Person({ ".config/opencode/opencode.jsonc": text });
    expect((await person.setUp(["opencode", "--yes"])).code).toBe(0);
    expect(person.has(".config/opencode/opencode.json")).toBe(false);
    const after = person.text(".config/opencode/opencode.jsonc");
    expect(after).toContain("// mine");
    expect(parse(after).mcp.holdfast).toEqual({
      ...own,
      command: [process.execPath, program, "mcp", "--read-only", "--rules-of", "opencode"],
    });
    person.put(".config/opencode/opencode.json", "{}");
    await person.setUp(["opencode", "--yes"]);
    expect(JSON.parse(person.text(".config/opencode/opencode.json")).mcp.holdfast.type).toBe("local");
  });

  test("where a client looks elsewhere for its settings, they are written there", async () => {
    const person = new Person();
    const elsewhere = (name: string) => join(person.folder, name);
    await person.setUp(["qwen", "--yes"], { QWEN_HOME: elsewhere("q") });
    await person.setUp(["opencode", "--yes"], { XDG_CONFIG_HOME: elsewhere("x") });
    expect(person.text("q/settings.json")).toContain("alwaysLoadTools");
    expect(person.text("x/opencode/opencode.json")).toContain('"local"');
    expect(person.has(".qwen") || person.has(".config")).toBe(false);
  });

  test.each([
    ["claude", "PreToolUse", ["Edit", "Write", "Bash"]],
    ["claude", "PostToolUse", ["Edit", "Write", "mcp__holdfast__read_file", "Bash"]],
    ["claude", "PostToolUseFailure", ["Bash"]],
    ["gemini", "BeforeTool", ["write_file", "replace", "run_shell_command"]],
    ["gemini", "AfterTool", ["write_file", "replace", "mcp_holdfast_read_file", "run_shell_command"]],
  ] as const)(
    "%s, %s: hooks start for the host's file tools, after ours too, and for no other server's",
    async (client, event, wanted) => {
      const person = new Person();
      await person.setUp([client, "--guard", "--yes"]);
      const { matcher } = JSON.parse(person.text(`.${client}/settings.json`)).hooks[event][0];
      const ours = ["mcp__holdfast__read_file", "mcp_holdfast_read_file"];
      const names = [
        "Edit",
        "Write",
        "write_file",
        "replace",
        ...ours,
        "mcp__github__get_file",
        "Bash",
        "run_shell_command",
      ];
      const matching = names.filter((name) => new RegExp(`^(?:${matcher})$`).test(name));
      expect(matching).toEqual(wanted);
    },
  );

  test("--remove takes our hooks out of a list, and leaves what others put there", async () => {
    const audit = { type: "command", command: "/usr/local/bin/audit.sh" };
    const shared = { matcher: "Bash", hooks: [audit, { type: "command", command: "npx holdfast guard" }] };
    const before = { model: "opus", hooks: { PreToolUse: [shared], Stop: [] } };
    const person = new Person({ ".claude/settings.json": JSON.stringify(before) });
    await person.setUp(["claude", "--guard", "--yes"]);
    expect((await person.setUp(["claude", "--remove", "--yes"])).code).toBe(0);
    expect(JSON.parse(person.text(".claude/settings.json"))).toEqual({
      model: "opus",
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [audit] }], Stop: [] },
    });
  });

  const messy =
    '\ufeff{\r\n\t// ours\r\n\t"theme": "dark", /* stays */\r\n\t"mcpServers": {\r\n\t\t"db": { "command": "x" },\r\n\t},\r\n}\r\n';

  test("no other setting, comment, ending or mark is lost", async () => {
    const person = new Person({ ".gemini/settings.json": messy });
    expect((await person.setUp(["gemini", "--guard", "--yes"])).code).toBe(0);
    const after = person.text(".gemini/settings.json");
    for (const kept of ["\ufeff{", "// ours", "/* stays */", '"theme": "dark"', '"db"'])
      expect(after).toContain(kept);
    expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    const settings = parse(after.slice(1));
    expect(Object.keys(settings.mcpServers)).toEqual(["db", "holdfast"]);
    expect(Object.keys(settings.hooks)).toEqual(["BeforeTool", "AfterTool"]);
  });

  test("hooks of others stay, and ours is replaced in its place, not doubled", async () => {
    const person = new Person();
    const other = { matcher: "Bash", hooks: [{ type: "command", command: "true" }] };
    const old = { matcher: "Edit", hooks: [{ type: "command", command: "node /old/holdfast.js guard" }] };
    person.put(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [old, other] } }));
    await person.setUp(["claude", "--guard", "--yes"]);
    const { hooks } = JSON.parse(person.text(".claude/settings.json"));
    expect(hooks.PreToolUse).toHaveLength(2);
    expect(hooks.PreToolUse[1]).toEqual(other);
    expect(hooks.PreToolUse[0].hooks[0].command).toBe(`${process.execPath} ${program} guard`);
    expect(hooks.PostToolUse).toHaveLength(1);
  });

  test("what a person put beside ours stays: hooks in the same element, arguments, environment", async () => {
    const person = new Person();
    const audit = { type: "command", command: "/usr/local/bin/audit.sh" };
    const old = { type: "command", command: "npx holdfast guard" };
    const shared = { matcher: "Bash|Write", hooks: [audit, old] };
    person.put(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [shared] } }));
    const args = ["/old/holdfast.js", "mcp", "--root", "/data", "--read-only"];
    const entry = { command: "node", args, env: { HOLDFAST_STATE_DIR: "/srv" } };
    person.put(".claude.json", JSON.stringify({ mcpServers: { holdfast: entry } }));
    await person.setUp(["claude", "--guard", "--yes"]);
    const { hooks } = JSON.parse(person.text(".claude/settings.json"));
    // It may refuse a write: so it is to see ours.
    expect(hooks.PreToolUse[0]).toEqual({
      matcher: `Bash|Write|${writingTools.map((tool) => `mcp__holdfast__${tool}`).join("|")}`,
      hooks: [audit],
    });
    expect(hooks.PreToolUse[1].hooks[0].command).toBe(`${process.execPath} ${program} guard`);
    const { holdfast } = JSON.parse(person.text(".claude.json")).mcpServers;
    expect(holdfast).toMatchObject({
      env: entry.env,
      args: [program, "mcp", ...args.slice(2), "--rules-of", "claude"],
    });
    const before = person.text(".claude/settings.json");
    await person.setUp(["claude", "--guard", "--yes"]);
    expect(person.text(".claude/settings.json")).toBe(before);
  });

  test("a hook that only says a word of ours is not ours, and ours is not set twice beside odd ones", async () => {
    const person = new Person();
    const command = "node /old/holdfast.js guard";
    const odd = { matcher: command, hooks: [{ command }, { command: "mine", about: command }, { command }] };
    const alone = { hooks: [{ command }], more: [command, command] };
    person.put(".claude/settings.json", JSON.stringify({ hooks: { PreToolUse: [odd, alone] } }));
    await person.setUp(["claude", "--guard", "--yes"]);
    const once = person.text(".claude/settings.json");
    expect(JSON.parse(once).hooks.PreToolUse).toMatchObject([
      { matcher: command, hooks: [{ command: "mine", about: command }] },
      alone,
      { hooks: [{ command: `${process.execPath} ${program} guard` }] },
    ]);
    await person.setUp(["claude", "--guard", "--yes"]);
    expect(person.text(".claude/settings.json")).toBe(once);
  });

  test.each(["// mine\r\n", "/* mine */", "// mine\n\n\t/* and mine */\n"])(
    "a file of nothing but comments keeps them: %j",
    async (text) => {
      const person = new Person({ ".gemini/settings.json": text });
      expect((await person.setUp(["gemini", "--yes"])).code).toBe(0);
      const after = person.text(".gemini/settings.json");
      expect(after.startsWith(text)).toBe(true);
      expect(Object.keys(parse(after).mcpServers)).toEqual(["holdfast"]);
    },
  );

  const refused = [
    ["is a comment without an end", "/* not json"],
    ["is no JSON", "{ not json"],
    ["is a list", "[]"],
    ["has something else in the place", '{ "mcpServers": 7 }'],
    ["has something else in the place of the hooks", '{ "hooks": { "BeforeTool": {} } }'],
  ] as const;
  test.each(refused)("a file that %s is left alone", async (_, text) => {
    const person = new Person({ ".gemini/settings.json": text });
    const done = await person.setUp(["gemini", "--guard", "--yes"]);
    expect(done.code).toBe(4);
    expect(done.stderr).toContain("The file is left alone: ");
    // The parser has other names for what is wrong.
    expect(done.stderr).not.toMatch(/not JSON[^\n]*[a-z][A-Z]/);
    expect(person.text(".gemini/settings.json")).toBe(text);
  });

  test("--user is the default; it and --project exclude each other", async () => {
    const person = new Person();
    expect((await person.setUp(["claude", "--tools-only", "--user", "--yes"])).code).toBe(0);
    expect(person.has(".claude.json")).toBe(true);
    expect(await person.setUp(["claude", "--user", "--project"])).toMatchObject({ code: 2 });
  });

  test("--json tells the change", async () => {
    const person = new Person();
    const done = await person.setUp(["cursor", "--json"]);
    expect(JSON.parse(done.stdout)).toMatchObject({
      changes: [{ path: join(person.folder, ".cursor/mcp.json") }],
      written: false,
    });
  });

  test("knows its clients, and which have hooks", async () => {
    expect(await runHoldfast(["setup", "emacs"])).toMatchObject({ code: 2 });
    expect(await runHoldfast(["setup", "vscode", "--guard"])).toMatchObject({ code: 2 });
  });

  test("settings are put into any object, once", async () => {
    const wishes = wishesFor({
      client: "gemini",
      guard: true,
      program: { command: "node", args: ["/it's/holdfast.js"] },
    });
    const settings = settingsFor(wishes);
    for (const text of ["", "{}", '{"a":1}', '{\n    "hooks": {}\n}\n', messy.slice(1)]) {
      const once = await changeSettings(text, settings);
      if (once.kind === "refusal") throw new Error(once.message);
      expect(await changeSettings(once.text, settings)).toEqual(once);
      expect(parse(once.text)).toMatchObject({ ...parse(text), mcpServers: expect.anything() });
    }
  });

  test("a member that stands twice on the way to a setting is refused: a client reads one of them, nobody knows which", async () => {
    const wishes = wishesFor({ client: "claude", guard: true, program: { command: "node", args: ["x"] } });
    const [server] = settingsFor(wishes);
    const once = '{"mcpServers":{"holdfast":{}},"a":1,"a":2}';
    expect((await changeSettings(once, [server!])).kind).toBe("changed");
    for (const text of ['{"mcpServers":{},"mcpServers":{}}', '{"mcpServers":{"holdfast":{},"holdfast":{}}}'])
      expect(await changeSettings(text, [server!])).toMatchObject({
        kind: "refusal",
        code: "invalid_arguments",
      });
  });
});

describe("a configuration that is no plain file", () => {
  const other = new Project({ "real.json": "{}" });
  const cases: readonly (readonly [string, (path: string) => void, RegExp])[] = [
    [
      "is a link out of the home folder",
      (path) => symlinkSync(join(other.folder, "real.json"), path),
      /outside_workspace/,
    ],
    ["is a link that leads nowhere", (path) => symlinkSync("nowhere.json", path), /^holdfast: \w+: /m],
    ["is a folder", (path) => mkdirSync(path), /is_directory/],
  ];
  test.each(cases)("and %s is refused with a code, and nothing is lost", async (_, make, code) => {
    const person = new Person();
    make(join(person.folder, ".claude.json"));
    const done = await person.setUp(["claude", "--tools-only", "--yes"]);
    expect(done.code).not.toBe(0);
    expect(done.stderr).toMatch(code);
    expect(other.text("real.json")).toBe("{}");
    expect(person.has("nowhere.json")).toBe(false);
  });

  test("but a link to a file in the home folder is followed, and stays one", async () => {
    const person = new Person({ "dotfiles/claude.json": '{ "a": 1 }' });
    symlinkSync("dotfiles/claude.json", join(person.folder, ".claude.json"));
    expect((await person.setUp(["claude", "--tools-only", "--yes"])).code).toBe(0);
    expect(lstatSync(join(person.folder, ".claude.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(person.text("dotfiles/claude.json"))).toMatchObject({ a: 1, mcpServers: {} });
  });

  test("a link stays one where nothing is left in its file", async () => {
    const person = new Person({ "dotfiles/claude.json": "{}" });
    symlinkSync("dotfiles/claude.json", join(person.folder, ".claude.json"));
    await person.setUp(["claude", "--tools-only", "--yes"]);
    expect(await person.setUp(["claude", "--remove", "--yes"])).toMatchObject({ code: 0 });
    expect(lstatSync(join(person.folder, ".claude.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(person.text("dotfiles/claude.json"))).toEqual({});
  });

  test("and cannot be written is refused with a code", async () => {
    const person = new Person();
    // Nobody makes files there, not even root.
    const done = await person.setUp(["claude", "--tools-only", "--yes"], { HOME: "/sys" });
    expect(done.code).not.toBe(0);
    expect(done.stderr).toMatch(/^holdfast: \w+: Nothing was written/m);
  });
});
