import type { ActionSpec, CommandSpec, OptionSpec } from "./command-spec.js";
import { collect, countFromZero, moment, wholeNumber } from "./flags.js";

/** What every action of both commands takes. */
const store: OptionSpec = {
  flags: "--store <place>",
  help: "sessions of a PostgreSQL server, postgres://… (also HOLDFAST_STORE); else the state folder",
};
const tenant: OptionSpec = {
  flags: "--tenant <name>",
  help: "with --store: whose sessions (also HOLDFAST_TENANT)",
};
const output: OptionSpec = {
  flags: "-o, --output <file>",
  help: "write to this file, which must not be there yet (or with --yes)",
};

const sessionActions: readonly ActionSpec[] = [
  {
    usage: "list",
    summary: "what there is, the last changed first",
    options: ["limit", "after", "since", "before", "title"],
  },
  { usage: "show SESSION", summary: "where it stands, what is in it, what is wrong with it", options: [] },
  {
    usage: "search TEXT [SESSION]",
    summary: "the lines that a regular expression of RE2 finds",
    options: ["literal", "ignoreCase", "limit"],
  },
  {
    usage: "fork SESSION",
    summary: "a session of its own from all of another",
    options: ["head", "title"],
  },
  {
    usage: "files SESSION",
    summary: "what putting its files back would do; with --restore, does it",
    options: ["node", "restore", "undo", "consent", "leave"],
  },
  { usage: "rename SESSION TITLE", summary: "another title", options: [] },
  { usage: "rm SESSION", summary: "delete it for good", options: ["yes"] },
  {
    usage: "export SESSION",
    summary: "one text that another machine can import",
    options: ["output", "yes"],
  },
  {
    usage: "import [FILE]",
    summary: "an export, or a session of another program; without FILE: what there is on this machine",
    options: ["repair", "newId", "all", "from", "project", "limit"],
  },
  {
    usage: "prune",
    summary: "delete old ones for good, in batches",
    options: ["olderThan", "keep", "dryRun", "yes"],
  },
  { usage: "verify [SESSION]", summary: "read every record, render every branch", options: [] },
  { usage: "repair SESSION", summary: "mend a damaged one: shows what it would do", options: ["apply"] },
];

const historyActions: readonly ActionSpec[] = [
  {
    usage: "view SESSION",
    summary: "the tree as an outline, or a part of it",
    options: ["times", "kind", "text", "branch", "depth", "foldTasks", "all"],
  },
  {
    usage: "export SESSION",
    summary: "all of it, as YAML, as JSON or as a page",
    options: ["yaml", "html", "output", "yes"],
  },
];

/** The stored conversations. */
export const sessionsSpec: CommandSpec = {
  usage: "sessions <action> [session] [more]",
  actions: sessionActions,
  summary:
    "the stored conversations: list, show, search, fork, files, rename, rm, export, import, prune, verify, repair",
  description:
    "Works on stored conversations. A session is named by its id or by the beginning of it. " +
    "`search TEXT [SESSION]` looks for a regular expression of RE2; `import FILE` also reads the sessions " +
    "of Claude Code, Codex, Copilot CLI, Cline, gemini-cli, opencode, pi, Qwen Code and Roo Code, and without FILE lists those on this machine; " +
    "`verify [SESSION]` reads every record and renders every branch; " +
    "`repair SESSION` shows how a damaged one is mended, and with --apply mends it and keeps what was there.",
  options: [
    store,
    tenant,
    { flags: "-F, --literal", help: "search: the text is plain text" },
    { flags: "-i, --ignore-case", help: "search: upper and lower case are the same" },
    { flags: "--limit <number>", help: "list, search, import: so many at most", parse: wholeNumber },
    { flags: "--after <place>", help: "list: behind this one, as the page before says" },
    { flags: "--since <when>", help: "list: changed since, 7d or 2026-01-31", parse: moment },
    { flags: "--before <when>", help: "list: changed before", parse: moment },
    {
      flags: "--older-than <age>",
      help: "prune: not changed for so long, 30d, or since a day",
      parse: moment,
    },
    { flags: "--keep <number>", help: "prune: so many stay, the last changed", parse: wholeNumber },
    { flags: "--dry-run", help: "prune: only show what would go" },
    { flags: "--head <node>", help: "fork: where the new session stands" },
    { flags: "--title <text>", help: "fork: its title; list: only titles that hold this" },
    { flags: "--node <node>", help: "files: as they were there; where the session stands unless given" },
    { flags: "--restore", help: "files: put them back, all or none" },
    { flags: "--undo <node>", help: "files: take this restore back instead" },
    {
      flags: "--consent <file>",
      help: "files: also this one, which others changed; repeatable",
      parse: collect,
    },
    { flags: "--leave", help: "files: other conflicts stay as they are" },
    output,
    { flags: "--repair", help: "import: needed no longer" },
    { flags: "--apply", help: "repair: do it, not only show it" },
    { flags: "--new-id", help: "import: give the session an id of its own, also beside one that is there" },
    { flags: "--all", help: "import: all sessions of other programs on this machine" },
    {
      flags: "--from <agent>",
      help: "import: only those of claude, codex, copilot, cline, gemini, opencode, pi, qwen or roo",
    },
    { flags: "--project <folder>", help: "import: only those that worked in this folder or below it" },
    { flags: "--yes", help: "rm, prune, --output: without asking" },
  ],
  examples: [
    "holdfast sessions list",
    "holdfast sessions search 'parse[A-Z]\\w+'",
    "holdfast sessions prune --older-than 30d --keep 100 --dry-run",
    "holdfast sessions fork 01kab --title 'Another way'",
    "holdfast sessions files 01kab --node 01kac --restore",
    "holdfast sessions export 01kab -o session.jsonl",
    "holdfast sessions import",
    "holdfast sessions import --all --from codex --project .",
    "holdfast sessions import ~/.claude/projects/my-project/4f1c.jsonl",
  ],
  load: async () => (await import("./commands/sessions.js")).sessionsCommand,
};

