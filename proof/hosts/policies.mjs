import { relaunched, writeInto } from "../clients/any-client.mjs";
import { claudeCode } from "../clients/claude-code.mjs";
import { codexInCode } from "../clients/codex.mjs";
import { continueCli } from "../clients/continue.mjs";
import { geminiCli } from "../clients/gemini-cli.mjs";
import { opencode } from "../clients/opencode.mjs";
import { qwenCode } from "../clients/qwen-code.mjs";
import { sha256 } from "../clients/stories.mjs";
import { ours } from "./tasks.mjs";

/**
 * A person's own rules in a host, and whether our tools keep them as its own do: judged by the disk and by what the model
 * was sent.
 *
 * @typedef {import("../clients/day.mjs").Desk} Desk
 * @typedef {import("../clients/day.mjs").Stretch} Stretch
 * @typedef {import("../clients/any-client.mjs").Ground} Ground
 * @typedef {{ readonly client: import("../clients/any-client.mjs").Client, readonly what: string,
 *   readonly flags?: readonly string[], rules?(ground: Ground): void, work(desk: Desk): Stretch }} Policy `flags`: what a
 *   person says yes to in the setup
 */

const readme = "# Demo\n\nA demo project.\n\nRun it.\n";
/** What the project holds before. */
export const policyFiles = {
  "README.md": readme,
  "private/plan.txt": "secret plan\n",
  "locked/there.txt": "there\n",
};
const formatter = { type: "command", command: "echo ran >> .formatter; cat > /dev/null" };
const claudeSettings = {
  permissions: { deny: ["Read(./private/**)", "Edit(./locked/**)"] },
  hooks: { PostToolUse: [{ matcher: "Edit|MultiEdit|Write", hooks: [formatter] }] },
};
const opencodeSettings = {
  permission: {
    read: { "*": "allow", "private/*": "deny" },
    edit: { "*": "allow", "locked/*": "deny" },
  },
};
const asking = { permissions: { ask: ["mcp__holdfast__write_file"] } };
const unnamed = relaunched(claudeCode, (args) => args.filter((arg) => !arg.startsWith("mcp__")));
const sandbox = "workspace-write";

/** @type {readonly Policy[]} */
export const policies = [
  {
    client: claudeCode,
    what: "deny rules `Read(./private/**)` and `Edit(./locked/**)`, a formatter's hook on `Edit|MultiEdit|Write`",
    rules: ({ project }) => writeInto(project, ".claude/settings.json", JSON.stringify(claudeSettings)),
    flags: ["--formatters"],
    work: claudeRules,
  },
  {
    client: unnamed,
    what: "`--permission-mode acceptEdits`, nothing allowed by name",
    rules: ({ project }) => writeInto(project, ".claude/settings.json", JSON.stringify(asking)),
    flags: ["--allow-reads", "--accept-edits"],
    work: (desk) => claudeMode(desk, true),
  },
  {
    client: relaunched(unnamed, (args) => args.map((arg) => (arg === "acceptEdits" ? "default" : arg))),
    what: "`--permission-mode default`, nothing allowed by name",
    rules: ({ project }) => writeInto(project, ".claude/settings.json", JSON.stringify(asking)),
    flags: ["--allow-reads", "--accept-edits"],
    work: (desk) => claudeMode(desk, false),
  },
  {
    client: relaunched(codexInCode, (args) => args.map((arg) => (arg === sandbox ? "read-only" : arg))),
    what: "`--sandbox read-only`",
    work: readOnly,
  },
  {
    client: relaunched(codexInCode, (args) => args.filter((arg) => arg !== "--sandbox" && arg !== sandbox)),
    what: '`sandbox_mode = "read-only"` in its settings',
    rules: ({ home }) => writeInto(home, ".codex/config.toml", 'sandbox_mode = "read-only"\n'),
    work: readOnly,
  },
  {
    client: geminiCli,
    what: "`.geminiignore` with `private/`",
    rules: ({ project }) => writeInto(project, ".geminiignore", "private/\n"),
    work: (desk) => fileRules(desk, ["private"]),
  },
  {
    client: qwenCode,
    what: "`.qwenignore` with `private/`, `permissions.deny` with `Edit(./locked/**)`",
    rules: ({ project }) => {
      writeInto(project, ".qwenignore", "private/\n");
      const settings = { permissions: { deny: ["Edit(./locked/**)"] } };
      writeInto(project, ".qwen/settings.json", JSON.stringify(settings));
    },
    work: (desk) => fileRules(desk, ["private", "locked"]),
  },
  {
    client: opencode,
    what: "`permission.read` and `permission.edit` that deny folders",
    rules: ({ project }) => writeInto(project, "opencode.json", JSON.stringify(opencodeSettings)),
    work: (desk) => fileRules(desk, ["private", "locked"]),
  },
  {
    client: continueCli,
    what: "`permissions.yaml` that excludes `Read(private/**)` and `Edit(locked/**)`",
    rules: ({ home }) =>
      writeInto(
        home,
        ".continue/permissions.yaml",
        "exclude:\n  - Read(private/**)\n  - Edit(locked/**)\n  - Write(locked/**)\n",
      ),
    work: (desk) => fileRules(desk, ["private", "locked"]),
  },
];

