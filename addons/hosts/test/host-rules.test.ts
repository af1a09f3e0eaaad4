import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { Project } from "../../../packages/cli/test/process.js";
import { afterThisTest } from "../../../test/cleanups.js";
import type { ClientName } from "../src/clients.js";
import { openHostRules } from "../src/rules/host-rules.js";

/** A home folder, with a project of one repository in it; `HOME` means it until the test ends. */
function project(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Project {
  const home = new Project({ "work/.git/HEAD": "", ...files });
  const variables = {
    HOME: home.folder,
    CLAUDE_CONFIG_DIR: "",
    QWEN_HOME: "",
    CODEX_HOME: "",
    XDG_CONFIG_HOME: "",
    COPILOT_HOME: "",
    ...env,
  };
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    process.env[name] = value;
    afterThisTest(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  return home;
}

interface Case {
  readonly client: ClientName;
  /** How the client was started. */
  readonly run?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** Paths in the home folder. */
  readonly unreadable?: readonly string[];
  readonly unwritable?: readonly string[];
  readonly free?: readonly string[];
  readonly left?: readonly string[];
}

const claude = (file: string, permissions: object) => ({ [file]: JSON.stringify({ permissions }) });

/** What setup writes for opencode. */
const allowing = { permission: { "holdfast_*": "allow" } };
const copied = { permission: { "holdfast_*": "deny" }, agent: { build: allowing, general: allowing } };

const cases: Readonly<Record<string, Case>> = {
  "Claude Code: every form of a path, from each of its files": {
    client: "claude",
    files: {
      ...claude(".claude/settings.json", {
        deny: ["Read(~/keys/**)", "Edit(/gen/**)", "WebFetch", "Bash(cat:*)"],
      }),
      ...claude("work/.claude/settings.json", {
        deny: ["Read(./private/**)", "Read(.env)", "Write(locked/)"],
      }),
      ...claude("work/.claude/settings.local.json", { ask: ["Edit(docs/*.md)"] }),
    },
    unreadable: ["keys/id", "work/private/a/b.txt", "work/.env", "work/sub/.env"],
    unwritable: ["work/gen/x.ts", "work/locked/x", "work/docs/a.md", "work/sub/.env"],
    free: ["work/a.txt", "work/privat", "work/docs/sub/a.md", "work/.env.example", "other/.env"],
  },
  "Claude Code: rules that are no paths are named": {
    client: "claude",
    files: claude(".claude/settings.json", { deny: ["NotebookEdit", "Read(!a)"], ask: ["Write"] }),
    free: ["work/a"],
    left: ["Read(!a)", "ask: Write"],
  },
  "Claude Code: all of its tools that write are denied, in several files": {
    client: "claude",
    files: {
      ...claude(".claude/settings.json", { deny: ["Edit"] }),
      ...claude("work/.claude/settings.json", { deny: ["Write"] }),
    },
    unwritable: ["work/a"],
  },
  "Claude Code: it asks about its own writes, and by a rule about ours": {
    client: "claude",
    files: claude(".claude/settings.json", { ask: ["Edit", "Write", "mcp__holdfast"] }),
    free: ["work/a"],
  },
  "Claude Code: it asks about its own writes, and about ours by no rule": {
    client: "claude",
    files: claude(".claude/settings.json", { ask: ["Edit", "Write", "mcp__holdfast__edit_file"] }),
    unwritable: ["work/a"],
  },
  "Claude Code: flags of the run, and what it asks about in every mode": {
    client: "claude",
    run: ["claude", "--disallowedTools", "Read(./private/**),WebFetch", "Edit(locked/**)", "--model", "x"],
    files: {},
    unreadable: ["work/private/a"],
    unwritable: ["work/locked/a", "work/.vscode/a.txt"],
    free: ["work/x"],
  },
  "Claude Code: a settings file that cannot be read denies everything": {
    client: "claude",
    files: { "work/.claude/settings.json": '{"permissions": {"deny": [' },
    unreadable: ["work/a.txt"],
  },
  "Qwen Code: comments, and tools that are left out": {
    client: "qwen",
    files: {
      "work/.qwen/settings.json":
        '{ // mine\n "tools": { "exclude": ["edit"], }, "context": {"fileFiltering": {"customIgnoreFiles": ["mine"]}}, /* x */ }',
      "work/.qwenignore": "# none\n*.key\n!public.key\n",
      "work/.agentignore": "*.agent\n",
      "work/mine": "*.mine\n",
    },
    unreadable: ["work/a.key", "work/sub/b.key", "work/a.agent", "work/a.mine"],
    unwritable: ["work/anything"],
    free: [],
  },
  "Qwen Code: the only tools that it has": {
    client: "qwen",
    files: { ".qwen/settings.json": '{"tools": {"core": ["read_file", "run_shell_command(ls)"]}}' },
    unwritable: ["work/a"],
  },
  "Gemini CLI: one tool of two, and a list of tools that was made for ours": {
    client: "gemini",
    files: { ".gemini/settings.json": '{"tools": {"exclude": ["replace"], "core": ["mcp_holdfast_*"]}}' },
    free: ["work/a"],
    left: ["replace in ~/.gemini/settings.json"],
  },
  "Gemini CLI: what Git leaves out, in every folder, and what it takes for outside": {
    client: "gemini",
    files: {
      "work/.gitignore": "out/\n*.log\n",
      "work/sub/.gitignore": "!kept.log\n",
      "work/mine": "*.own\n",
      "work/.gemini/settings.json": '{"context": {"fileFiltering": {"customIgnoreFilePaths": ["mine"]}}}',
    },
    unreadable: [
      "work/out/a",
      "work/a.log",
      "work/sub/a.log",
      "work/a.own",
      "work/node_modules/a",
      "work/sub/.env",
    ],
    free: ["work/sub/kept.log", "work/a.env", "work/.env.local"],
  },
  "Gemini CLI: a person wants what Git leaves out": {
    client: "gemini",
    files: {
      "work/.gitignore": "out/\n",
      ".gemini/settings.json": '{"context": {"fileFiltering": {"respectGitIgnore": false}}}',
    },
    free: ["work/out/a"],
  },
  "Gemini CLI: policies elsewhere, and the one with the highest priority": {
    client: "gemini",
    files: {
      ".gemini/settings.json": '{"policyPaths": ["POLICIES"]}',
      "else/a.toml": '[[rule]]\ntoolName = ["write_file", "replace"]\ndecision = "deny"\npriority = 5\n',
      ".gemini/policies/b.toml":
        '[[rule]]\ntoolName = "read_file"\ndecision = "deny"\npriority = 5\n[[rule]]\ntoolName = "*"\ndecision = "allow"\npriority = 6\n',
    },
    unwritable: ["work/a"],
  },
  "Gemini CLI: its ignore file, and policies": {
    client: "gemini",
    files: {
      "work/.geminiignore": "*.key\n!public.key\n/top\n",
      ".gemini/policies/mine.toml":
        '[[rule]]\ntoolName = "replace"\nargsPattern = "locked/"\ndecision = "deny"\npriority = 1\n[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\npriority = 1\n',
    },
    unreadable: ["work/a.key", "work/top/x"],
    unwritable: ["work/locked/a"],
    free: ["work/public.key", "work/sub/top"],
  },
  "opencode: the last pattern that fits decides": {
    client: "opencode",
    files: {
      "work/opencode.jsonc":
        '{"permission": {"edit": {"*": "deny", "docs/*.md": "allow"}, "read": {"*.pem": "ask"}}, "agent": {"plan": {"permission": {}}}}',
    },
    unreadable: ["work/sub/a.pem", "work/sub/.env"],
    unwritable: ["work/a.ts", "work/a.md"],
    free: ["work/docs/sub/a.md"],
  },
  "opencode: its agent plan, where nothing refuses that agent our tools": {
    client: "opencode",
    files: {},
    unreadable: ["work/.env"],
    unwritable: ["work/a"],
  },
  "opencode: an agent that is refused our tools has no say": {
    client: "opencode",
    files: {
      ".config/opencode/opencode.json": JSON.stringify(copied),
      "work/.opencode/agent/reviewer.md": "---\npermission:\n  edit: deny\n  read: deny\n---\nReviews.\n",
      "work/.opencode/agents/free.md": "---\ndescription: Free.\n---\n",
    },
    unreadable: ["work/.env"],
    free: ["work/a"],
  },
  "opencode: an agent that may allow our tools in spite of that": {
    client: "opencode",
    files: {
      ".config/opencode/opencode.json": JSON.stringify(copied),
      "work/.opencode/agent/reviewer.md": '---\npermission:\n  "*": allow\n  edit: deny\n---\nReviews.\n',
    },
    unreadable: ["work/a"],
  },
  "opencode: a project asks about edits, and not about ours": {
    client: "opencode",
    files: {
      ".config/opencode/opencode.json": JSON.stringify(copied),
      "work/opencode.json": JSON.stringify({ permission: { edit: "ask" } }),
    },
    unwritable: ["work/a"],
  },
  "Codex: what any permission profile keeps away": {
    client: "codex",
    files: {
      ".codex/config.toml":
        '[permissions.p.filesystem]\n":project_roots" = { "." = "write", "sec.txt" = "none", "**/*.key" = "none", "docs" = "read" }\n',
    },
    unreadable: ["work/sec.txt", "work/sub/a.key"],
    unwritable: ["work/docs/a"],
    free: ["work/a"],
  },
  "Copilot CLI: what a flag denies, and plan mode": {
    client: "copilot",
    run: [
      "copilot",
      "--deny-tool=write(.env)",
      "--deny-tool",
      "write(a/b.txt)",
      "shell",
      "--allow-all-tools",
    ],
    files: {},
    unwritable: ["work/sub/.env", "work/x/a/b.txt"],
    free: ["work/b.txt"],
  },
  "Copilot CLI: plan mode": {
    client: "copilot",
    run: ["copilot", "--mode", "plan"],
    files: {},
    unwritable: ["work/a"],
  },
  "Copilot CLI: plan mode that a person has left": {
    client: "copilot",
    run: ["copilot", "--plan"],
    env: { COPILOT_AGENT_SESSION_ID: "s" },
    files: {
      ".copilot/session-state/s/events.jsonl": ["plan", "interactive"]
        .map((newMode) => `${JSON.stringify({ type: "session.mode_changed", data: { newMode } })}\n`)
        .join(""),
    },
    free: ["work/a"],
  },
  "Continue: --readonly": {
    client: "continue",
    run: ["cn", "--readonly"],
    files: {},
    unwritable: ["work/a"],
  },
  "Continue: what it takes for a secret": {
    client: "continue",
    files: {},
    unreadable: ["work/.env.local", "work/sub/keys/a", "work/config.json"],
    free: ["work/a", "work/tsconfig.json"],
  },
  "Continue: the list of what is excluded": {
    client: "continue",
    files: { ".continue/permissions.yaml": "allow: []\nexclude:\n  - Read(*.pem)\n  - 'Edit(gen/**)'\n" },
    unreadable: ["work/a.pem"],
    unwritable: ["work/gen/a"],
    free: ["work/a"],
  },
};

test.each(Object.entries(cases))("%s", async (_, { client, run = [], env = {}, files, ...wanted }) => {
  const home = project(files, env);
  for (const [name, text] of Object.entries(files))
    home.put(name, text.replace("POLICIES", `${home.folder}/else`));
  const { rules, left } = (await openHostRules(client, [join(home.folder, "work")], run))();
  const denies = (path: string, doing: "reading" | "writing") =>
    rules.some((rule) => rule.denies === doing && rule.matches(join(home.folder, path)));
  for (const path of wanted.unreadable ?? []) expect([path, denies(path, "reading")]).toEqual([path, true]);
  for (const path of (wanted.unwritable ?? []).filter((one) => !(wanted.unreadable ?? []).includes(one)))
    expect([path, denies(path, "writing") || denies(path, "reading")]).toEqual([path, true]);
  for (const path of wanted.free ?? [])
    expect([path, denies(path, "writing"), denies(path, "reading")]).toEqual([path, false, false]);
  expect(left).toHaveLength(wanted.left?.length ?? 0);
  for (const [at, name] of (wanted.left ?? []).entries()) expect(left[at]).toContain(name);
});

test("a rule that names a link means what the link leads to; one that changes counts from then on", async () => {
  const home = project({
    "work/store/a.txt": "",
    ...claude("work/.claude/settings.json", { deny: ["Read(./private/**)"] }),
  });
  symlinkSync("store", join(home.folder, "work/private"));
  const rules = await openHostRules("claude", [join(home.folder, "work")]);
  const denied = () => rules().rules.some((rule) => rule.matches(join(home.folder, "work/store/a.txt")));
  expect(denied()).toBe(true);
  home.put("work/.claude/settings.json", "{}");
  await pause(250);
  expect(denied()).toBe(false);
});

/** What the server answers to these requests, by their number. */
async function served(
  home: Project,
  client: ClientName,
  requests: readonly object[],
): Promise<readonly string[]> {
  const initialize = {
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  };
  const lines = [initialize, ...requests].map((request, id) =>
    JSON.stringify({ jsonrpc: "2.0", id, ...request }),
  );
  const done = await home.run(["mcp", "--rules-of", client], {
    cwd: join(home.folder, "work"),
    input: `${lines.join("\n")}\n`,
    env: { HOME: home.folder },
  });
  return [done.stderr, ...done.stdout.split("\n").slice(1)];
}

test("the server obeys the rules of the client that setup names, and says what does not count", async () => {
  const home = project({
    "work/private/plan.txt": "plan\n",
    ...claude("work/.claude/settings.json", { deny: ["Read(./private/**)", "Read(!a)"] }),
  });
  const call = { name: "read_file", arguments: { file_path: "private/plan.txt" } };
  const [told, answer] = await served(home, "claude", [{ method: "tools/call", params: call }]);
  expect(told).toBe(
    "holdfast: this rule does not count for these tools: Read(!a) in .claude/settings.json (its pattern is not clear)\n",
  );
  expect(answer).toContain("FAILED (ignored_path): A rule of the person");
  home.put(".qwen/settings.json", '{"permissions": {"deny": ["Edit"]}}');
  const [, tools = ""] = await served(home, "qwen", [{ method: "tools/list", params: {} }]);
  expect(JSON.parse(tools).result.tools).toHaveLength(4);
});

interface Hostile {
  readonly client: ClientName;
  readonly file: string;
  /** A text, or what makes the file. */
  readonly holds: string | ((path: string) => void);
  /** What the refusal says of it; undefined where nothing is denied for it. */
  readonly why: string | undefined;
}

const linkTo = (target: string) => (path: string) => symlinkSync(target, path);
const fifo = (path: string) => void execFileSync("mkfifo", [path]);
const isLinux = process.platform === "linux";
const special = "it is no regular file";
const manyRules = JSON.stringify({
  permissions: { deny: Array.from({ length: 50_000 }, (_, n) => `Read(./x${n})`) },
});
const settings = ".claude/settings.json";
const unknown = "cannot be read";

const hostile: Readonly<Record<string, Hostile>> = {
  "a FIFO": { client: "claude", file: settings, holds: fifo, why: special },
  "a link to a FIFO": { client: "cursor", file: ".cursorignore", holds: linkTo("fifo"), why: special },
  "a link to a device": { client: "gemini", file: ".geminiignore", holds: linkTo("/dev/zero"), why: special },
  ...(isLinux && {
    "a link to standard input": {
      client: "claude",
      file: settings,
      holds: linkTo("/dev/stdin"),
      why: special,
    },
    "a file of the system's": {
      client: "codex",
      file: ".codex/config.toml",
      holds: linkTo("/proc/kmsg"),
      why: special,
    },
  }),
  "a link that leads nowhere": { client: "claude", file: settings, holds: linkTo("nothing"), why: undefined },
  "50,000 rules": {
    client: "claude",
    file: settings,
    holds: manyRules.slice(0, 200_000).replace(/,[^,]*$/, "]}}"),
    why: "it has more than 2000 rules",
  },
  "50,000 lines": {
    client: "windsurf",
    file: ".codeiumignore",
    holds: "a\n".repeat(50_000),
    why: "it has more than 2000 rules",
  },
  "a large file": { client: "claude", file: settings, holds: manyRules.repeat(2), why: "262144 are allowed" },
  "comments that do not end": {
    client: "claude",
    file: settings,
    holds: `{}${"/* ".repeat(80_000)}`,
    why: undefined,
  },
  "quotes that do not end": {
    client: "claude",
    file: settings,
    holds: `{"${'\\"'.repeat(120_000)}\\`,
    why: unknown,
  },
  "blanks behind a comma": {
    client: "qwen",
    file: ".qwen/settings.json",
    holds: `{"a":[1,${" ".repeat(200_000)}x]}`,
    why: unknown,
  },
  "blanks behind a rule": {
    client: "claude",
    file: settings,
    holds: JSON.stringify({ permissions: { deny: [`Read${" ".repeat(200_000)}x`] } }),
    why: undefined,
  },
  "slashes in a rule": {
    client: "claude",
    file: settings,
    holds: JSON.stringify({ permissions: { deny: [`Read(./${"/".repeat(200_000)}x)`] } }),
    why: undefined,
  },
  "a long path": {
    client: "cursor",
    file: ".cursorignore",
    holds: `${"y/".repeat(100_000)}x\n`,
    why: undefined,
  },
  "stars and stars": {
    client: "opencode",
    file: "opencode.json",
    holds: JSON.stringify({ permission: { read: { [`${"*a".repeat(40)}*b`]: "deny" } } }),
    why: undefined,
  },
  "blanks in a list": {
    client: "continue",
    file: "../.continue/permissions.yaml",
    holds: `exclude:\n  - ${"a ".repeat(100_000)}x\n`,
    why: undefined,
  },
};

test.each(Object.entries(hostile))(
  "nothing waits for %s, and what is unknown denies everything",
  async (_, kind) => {
    const { client, file, holds, why } = kind;
    const home = project({});
    const root = join(home.folder, "work");
    const path = join(root, file);
    mkdirSync(dirname(path), { recursive: true });
    fifo(join(dirname(path), "fifo"));
    if (typeof holds === "string") writeFileSync(path, holds);
    else holds(path);
    const { rules } = (await openHostRules(client, [root]))();
    const matching = rules.filter(
      ({ denies, matches }) => denies === "reading" && matches(join(root, "a".repeat(60), "file.txt")),
    );
    expect(matching.map(({ shown }) => shown).join()).toContain(why ?? "");
    expect(matching).toHaveLength(why === undefined ? 0 : 1);
  },
);
