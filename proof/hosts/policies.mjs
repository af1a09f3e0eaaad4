import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeInto } from "../clients/any-client.mjs";
import { claudeCode } from "../clients/claude-code.mjs";
import { codexInCode } from "../clients/codex.mjs";
import { continueCli } from "../clients/continue.mjs";
import { copilotCli } from "../clients/copilot-cli.mjs";
import { opencode } from "../clients/opencode.mjs";
import { gemini, qwen } from "./gemini-policies.mjs";
import { all, atHome, folders, inProject, plus, readable, swapped, without } from "./policy-steps.mjs";

/** @typedef {import("../clients/any-client.mjs").Ground} Ground @typedef {import("./refusals.mjs").Policy} Policy */

const claudeFile = ".claude/settings.json";
const tools = ["--tools-only"];
const blocking = {
  matcher: "Edit|MultiEdit|Write",
  hooks: [{ type: "command", command: "grep -q locked/ && { echo no >&2; exit 2; }; exit 0" }],
};
const agent = (/** @type {string} */ permission) =>
  `---\ndescription: x\nmode: primary\npermission:\n${permission}---\nWrites.\n`;

/** Codex asks before each tool of a server that writes, unless a person says otherwise. @param {Ground} ground */
function approved({ home }) {
  const file = join(home, ".codex/config.toml");
  const approving = '[mcp_servers.holdfast]\ndefault_tools_approval_mode = "approve"\n';
  writeInto(
    home,
    ".codex/config.toml",
    readFileSync(file, "utf8").replace("[mcp_servers.holdfast]\n", approving),
  );
}

/** @type {readonly Policy[]} */
const claude = [
  {
    what: "deny rules of paths",
    ...folders,
    rules: inProject(claudeFile, { permissions: { deny: ["Read(./private/**)", "Edit(./locked/**)"] } }),
  },
  {
    what: "ask rules of paths",
    denied: { write: ["locked/"] },
    free: { write: ["src/"] },
    rules: inProject(claudeFile, { permissions: { ask: ["Edit(./locked/**)"] } }),
  },
  { what: "plan mode", denied: all, free: readable, args: swapped("acceptEdits", "plan") },
  {
    what: "`--permission-mode default`, reads and accepted edits allowed by setup",
    flags: ["--allow-reads", "--accept-edits"],
    denied: all,
    free: readable,
    args: (/** @type {readonly string[]} */ args) =>
      without("mcp__")(swapped("acceptEdits", "default")(args)),
  },
  {
    what: "`--permission-mode acceptEdits`, the same",
    flags: ["--allow-reads", "--accept-edits"],
    denied: {},
    free: { ...readable, write: ["src/"] },
    args: without("mcp__"),
  },
  {
    what: "`ask` for Edit and Write, where edits are accepted",
    flags: ["--allow-reads", "--accept-edits"],
    denied: all,
    free: readable,
    rules: inProject(claudeFile, { permissions: { ask: ["Edit", "Write"] } }),
    args: without("mcp__"),
  },
  {
    what: "`ask` for Edit and Write, bypassPermissions",
    denied: all,
    free: readable,
    env: { IS_SANDBOX: "1" },
    rules: inProject(claudeFile, { permissions: { ask: ["Edit", "Write"] } }),
    args: swapped("acceptEdits", "bypassPermissions"),
  },
  {
    what: "`ask` that came after the setup",
    denied: all,
    free: readable,
    env: { IS_SANDBOX: "1" },
    after: inProject(claudeFile, { permissions: { ask: ["Edit", "Write"] } }),
    args: swapped("acceptEdits", "bypassPermissions"),
  },
  {
    what: "`deny` for Edit alone: Write is left",
    denied: {},
    free: { write: ["src/"] },
    rules: inProject(claudeFile, { permissions: { deny: ["Edit"] } }),
  },
  {
    what: "`--disallowedTools Edit Write`",
    denied: all,
    free: readable,
    args: plus("--disallowedTools", "Edit", "Write", "NotebookEdit"),
  },
  {
    what: "`--disallowedTools` with paths",
    ...folders,
    args: plus("--disallowedTools", "Edit(./locked/**)", "Read(./private/**)"),
  },
  {
    what: "`--settings` with deny rules",
    ...folders,
    args: plus(
      "--settings",
      JSON.stringify({ permissions: { deny: ["Edit(./locked/**)", "Read(./private/**)"] } }),
    ),
  },
  { what: "`--tools Read`", denied: all, free: readable, args: plus("--tools", "Read") },
  {
    what: "what it asks about in every mode",
    denied: { write: [".git/", ".claude/", ".vscode/", ".husky/", ".yarn/"] },
  },
  {
    what: "a hook of the person's that blocks",
    denied: { write: ["locked/"] },
    free: { write: ["src/"] },
    rules: inProject(claudeFile, { hooks: { PreToolUse: [blocking] } }),
  },
].map((one) => ({ flags: tools, ...one, client: claudeCode }));

const unattended = without("--auto");

