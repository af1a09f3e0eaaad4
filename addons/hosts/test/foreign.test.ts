import { describe, expect, it } from "vitest";
import { checkFile } from "../../../packages/agent/src/config/resolve.js";
import type { Addons } from "../../../packages/cli/src/addons.js";
import * as addon from "../src/foreign.js";

/** Compiles only while the door is what the command asks of it. */
const asked: Addons["hosts/foreign"] = addon;
const place = { folder: "/project", home: "/home/me", environment: { TOKEN: "t1" } };

function read(files: Readonly<Record<string, unknown>>) {
  const texts = Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return asked.foreignSettings(new Map(texts), place);
}

function rules(permissions: object) {
  const { settings, unused } = read({ ".claude/settings.json": { permissions } });
  return { rules: Object(settings.approval).rules, unused };
}

const one = (rule: string, list: "allow" | "deny" | "ask" = "deny") => rules({ [list]: [rule] });

describe("permissions of Claude Code", () => {
  it.each([
    ["Bash(npm run test:*)", "allow", { tool: "run_shell_command", command: "npm run test *" }],
    ["Bash(npm run test *)", "allow", { tool: "run_shell_command", command: "npm run test *" }],
    ["Bash(npm test)", "allow", { tool: "run_shell_command", command: "npm test" }],
    ["Bash(git push:*)", "deny", { tool: "run_shell_command", command: "git push" }],
    ["Bash", "ask", { tool: "run_shell_command" }],
    ["Read(docs/*.md)", "allow", { path: "docs/*.md" }],
    ["Read(//etc/**)", "deny", { tool: "*", path: "/etc/**" }],
    ["Read(~/notes/*)", "deny", { tool: "*", path: "/home/me/notes/*" }],
    ["Edit(/dist/*)", "deny", { path: "/project/dist/*" }],
    ["Write(*)", "ask", {}],
    ["mcp__docs__find", "allow", { tool: "docs__find" }],
    ["mcp__docs", "deny", { tool: "docs__*" }],
  ] as const)("%s to %s", (rule, list, expected) => {
    const { rules: made, unused } = one(rule, list);
    expect(unused).toEqual([]);
    expect(made).toMatchObject([{ ...expected, decision: list }]);
  });

  it("deny a name wherever it lies, and what lies below a folder", () => {
    expect(one("Read(.env)").rules).toEqual([
      { tool: "*", path: "**/.env", decision: "deny" },
      { tool: "*", path: "**/.env/**", decision: "deny" },
    ]);
  });

  it.each(["Bash(git * main)", "Bash(a && b)", "Bash($X)", "Skill(x)", "Read(!a)", "Read([a)", "Read(../a)"])(
    "name %s, which says nothing here",
    (rule) => expect(one(rule)).toEqual({ rules: undefined, unused: [`deny ${rule}`] }),
  );

  it("deny first, in whatever file, since the first rule that fits decides", () => {
    const { settings } = read({
      ".claude/settings.json": { permissions: { allow: ["Bash(git:*)"] } },
      ".claude/settings.local.json": {
        permissions: { deny: ["Bash(git push:*)"], ask: ["Bash(npm publish)"] },
      },
    });
    expect(Object(settings.approval).rules.map(({ decision }: { decision: string }) => decision)).toEqual([
      "deny",
      "ask",
      "allow",
    ]);
  });

  it("choose no mode that asks nothing, and name what has no place here", () => {
    const { settings, unused } = read({
      ".claude/settings.json": { permissions: { defaultMode: "bypassPermissions" }, model: "opus", env: {} },
    });
    expect(settings).toEqual({});
    expect(unused).toEqual(["model in .claude/settings.json", "env in .claude/settings.json"]);
    const plan = read({ ".claude/settings.json": { permissions: { defaultMode: "acceptEdits" } } });
    expect(plan.settings).toEqual({ approval: { mode: "auto-edit" } });
  });
});

describe("servers of a .mcp.json", () => {
  const variable = (name: string) => `$\{${name}}`;

  it("are ours, with variables of the environment; one that lacks a variable is named", () => {
    const { settings, unused } = read({
      ".mcp.json": {
        mcpServers: {
          docs: {
            type: "http",
            url: `http://127.0.0.1/${variable("PATH_OF:-mcp")}`,
            headers: { A: `Bearer ${variable("TOKEN")}` },
          },
          db: { command: "db", args: ["--url", variable("DATABASE")] },
          off: { command: "off" },
          "1x": { command: "x" },
          empty: {},
        },
      },
      ".claude/settings.json": { disabledMcpjsonServers: ["off"] },
    });
    expect(settings.mcpServers).toEqual({
      docs: { url: "http://127.0.0.1/mcp", headers: { A: "Bearer t1" } },
    });
    expect(unused).toHaveLength(3);
    expect(unused.join()).toContain('"db" (DATABASE not set)');
  });
});

describe("hooks of Claude Code", () => {
  it("run at the same moments, for the tools that do here what theirs do there", () => {
    const { settings, unused } = read({
      ".claude/settings.json": {
        hooks: {
          PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check", timeout: 5 }] }],
          PostToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "fmt" }] }],
          Stop: [{ hooks: [{ type: "command", command: "bell" }] }],
          SessionStart: [{ hooks: [{ type: "command", command: "x" }] }],
          Notification: [{ matcher: "", hooks: [{ type: "prompt", prompt: "x" }] }],
        },
      },
    });
    const lead = "export CLAUDE_PROJECT_DIR='/project'; ";
    expect(settings.hooks).toEqual({
      beforeTool: [{ tool: "run_shell_command", command: `${lead}check`, timeoutMs: 5_000 }],
      afterTool: [
        { event: "PostToolUse", tool: expect.stringMatching(/edit_file.*write_file/), command: `${lead}fmt` },
      ],
      turnEnd: [{ command: `${lead}bell` }],
    });
    expect(unused).toEqual(["a hook of SessionStart", "a hook of Notification"]);
  });
});

it("makes settings that hold to the schema, or none, of whatever stands there", async () => {
  const odd = [null, 1, "x", [], [null], {}, { hooks: { PreToolUse: [null, 1, { hooks: [null] }] } }];
  const files = [...odd, ...odd.map((value) => ({ permissions: value, hooks: value, mcpServers: value }))];
  for (const value of files) {
    const { settings } = read({ ".claude/settings.json": value, ".mcp.json": value });
    const checked = await checkFile({ path: "x", isOwn: true, folder: "/" }, JSON.stringify(settings));
    expect(checked.problems).toEqual([]);
  }
  const { unused } = asked.foreignSettings(new Map([[".mcp.json", "{ no json"]]), place);
  expect(unused).toEqual([".mcp.json (it is no JSON object)"]);
});
