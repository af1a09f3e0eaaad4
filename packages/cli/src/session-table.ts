import type { CommandSpec } from "./command-spec.js";

const store = {
  "--store <place>":
    "sessions of a PostgreSQL server, postgres://… (also HOLDFAST_STORE); else the state folder",
  "--tenant <name>": "with --store: whose sessions (also HOLDFAST_TENANT)",
} as const;
const unasked = { "--yes": "without asking" } as const;
const output = {
  "-o, --output <file>": "write to this file, which must not be there yet (or with --yes)",
  "--yes": "replace the file that --output names",
} as const;
const limit = { "--limit <number>": "so many at most" } as const;

/** The stored conversations. */
export const sessionsSpec = {
  usage: "sessions <action> [session] [more]",
  actions: [
    {
      usage: "list",
      summary: "what there is, the last changed first",
      options: {
        ...limit,
        "--after <place>": "behind this one, as the page before says",
        "--since <when>": "changed since, 7d or 2026-01-31",
        "--before <when>": "changed before",
        "--title <text>": "only titles that hold this",
      },
    },
    { usage: "show SESSION", summary: "where it stands, what is in it, what is wrong with it" },
    {
      usage: "search TEXT [SESSION]",
      summary: "the lines that a regular expression of RE2 finds",
      options: {
        "-F, --literal": "the text is plain text",
        "-i, --ignore-case": "upper and lower case are the same",
        ...limit,
      },
    },
    {
      usage: "fork SESSION",
      summary: "a session of its own from all of another",
      options: { "--head <node>": "where the new session stands", "--title <text>": "its title" },
    },
    {
      usage: "files SESSION",
      summary: "what putting its files back would do; with --restore, does it",
      options: {
        "--node <node>": "as they were there; where the session stands unless given",
        "--restore": "put them back, all or none",
        "--undo <node>": "take this restore back instead",
        "--consent <file>": "also this one, which others changed; repeatable",
        "--leave": "other conflicts stay as they are",
      },
    },
    { usage: "rename SESSION TITLE", summary: "another title" },
    { usage: "rm SESSION", summary: "delete it for good", options: unasked },
    { usage: "export SESSION", summary: "one text that another machine can import", options: output },
    {
      usage: "import [FILE]",
      summary: "an export, or a session of another program; without FILE: what there is on this machine",
      options: {
        "--repair": "needed no longer",
        "--new-id": "give the session an id of its own, also beside one that is there",
        "--all": "all sessions of other programs on this machine",
        "--from <agent>": "only those of claude, codex, copilot, cline, gemini, opencode, pi, qwen or roo",
        "--project <folder>": "only those that worked in this folder or below it",
        ...limit,
      },
    },
    {
      usage: "prune",
      summary: "delete old ones for good, in batches",
      options: {
        "--older-than <age>": "not changed for so long, 30d, or since a day",
        "--keep <number>": "so many stay, the last changed",
        "--dry-run": "only show what would go",
        ...unasked,
      },
    },
    { usage: "verify [SESSION]", summary: "read every record, render every branch" },
    {
      usage: "repair SESSION",
      summary: "mend a damaged one: shows what it would do",
      options: { "--apply": "do it, not only show it" },
    },
  ],
  summary:
    "the stored conversations: list, show, search, fork, files, rename, rm, export, import, prune, verify, repair",
  description:
    "Works on stored conversations. A session is named by its id or by the beginning of it. " +
    "`search TEXT [SESSION]` looks for a regular expression of RE2; `import FILE` also reads the sessions " +
    "of Claude Code, Codex, Copilot CLI, Cline, gemini-cli, opencode, pi, Qwen Code and Roo Code, and without FILE lists those on this machine; " +
    "`verify [SESSION]` reads every record and renders every branch; " +
    "`repair SESSION` shows how a damaged one is mended, and with --apply mends it and keeps what was there.",
  options: store,
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
} as const satisfies CommandSpec;

/** The tree of one of them. */
export const historySpec = {
  usage: "history <action> <session>",
  actions: [
    {
      usage: "view SESSION",
      summary: "the tree as an outline, or a part of it",
      options: {
        "--times": "with the time of each turn",
        "--kind <kinds>": "only turns of these kinds, such as user_message,tool_call",
        "--text <words>": "only turns that hold these words",
        "--branch <node>": "only what leads to this node and what is below it",
        "--depth <branches>": "so many levels of branches; 0 for what goes straight down",
        "--fold-tasks": "tasks that the head does not stand in are one line each",
        "--all": "chatter of other agents' sessions line by line, too",
      },
    },
    {
      usage: "export SESSION",
      summary: "all of it, as YAML, as JSON or as a page",
      options: {
        "--yaml": "as YAML, the default (--json: as JSON)",
        "--html": "as one self-contained page",
        ...output,
      },
    },
  ],
  summary: "the tree of a stored conversation: view it, export it as YAML, JSON or a page",
  description:
    "`view` draws the tree as an outline, or what of it the flags ask for. `export` writes all of it, with payloads and metadata: as YAML, as JSON, " +
    "or with --html as one page that shows the tree, each turn, what the model saw and how the files changed.",
  options: store,
  examples: [
    "holdfast history view 01kab",
    "holdfast history view 01kab --kind user_message,task_boundary --fold-tasks",
    "holdfast history export 01kab --html -o session.html",
    "holdfast history export 01kab --json",
  ],
} as const satisfies CommandSpec;

/** One of them as a page that follows it. */
export const viewSpec = {
  usage: "view [session]",
  summary: "the page of a stored conversation in a browser, following it while it goes on",
  description:
    "Serves the page on this machine alone until Ctrl-C, and prints its address, which holds a token. Without SESSION, " +
    "the last conversation of this folder. With --share the page is written to a file instead.",
  options: {
    ...store,
    "--port <number>": "the port to serve at (default: any that is free)",
    "--open": "open the address in the browser, too",
    "--share <file>":
      "write one self-contained page to this file, which must not be there yet (or with --yes)",
    "--yes": "replace the file that --share names",
  },
  examples: [
    "holdfast view",
    "holdfast view 01kab --open",
    "holdfast view 01kab --port 8080 --json",
    "holdfast view 01kab --share session.html",
  ],
} as const satisfies CommandSpec;
