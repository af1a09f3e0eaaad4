import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isThere } from "../addon-there.js";
import { call, done, linesOf, resultsIn, scripted, write } from "./provided.js";

const yolo = ["--approval-mode", "yolo", "-o", "stream-json"];
const told = (ran: Parameters<typeof linesOf>[0]) =>
  linesOf(ran).flatMap(({ type, message }) => (type === "error" ? [String(message)] : []));

/** What is denied is told before the rest is done. */
const statusesIn = (ran: Parameters<typeof linesOf>[0]) =>
  resultsIn(ran)
    .map(({ status }) => String(status))
    .sort()
    .join(" ");

const claude = {
  permissions: { deny: ["Read(secret.txt)", "Bash(rm:*)"], allow: ["Bash(ls:*)"] },
  hooks: {
    PostToolUse: [
      {
        matcher: "Edit|Write",
        hooks: [{ type: "command", command: 'echo "$@" >> "$CLAUDE_PROJECT_DIR"/runs' }],
      },
    ],
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          {
            type: "command",
            command:
              'grep -q never && echo \'{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"Never that."}}\' || true',
          },
        ],
      },
    ],
  },
  model: "opus",
};

describe.runIf(isThere("hosts"))("Claude Code's settings of a project", () => {
  const files = { ".claude/settings.json": JSON.stringify(claude), "secret.txt": "s\n" };
  const script = [
    {
      calls: [
        write("a.txt", "a\n"),
        call("read_file", { file_path: "secret.txt" }),
        call("run_shell_command", { command: "rm a.txt" }),
        call("run_shell_command", { command: "echo never" }),
        call("run_shell_command", { command: "ls" }),
      ],
    },
    done,
  ];

  it("count where the folder is trusted, and what of them does not is named", async () => {
    const at = scripted(script, { files });
    expect((await at.bare.run(["config", "trust", "--yes"])).code).toBe(0);
    const ran = await at.run(["-p", "Go.", ...yolo]);
    expect(statusesIn(ran)).toEqual("error error error success success");
    expect(ran.stdout).toContain("Never that.");
    expect(at.project.text("a.txt")).toBe("a\n");
    expect(at.project.text("runs")).toContain("a.txt");
    expect(told(ran).join("\n")).toContain("are not used: model in .claude/settings.json.");
  });

  it("only deny where nobody trusts the folder, and its change asks for trust anew", async () => {
    const at = scripted(script, { files });
    const ran = await at.run(["-p", "Go.", ...yolo]);
    expect(statusesIn(ran)).toEqual("error error success success success");
    expect(() => at.project.text("runs")).toThrow();
    expect(told(ran).join("\n")).toContain("hooks.afterTool (.claude/settings.json)");
    const trusted = async () => JSON.parse((await at.bare.run(["config", "path", "--json"])).stdout);
    expect((await at.bare.run(["config", "trust", "--yes"])).code).toBe(0);
    expect((await trusted()).files[1].trusted).toBe(true);
    at.project.put(".mcp.json", '{"mcpServers":{"x":{"command":"x"}}}');
    expect((await trusted()).files[1].trusted).toBe(false);
  });
});

it.each([
  [
    "Claude Code's",
    { ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(hidden)", "Read(*.key)"] } }) },
  ],
  [
    "the project's",
    {
      ".holdfast/settings.jsonc": JSON.stringify({
        approval: { rules: ["hidden/**", "**/*.key"].map((path) => ({ tool: "*", path, decision: "deny" })) },
      }),
    },
  ],
] as const)(
  "what %s rules deny to every tool no tool finds, in a folder that nobody trusts",
  async (_, rules) => {
    const files = {
      ...rules,
      "hidden/deep/a.txt": "MARK one\n",
      "sub/b.key": "MARK two\n",
      "sub/open.txt": "MARK three\n",
    };
    const at = scripted(
      [
        {
          calls: [
            call("search_files", { pattern: "MARK" }),
            call("list_files", { path: "sub" }),
            call("find_files", { pattern: "**/*" }),
            call("read_many_files", { include: ["sub/*.txt", "sub/b.key"] }),
          ],
        },
        done,
      ],
      { files },
    );
    const { stdout } = await at.run(["-p", "Look.", ...yolo]);
    expect(stdout).toContain("MARK three");
    expect(stdout).not.toMatch(/MARK (?:one|two)/);
  },
);

describe("instructions for other agents", () => {
  it("are read where git tracks them, once each; nested ones with the first call below them", async () => {
    const same = "Same words.\n";
    const at = scripted(
      [
        { calls: [call("read_file", { file_path: "sub/deep/x.txt" })] },
        { ...done, expects: ["Deep words."] },
        { calls: [call("read_file", { file_path: "sub/deep/y.txt" })] },
        done,
      ],
      {
        files: {
          "AGENTS.md": same,
          ".github/copilot-instructions.md": "Copilot words.",
          ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nCursor words.",
          ".cursor/rules/copy.mdc": same,
          ".cursor/rules/part.mdc": "---\nglobs: '*.ts'\n---\nPart words.",
          "CLAUDE.local.md": "Local words.",
          "sub/deep/AGENTS.md": "Deep words.",
          "sub/deep/x.txt": "x\n",
          "sub/deep/y.txt": "y\n",
        },
      },
    );
    execFileSync("git", ["init", "-q"], { cwd: at.project.folder });
    expect((await at.bare.run(["config", "trust", "--yes"])).code).toBe(0);
    const ran = await at.run(["-p", "Look.", "-o", "stream-json"]);
    expect(ran.code).toBe(0);
    const [init] = linesOf(ran);
    expect(init?.instructions).toEqual([
      "AGENTS.md",
      "CLAUDE.local.md",
      ".github/copilot-instructions.md",
      ".cursor/rules/always.mdc",
    ]);
    expect(told(ran).join("\n")).toContain("for some files only: .cursor/rules/part.mdc");
    await at.run(["-c", "-p", "More."]);
    const { stdout } = await at.bare.run(["-c", "-p", "/export --json"]);
    expect(stdout.split("Deep words.")).toHaveLength(2);
  });

  it("are named where nobody trusts the folder and git does not track them", async () => {
    const at = scripted([done], { files: { ".cursorrules": "x", "CLAUDE.local.md": "y" } });
    execFileSync("git", ["init", "-q"], { cwd: at.project.folder });
    const ran = await at.run(["-p", "Look.", "-o", "stream-json"]);
    for (const name of [".cursorrules", "CLAUDE.local.md"])
      expect(told(ran).join("\n")).toContain(`${name} is not read: it is no Markdown that git tracks`);
  });
});

it("settings.json counts where there is no settings.jsonc, and is named beside one", async () => {
  const at = scripted([done], {
    files: { ".holdfast/settings.json": '{"tools":{"excluded":["move_file"]}}' },
  });
  const list = async () => JSON.parse((await at.bare.run(["config", "list", "--json"])).stdout);
  expect(JSON.stringify((await list()).settings)).toContain("move_file");
  at.project.put(".holdfast/settings.jsonc", "{}");
  const { settings, warnings } = await list();
  expect(JSON.stringify(settings)).not.toContain("move_file");
  expect(JSON.stringify(warnings)).toContain("settings.jsonc stands beside it");
});
