import type { CommandSpec } from "./command-spec.js";
import { hostNames } from "./flags.js";
import { mcpSpec } from "./mcp-table.js";
import { historySpec, sessionsSpec, viewSpec } from "./session-table.js";

const encoding = { "--encoding <name>": "insist on this encoding instead of detecting it" };
const base = {
  "--base <sha256>": "the state that the change was made against: 64 hex digits or at least 12",
};
const atomic = { "--atomic": "change whatever state is there now, read and written under one lock" };
const resultContent = { "--result-content <amount>": "how much of the file the JSON shows (default: full)" };
const written = { ...encoding, ...resultContent };
const goesOn = { "--after <place>": "go on where an answer ended that says so" };
const exclude = { "--exclude <glob>": "leave out paths of this form; may be repeated" };

/** `holdfast agent`, and `holdfast -p`: the agent, without a screen of its own. */
const agentSpec = {
  usage: "agent [prompt]",
  summary: "work with a model on the files here: one prompt, or line by line in a terminal",
  description:
    'In a terminal it talks, beginning with the prompt where one is given; `holdfast` and `holdfast "do this"` are the same. ' +
    "With -p, or without a terminal, it runs until the model has nothing more to do, and its exit code says how that went.",
  options: {
    "-p, --prompt <text>": "what to do; what comes by standard input stands before it",
    "-i, --prompt-interactive <text>": "begin with it in a terminal; elsewhere as -p",
    "-o, --output-format <format>": "how the run is written (default: text)",
    "--include-partial": "with -o stream-json: also what of an answer comes, before it is whole",
    "--include-partial-messages": "the same",
    "-m, --model <name>": "provider/name, or a name such as claude-…, gpt-…, gemini-…",
    "--effort <effort>": "how much the model is to think (default: medium)",
    "--approval-mode <mode>":
      "what is done without asking (default: ask; with -p it asks where input and errors are a terminal and the output is text, else it is denied)",
    "--sandbox <when>": "whether commands run in a sandbox (default: auto, where one starts)",
    "--reading": "in a terminal: lines only, none of which is drawn anew, for those who hear it",
    "-c, --continue": "go on with the last session of this folder",
    "-r, --resume <session>": "go on with this session: its id, or the beginning of it",
    "--fork": "with --continue or --resume: in a session of its own",
    "--session-id <id>": "the id of the new session",
    "--ephemeral": "keep no session",
    "--max-turns <requests>": "end a turn after so many requests",
    "--max-cost <dollars>": "end the run when this much was spent in it",
    "--include <dir>": "a further folder to work in; may be repeated",
    "--mcp-config <file>": "MCP servers of this file besides those of the settings",
    "--debug <file>": "write each request as it is sent into this file, without keys",
    "--script <file>": "play the answers of this file (docs/models.md) instead of asking a model",
    "--record <file>": "write a new recording of requests and answers, for --replay",
    "--replay <file>": "replay a recording instead of asking a model",
    "--wire <form>": "how results are written (default: text)",
    "--result-content <amount>": "how much of a file a write returns (default: auto)",
    "--on-mismatch <answer>": "what a change of an older state gets (default: rebase)",
  },
  examples: [
    'holdfast -p "Mend the failing test" --approval-mode auto-edit',
    "git diff | holdfast -p 'Review this' --approval-mode plan -o json",
    "holdfast agent --continue",
    "holdfast -p 'And the docs' -c --max-cost 0.50 -o stream-json",
  ],
} as const satisfies CommandSpec;

const project = { "--project": "the project's file only" } as const;