/** @type {readonly Policy[]} */
const opencodes = [
  { what: "`--agent plan`", denied: all, free: readable, args: plus("--agent", "plan") },
  {
    what: '`permission: {"edit": "ask"}`',
    ends: true,
    denied: all,
    rules: atHome(".config/opencode/opencode.json", { permission: { edit: "ask" } }),
    args: unattended,
  },
  {
    what: "the same in the project, which setup did not see",
    ends: true,
    denied: all,
    after: inProject("opencode.json", { permission: { edit: "ask" } }),
    args: unattended,
  },
  {
    what: '`permission: "ask"`',
    ends: true,
    denied: { ...readable, ...all },
    rules: inProject("opencode.json", { permission: "ask" }),
    args: unattended,
  },
  {
    what: "its question about `.env`",
    ends: true,
    denied: { read: [".env", "sub/x.env"] },
    args: unattended,
  },
  {
    what: "patterns for paths",
    ...folders,
    rules: inProject("opencode.json", {
      permission: { read: { "*": "allow", "private/*": "deny" }, edit: { "*": "allow", "locked/*": "deny" } },
    }),
  },
  {
    what: "`OPENCODE_PERMISSION`",
    denied: all,
    free: readable,
    env: { OPENCODE_PERMISSION: JSON.stringify({ edit: "deny" }) },
  },
  {
    what: "`tools` that are off",
    denied: all,
    free: readable,
    rules: inProject("opencode.json", { tools: { write: false, edit: false } }),
  },
  {
    what: "an agent of a file, a pattern",
    denied: { write: ["md/"] },
    rules: inProject(".opencode/agent/writer.md", agent('  edit:\n    "md/*": deny\n')),
    args: plus("--agent", "writer"),
  },
  {
    what: "an agent of a file that may edit nothing",
    denied: all,
    rules: inProject(".opencode/agent/writer.md", agent("  edit: deny\n")),
    args: plus("--agent", "writer"),
  },
  {
    what: "the same beside it: build is left",
    denied: {},
    free: { write: ["src/"] },
    rules: inProject(".opencode/agent/writer.md", agent("  edit: deny\n")),
  },
  {
    what: "an agent of the settings",
    denied: all,
    rules: inProject("opencode.json", {
      agent: { writer: { mode: "primary", permission: { edit: "deny" } } },
    }),
    args: plus("--agent", "writer"),
  },
].map((one) => ({ ...one, client: opencode }));

/** @type {readonly Policy[]} */
const copilot = [
  { what: "`--mode plan`", denied: all, free: readable, args: plus("--mode", "plan") },
  { what: "`--deny-tool=write`", denied: all, free: readable, args: plus("--deny-tool=write") },
  {
    what: "`--deny-tool` with paths",
    denied: { write: ["locked/"] },
    free: { write: ["src/"] },
    args: plus(
      ...Object.keys({
        "there.txt": 0,
        "own.txt": 0,
        "ours.txt": 0,
        "append.txt": 0,
        "patch.txt": 0,
        "page.md": 0,
        "move.txt": 0,
        "moved.txt": 0,
        "gone.txt": 0,
      }).map((name) => `--deny-tool=write(locked/${name})`),
    ),
  },
  {
    what: "`--excluded-tools`",
    denied: all,
    free: readable,
    args: plus("--excluded-tools", "edit", "create", "bash"),
  },
  { what: "`--available-tools view`", denied: all, args: plus("--available-tools", "view") },
  { what: "without `--allow-all-tools`", denied: all, free: readable, args: without("--allow-all-tools") },
].map((one) => ({ ...one, client: copilotCli }));

/** @type {readonly Policy[]} */
const continues = [
  {
    what: "`--readonly`",
    ends: true,
    denied: all,
    free: readable,
    args: swapped("--auto", "--readonly"),
  },
  {
    what: "`--exclude`",
    ends: true,
    denied: all,
    free: readable,
    args: (/** @type {readonly string[]} */ args) => [
      ...unattended(args),
      ...["Write", "Edit", "MultiEdit"].flatMap((tool) => ["--exclude", tool]),
    ],
  },
  {
    what: "`permissions.yaml` that excludes",
    ends: true,
    denied: all,
    free: readable,
    rules: atHome(".continue/permissions.yaml", "exclude:\n  - Write\n  - Edit\n  - MultiEdit\n"),
    args: unattended,
  },
  {
    what: "what it takes for a secret",
    denied: { read: [".env", "config.json", "keys/a.txt"] },
    free: readable,
  },
].map((one) => ({ ...one, client: continueCli }));

const unboxed = without("--sandbox", "workspace-write");
const named = '[permissions.mine.filesystem]\n":project_roots" = { "." = "write", "sec.txt" = "none" }\n';

/** @type {readonly Policy[]} */
const codexes = [
  {
    what: "`--sandbox read-only`",
    denied: all,
    free: readable,
    args: swapped("workspace-write", "read-only"),
  },
  {
    what: '`sandbox_mode = "read-only"`',
    denied: all,
    free: readable,
    rules: atHome(".codex/config.toml", 'sandbox_mode = "read-only"\n'),
    args: unboxed,
  },
  {
    what: "a profile that reads only",
    denied: all,
    free: readable,
    rules: atHome(".codex/ro.config.toml", 'sandbox_mode = "read-only"\n'),
    args: (/** @type {readonly string[]} */ args) => [...unboxed(args), "--profile", "ro"],
  },
  {
    // Its commands read: without a sandbox that starts, they read nothing.
    what: "named permissions that read only",
    denied: all,
    rules: atHome(
      ".codex/config.toml",
      `default_permissions = "mine"\n${named.replace('"write"', '"read"')}`,
    ),
    args: unboxed,
  },
  {
    what: "named permissions: a file without access",
    denied: { read: ["sec.txt"] },
    rules: atHome(".codex/config.toml", `default_permissions = "mine"\n${named}`),
    args: unboxed,
  },
  {
    what: "what it protects",
    denied: { write: [".git/", ".codex/", ".agents/skills/x/"] },
    free: { write: ["src/"] },
  },
].map((one) => ({ ...one, client: codexInCode, after: approved }));

export const policies = [...claude, ...gemini, ...codexes, ...opencodes, ...qwen, ...copilot, ...continues];