/** @param {Desk} desk @param {string} what @param {boolean} isKept @param {string} found */
function kept(desk, what, isKept, found) {
  desk.see(`${what}: ${isKept ? "yes" : "no"}`);
  if (!isKept) desk.breach("rules not kept", `${what}: ${found}`);
}

const change = ["Run it.", "Run it now."];

/** @param {Desk} desk @returns {Stretch} */
function* claudeRules(desk) {
  const { read, find, write, edit, move, learn } = ours(desk);
  // What a model knows from elsewhere: then nothing but the rules is in its way.
  for (const [name, text] of Object.entries(policyFiles)) learn(name, `sha256="${sha256(text)}"`);
  const [theirs = ""] = yield [{ own: desk.own.read("private/plan.txt") }];
  if (theirs.includes("secret plan")) desk.breach("broken run", theirs);
  const answers = yield [read("private/plan.txt"), find("secret")];
  const isHidden = !answers.join().includes("secret plan");
  kept(desk, "a denied file is neither read nor found", isHidden, answers.join());
  const written = yield [
    write("locked/made.txt", "x\n"),
    edit("locked/there.txt", ["there", "gone"]),
    move("private/plan.txt", "plan.txt"),
  ];
  const isLocked = desk.disk("locked/made.txt") === undefined && desk.disk("locked/there.txt") === "there\n";
  kept(desk, "nothing is written below a denied folder", isLocked, written.join());
  kept(desk, "a denied file is not moved into sight", desk.disk("plan.txt") === undefined, written.join());
  yield [{ own: desk.own.read("README.md") }, read("README.md")];
  yield [{ own: desk.own.edit("README.md", "A demo", "One demo") }];
  const before = desk.disk(".formatter");
  if (before === undefined) desk.breach("broken run", "the hook");
  const [edited = ""] = yield [edit("README.md", change)];
  kept(desk, "our edit passes after its own", desk.disk("README.md")?.includes("now") === true, edited);
  kept(desk, "the formatter runs after it", desk.disk(".formatter") !== before, edited);
}

/** What passes with nobody to ask, as the host's own tools do. @param {Desk} desk @param {boolean} mayEdit @returns {Stretch} */
function* claudeMode(desk, mayEdit) {
  const { read, edit, write, remove, learn } = ours(desk);
  yield [{ own: desk.own.read("README.md") }];
  const [page = ""] = yield [read("README.md")];
  kept(desk, "our reads pass", page.includes("A demo project."), page);
  yield [{ own: desk.own.edit("README.md", "A demo", "One demo") }];
  if (desk.disk("README.md")?.includes("One") !== mayEdit) desk.breach("broken run", "its own edit");
  const [edited = ""] = yield [edit("README.md", change)];
  const what = mayEdit ? "our edits pass" : "our edits wait for a person";
  kept(desk, what, desk.disk("README.md")?.includes("now") === mayEdit, edited);
  learn("locked/there.txt", `sha256="${sha256("there\n")}"`);
  const [asked = "", removed = ""] = yield [write("made.txt", "x\n"), remove("locked/there.txt")];
  kept(desk, "a rule of the person's that asks counts", desk.disk("made.txt") === undefined, asked);
  kept(desk, "our removals wait for a person", desk.disk("locked/there.txt") !== undefined, removed);
}

/**
 * Rules about files, in hosts whose own tools keep them. @param {Desk} desk
 * @param {readonly ("private" | "locked")[]} folders those that may not be read, or not written
 * @returns {Stretch}
 */
function* fileRules(desk, folders) {
  const { read, find, write, edit, move, learn } = ours(desk);
  for (const [name, text] of Object.entries(policyFiles)) learn(name, `sha256="${sha256(text)}"`);
  const [theirs = ""] = yield [{ own: desk.own.read("private/plan.txt") }];
  desk.see(`its own read of a denied file: ${theirs.includes("secret plan") ? "passes" : "denied"}`);
  const answers = yield [read("private/plan.txt"), find("secret")];
  const isHidden = !answers.join().includes("secret plan");
  kept(desk, "a denied file is neither read nor found", isHidden, answers.join());
  const moved = yield [move("private/plan.txt", "plan.txt")];
  kept(desk, "a denied file is not moved into sight", desk.disk("plan.txt") === undefined, moved.join());
  if (folders.includes("locked")) {
    const written = yield [write("locked/made.txt", "x\n"), edit("locked/there.txt", ["there", "gone"])];
    const isLocked =
      desk.disk("locked/made.txt") === undefined && desk.disk("locked/there.txt") === "there\n";
    kept(desk, "nothing is written below a denied folder", isLocked, written.join());
  }
  const [edited = ""] = yield [edit("README.md", change)];
  kept(desk, "our edit elsewhere passes", desk.disk("README.md")?.includes("now") === true, edited);
}

/** @param {Desk} desk @returns {Stretch} */
function* readOnly(desk) {
  const { read, write, edit } = ours(desk);
  yield [{ own: desk.own.shell("echo x > shell.txt") }];
  if (desk.disk("shell.txt") !== undefined) desk.breach("broken run", "its own shell wrote");
  const [page = ""] = yield [read("README.md")];
  kept(desk, "our reads pass", page.includes("A demo project."), page);
  const written = yield [write("made.txt", "x\n"), edit("README.md", change)];
  const isKept = desk.disk("made.txt") === undefined && desk.disk("README.md") === readme;
  kept(desk, "nothing is written", isKept, written.join());
}