/** `holdfast config`: the agent's settings. */
const configSpec = {
  usage: "config <action> [key] [value]",
  actions: [
    {
      usage: "list",
      summary: "what is set, where that was said, and what does not count",
      options: project,
    },
    { usage: "get KEY", summary: "the value of one key" },
    { usage: "set KEY VALUE", summary: "sets a key in your own file; comments stay", options: project },
    { usage: "unset KEY", summary: "takes a key out of your own file; comments stay", options: project },
    { usage: "check", summary: "all that is wrong, with its place; exit code 52", options: project },
    { usage: "path", summary: "where the files are", options: project },
    {
      usage: "trust [PATH]",
      summary: "shows what a project's settings widen, and trusts them",
      options: { "--yes": "without asking" },
    },
    { usage: "untrust [PATH]", summary: "trusts a project's settings no more" },
    { usage: "schema", summary: "the JSON Schema, for editors" },
  ],
  summary: "the agent's settings: list, get, set, unset, check, path, trust, untrust, schema",
  description:
    "Works on the agent's settings: your own file, the project's, the environment. A VALUE is JSON, or plain text where " +
    "the key takes text. What a project's settings would widen does not count until you trust them as they are.",
  examples: [
    "holdfast config list",
    "holdfast config set approval.mode plan",
    "holdfast config set limits.maxTurns 40 --project",
    "holdfast config unset model.name",
    "holdfast config check --json",
    "holdfast config trust",
  ],
} as const satisfies CommandSpec;