/** The tree of one of them. */
export const historySpec: CommandSpec = {
  usage: "history <action> <session>",
  actions: historyActions,
  summary: "the tree of a stored conversation: view it, export it as YAML, JSON or a page",
  description:
    "`view` draws the tree as an outline, or what of it the flags ask for. `export` writes all of it, with payloads and metadata: as YAML, as JSON, " +
    "or with --html as one page that shows the tree, each turn, what the model saw and how the files changed.",
  options: [
    store,
    tenant,
    { flags: "--times", help: "view: with the time of each turn" },
    {
      flags: "--kind <kinds>",
      help: "view: only turns of these kinds, such as user_message,tool_call",
      parse: collect,
    },
    { flags: "--text <words>", help: "view: only turns that hold these words" },
    { flags: "--branch <node>", help: "view: only what leads to this node and what is below it" },
    {
      flags: "--depth <levels>",
      help: "view: so many levels of branches; 0 for what goes straight down",
      parse: countFromZero,
    },
    { flags: "--fold-tasks", help: "view: tasks that the head does not stand in are one line each" },
    { flags: "--all", help: "view: chatter of other agents' sessions line by line, too" },
    { flags: "--yaml", help: "export: as YAML, the default (--json: as JSON)" },
    { flags: "--html", help: "export: as one self-contained page" },
    output,
    { flags: "--yes", help: "replace the file that --output names" },
  ],
  examples: [
    "holdfast history view 01kab",
    "holdfast history view 01kab --kind user_message,task_boundary --fold-tasks",
    "holdfast history export 01kab --html -o session.html",
    "holdfast history export 01kab --json",
  ],
  load: async () => (await import("./commands/history.js")).historyCommand,
};

/** One of them as a page that follows it. */
export const viewSpec: CommandSpec = {
  usage: "view [session]",
  summary: "the page of a stored conversation in a browser, following it while it goes on",
  description:
    "Serves the page on this machine alone until Ctrl-C, and prints its address, which holds a token. Without SESSION, " +
    "the last conversation of this folder. With --share the page is written to a file instead.",
  options: [
    store,
    tenant,
    {
      flags: "--port <number>",
      help: "the port to serve at (default: any that is free)",
      parse: wholeNumber,
    },
    { flags: "--open", help: "open the address in the browser, too" },
    {
      flags: "--share <file>",
      help: "write one self-contained page to this file, which must not be there yet (or with --yes)",
    },
    { flags: "--yes", help: "replace the file that --share names" },
  ],
  examples: [
    "holdfast view",
    "holdfast view 01kab --open",
    "holdfast view 01kab --port 8080 --json",
    "holdfast view 01kab --share session.html",
  ],
  load: async () => (await import("./commands/view.js")).viewCommand,
};