/** All commands, in the order of the help. */
export const commandSpecs = [
  {
    usage: "read <file>",
    summary: "print a file, with its state on standard error",
    options: {
      "--offset <line>": "first line, counted from 1",
      "--char-offset <characters>":
        "where to begin in that line, counted from 0, in code points: of long lines",
      "--limit <lines>": "number of lines",
      ...encoding,
    },
    examples: [
      "holdfast read src/app.ts",
      "holdfast read build.log --offset 5000 --limit 40",
      "holdfast read bundle.js --offset 1 --char-offset 100000",
      "holdfast read src/app.ts --json",
    ],
  },
  {
    usage: "list [dir]",
    summary: "list a folder, without what the ignore files leave out",
    options: {
      "--depth <levels>": "levels below the folder (default: 1)",
      "--limit <entries>": "entries at most (default: 1000)",
      ...goesOn,
      "--all": "also what the ignore files leave out",
    },
    examples: ["holdfast list", "holdfast list src --depth 3", "holdfast list --all --json"],
  },
  {
    usage: "find <glob> [dir]",
    summary: "find files by their names, without what the ignore files leave out",
    description:
      "Finds files by a glob that counts from the folder: * ? [a-z] {a,b} within a name, ** across folders. " +
      "A glob without a slash means names in every folder.",
    options: {
      ...exclude,
      "--limit <files>": "files at most (default: 1000)",
      ...goesOn,
      "--all": "also what the ignore files leave out",
    },
    examples: [
      "holdfast find '*.ts'",
      "holdfast find 'src/**/*.test.ts' --json",
      "holdfast find '*.md' docs",
    ],
  },
  {
    usage: "search <pattern> [path]",
    summary: "search the lines of files for a regular expression",
    description:
      "Searches the lines of the text files in a folder, or of one file, for a regular expression of RE2: it has no " +
      "back references and no lookaround, and no pattern makes it hang. A line that begins with - follows `--`.",
    options: {
      "--glob <glob>": "only files of this form; may be repeated",
      ...exclude,
      "-t, --type <type>": "only files of this type (ts, py, md, …); may be repeated",
      "-l, --files-with-matches": "print the names of the files only",
      "-c, --counts": "print how many lines of each file match",
      "-F, --literal": "the pattern is plain text",
      "-i, --ignore-case": "upper and lower case are the same",
      "-C, --context <lines>": "lines to show around a match (at most 20)",
      "--limit <matches>": "matches at most (default: 100)",
      ...goesOn,
      "--all": "also what the ignore files leave out",
    },
    examples: [
      "holdfast search 'TODO|FIXME'",
      "holdfast search 'function \\w+' src --glob '*.ts' -C 2",
      "holdfast search -F 'a[0].b' --json",
    ],
  },
  {
    usage: "patch [file] [diff]",
    summary: "apply a unified diff to the state that it was made against",
    description:
      "Applies a unified diff to a file. Line numbers and counts in the diff may be wrong; its lines may not. " +
      "The diff is read from the file named second, or from standard input. A diff of a state that is gone is refused.",
    options: {
      ...base,
      ...atomic,
      ...written,
      "--jsonl":
        "apply diffs to given texts: lines {id, path, base, diff} in, lines {id, ok, result, code, message, repairs} out",
    },
    examples: [
      "holdfast patch src/app.ts fix.diff --base b94d27b9934d3e08",
      "git diff HEAD~1 -- a.txt | holdfast patch a.txt - --atomic",
      "holdfast patch --jsonl < cases.jsonl > answers.jsonl",
    ],
  },
  {
    usage: "apply [diff]",
    summary: "apply a diff of several files: all of it, or nothing",
    description:
      "Applies a diff that names its files (unified, as git prints it, or V4A) to all of them together. The diff is " +
      "read from the file named, or from standard input. Every file that exists needs its --base; --atomic takes " +
      "those that have none as they are. If one change is refused, nothing is written.",
    options: {
      "--base <path=sha256>": "the state that the change of this file was made against; once for each file",
      "--atomic": "take files that have no --base in whatever state is there now",
      "-p, --strip <folders>":
        "take so many folders off each name (default: a/ and b/, or the two folders that were compared)",
      "--modes": "give files that exist the modes that the diff says (executable or not)",
      "--no-modes": "leave these modes out; without either such a diff is refused",
      ...encoding,
      ...resultContent,
    },
    examples: [
      "holdfast apply change.diff --base src/a.ts=b94d27b9934d3e08 --base src/b.ts=5891b5b522d5df08",
      "git diff main..topic | holdfast apply --atomic",
    ],
  },
  {
    usage: "write <file> [content-file]",
    summary: "create a file, or replace the state that is named",
    description:
      "Writes a whole file. The content is read from the file named second, or from standard input. A new file " +
      "needs no base; an existing one is replaced only where --base names its present state (or with --atomic).",
    options: {
      ...base,
      ...atomic,
      "--exact": "write the bytes as they are, instead of a text in the file's encoding",
      ...written,
    },
    examples: [
      "holdfast write notes.md draft.md",
      "printf 'hello\\n' | holdfast write hello.txt",
      "holdfast write logo.png new.png --exact --base b94d27b9934d3e08",
    ],
  },
  {
    usage: "edit <file> [edits]",
    summary: "replace exact text in the state that is named",
    description:
      "Replaces exact text: once, unless --all or --count says otherwise. Without --old the edits are read from the " +
      "file named second, or from standard input, as a JSON list of {old_string, new_string, replace_all?, " +
      "expected_replacements?}; all of them are made, or none.",
    options: {
      "--old <text>": "the text to replace, exactly",
      "--new <text>": "the text to put in its place; empty deletes",
      "--all": "every occurrence",
      "--count <number>": "exactly so many occurrences",
      ...base,
      ...atomic,
      ...written,
    },
    examples: [
      "holdfast edit app.ini --old 'port = 80' --new 'port = 8080' --base b94d27b9934d3e08",
      "holdfast edit src/app.ts edits.json --atomic",
    ],
  },
  {
    usage: "append <file> [content-file]",
    summary: "add to the end of a file, exactly; needs no base",
    options: { ...base, ...written },
    examples: ["printf '%s\\n' '- done' | holdfast append notes.md"],
  },
  {
    usage: "prepend <file> [content-file]",
    summary: "add to the beginning of a file, exactly; needs no base",
    options: { ...base, ...written },
    examples: ["holdfast prepend CHANGELOG.md entry.md"],
  },
  {
    usage: "insert <file> <line> [content-file]",
    summary: "insert lines after a line of the state that is named",
    options: { ...base, ...atomic, ...written },
    examples: ["holdfast insert src/app.ts 12 lines.txt --base b94d27b9934d3e08"],
  },
  {
    usage: "section <file> <heading> [content-file]",
    summary: "replace one section of a Markdown file; needs no base",
    description:
      "Replaces what stands between a heading and the next one of the same or a higher level. Headings are found " +
      "as CommonMark has them, so those in code, quotes and HTML are none.",
    options: {
      "--create": "add the section at the end where there is none",
      ...base,
      ...written,
    },
    examples: ["echo 'Phase: 2' | holdfast section workspace.md '## Current State'"],
  },
  {
    usage: "move <file> <to>",
    summary: "give a file another name, in the state that is named; overwrites nothing",
    options: { ...base, ...atomic, ...resultContent },
    examples: ["holdfast move src/app.ts src/main/app.ts --base b94d27b9934d3e08"],
  },
  {
    usage: "delete <file>",
    summary: "delete a file, in the state that is named; undo brings it back",
    options: { ...base, ...atomic, ...resultContent },
    examples: ["holdfast delete src/old.ts --base b94d27b9934d3e08"],
  },
  {
    usage: "undo <file>",
    summary: "take back the last recorded write, one further each time",
    options: {
      "--base <sha256>": "the state to undo from: the same command again then undoes no further",
      ...resultContent,
    },
    examples: ["holdfast undo src/app.ts", "holdfast undo src/app.ts --base b94d27b9934d3e08"],
  },
  {
    usage: "log <file>",
    summary: "list the recorded writes of a file, newest first",
    examples: ["holdfast log src/app.ts", "holdfast log src/app.ts --json"],
  },
  {
    usage: "restore <file@sha256>",
    summary: "bring back a recorded state of a file",
    options: { ...base, ...resultContent },
    examples: [
      "holdfast restore src/app.ts@b94d27b9934d3e08",
      "holdfast restore src/app.ts@b94d27b9934d3e08 --base 5891b5b522d5df08",
    ],
  },
  sessionsSpec,
  historySpec,
  viewSpec,
  {
    usage: "gc",
    summary: "delete recorded states that are old or too many",
    options: {
      "--keep-days <days>": "keep states younger than this",
      "--max-megabytes <size>": "keep at most this much, the youngest first",
      "--secrets": "delete all states of files that may hold secrets, now",
      "--dry-run": "only say what would go",
    },
    examples: ["holdfast gc", "holdfast gc --keep-days 7", "holdfast gc --secrets"],
  },
  {
    usage: "doctor [path]",
    summary: "check this machine and the state folder; of a path, say why it is protected",
    options: {
      "--try-model": "ask the model one short question, to see that it answers",
    },
    examples: ["holdfast doctor", "holdfast doctor --try-model", "holdfast doctor .vscode/tasks.json"],
  },
  mcpSpec,
  agentSpec,
  configSpec,
  {
    usage: "setup [client]",
    argumentChoices: hostNames,
    summary: "put this MCP server, or the guard, into the configuration of the agent or editor that you use",
    description:
      "Without a client it proposes what suits each that is on this machine. Shows the change as a diff and asks; other " +
      "settings stay. Without a terminal it needs --yes to write.",
    options: {
      "--guard": "also the hooks of `holdfast guard` (claude, gemini)",
      "--guard-only": "the hooks without the tools: the agent keeps its own (claude: the default)",
      "--tools-only": "the tools without the hooks (the default of all others)",
      "--allow-reads": "let the tools that only read run without a question",
      "--accept-edits": "let edits run without a question in Claude Code's mode acceptEdits",
      "--formatters": "let your hooks that run for the agent's own edits run for ours, too",
      "--user": "your own configuration, for all projects (the default)",
      "--project": "the project's configuration, which a team shares, by npx",
      "--remove": "take server and hooks out again",
      "--on-mismatch <answer>":
        "what to do with an edit of a file that changed since the model read it; asked for in a terminal",
      "--yes": "make the change without asking",
    },
    examples: ["holdfast setup claude", "holdfast setup gemini --guard --yes", "holdfast setup zed --remove"],
  },
  {
    usage: "guard",
    summary: "a hook for Claude Code and Gemini CLI: no built-in write to a file whose state was not seen",
    description:
      "Reads a hook's JSON from standard input, before and after the host's own tools that read and write files. " +
      "A write to a file whose present state the session was not shown is denied, with what changed or the file as it " +
      "is now. `holdfast setup claude --guard` sets the hooks.",
    options: {
      "--accept-edits": "guard nothing; let edits of Holdfast pass where they are accepted",
      "--on-mismatch <answer>":
        "what an edit gets where others changed the file; rebase: it runs where its lines are certain (the default)",
    },
    examples: ["holdfast guard < hook.json", "holdfast setup gemini --guard"],
  },
  {
    usage: "completion <shell>",
    argumentChoices: ["bash", "zsh", "fish"],
    summary: "print the completion of bash, zsh or fish",
    examples: [
      "source <(holdfast completion bash)",
      "holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
    ],
  },
  {
    usage: "tour",
    summary: "see the protocol at work on a temporary folder",
    examples: ["holdfast tour", "holdfast tour | less"],
  },
] as const satisfies readonly CommandSpec[];
