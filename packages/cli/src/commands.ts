import { agentSpec } from "./agent-command.js";
import type { CommandSpec, OptionSpec } from "./command-spec.js";
import { configSpec } from "./config-command.js";
import { collect, countFromZero, wholeNumber } from "./flags.js";
import { mcpSpec } from "./mcp-command.js";
import { historySpec, sessionsSpec, viewSpec } from "./session-commands.js";
import { hostNames } from "./shell/invocation.js";

const encoding: OptionSpec = {
  flags: "--encoding <name>",
  help: "insist on this encoding instead of detecting it",
};
const base: OptionSpec = {
  flags: "--base <sha256>",
  help: "the state that the change was made against: 64 hex digits or at least 12",
};
const atomic: OptionSpec = {
  flags: "--atomic",
  help: "change whatever state is there now, read and written under one lock",
};
const inPlace: OptionSpec = {
  flags: "--in-place",
  help: "write into the existing inode: keeps hard links and owner, is not atomic",
};

const resultContent: OptionSpec = {
  flags: "--result-content <amount>",
  help: "how much of the file the JSON shows (default: full)",
  choices: ["auto", "full", "changed", "none"],
};

const exclude: OptionSpec = {
  flags: "--exclude <glob>",
  help: "leave out paths of this form; may be repeated",
  parse: collect,
};

export const commandSpecs: readonly CommandSpec[] = [
  {
    usage: "read <file>",
    summary: "print a file, with its state on standard error",
    options: [
      { flags: "--offset <line>", help: "first line, counted from 1", parse: wholeNumber },
      {
        flags: "--char-offset <characters>",
        help: "where to begin in that line, counted from 0, in code points: of long lines",
        parse: countFromZero,
      },
      { flags: "--limit <lines>", help: "number of lines", parse: wholeNumber },
      encoding,
    ],
    examples: [
      "holdfast read src/app.ts",
      "holdfast read build.log --offset 5000 --limit 40",
      "holdfast read bundle.js --offset 1 --char-offset 100000",
      "holdfast read src/app.ts --json",
    ],
    load: async () => (await import("./commands/read.js")).readCommand,
  },
  {
    usage: "list [dir]",
    summary: "list a folder, without what the ignore files leave out",
    options: [
      { flags: "--depth <levels>", help: "levels below the folder (default: 1)", parse: wholeNumber },
      { flags: "--limit <entries>", help: "entries at most (default: 1000)", parse: wholeNumber },
      { flags: "--all", help: "also what the ignore files leave out" },
    ],
    examples: ["holdfast list", "holdfast list src --depth 3", "holdfast list --all --json"],
    load: async () => (await import("./commands/list.js")).listCommand,
  },
  {
    usage: "find <glob> [dir]",
    summary: "find files by their names, without what the ignore files leave out",
    description:
      "Finds files by a glob that counts from the folder: * ? [a-z] {a,b} within a name, ** across folders. " +
      "A glob without a slash means names in every folder.",
    options: [
      exclude,
      { flags: "--limit <files>", help: "files at most (default: 1000)", parse: wholeNumber },
      { flags: "--all", help: "also what the ignore files leave out" },
    ],
    examples: [
      "holdfast find '*.ts'",
      "holdfast find 'src/**/*.test.ts' --json",
      "holdfast find '*.md' docs",
    ],
    load: async () => (await import("./commands/find.js")).findCommand,
  },
  {
    usage: "search <pattern> [path]",
    summary: "search the lines of files for a regular expression",
    description:
      "Searches the lines of the text files in a folder, or of one file, for a regular expression of RE2: it has no " +
      "back references and no lookaround, and no pattern makes it hang. A line that begins with - follows `--`.",
    options: [
      { flags: "--glob <glob>", help: "only files of this form; may be repeated", parse: collect },
      exclude,
      {
        flags: "-t, --type <type>",
        help: "only files of this type (ts, py, md, …); may be repeated",
        parse: collect,
      },
      { flags: "-l, --files-with-matches", help: "print the names of the files only" },
      { flags: "-c, --counts", help: "print how many lines of each file match" },
      { flags: "-F, --literal", help: "the pattern is plain text" },
      { flags: "-i, --ignore-case", help: "upper and lower case are the same" },
      {
        flags: "-C, --context <lines>",
        help: "lines to show around a match (at most 20)",
        parse: wholeNumber,
      },
      { flags: "--limit <matches>", help: "matches at most (default: 100)", parse: wholeNumber },
      { flags: "--all", help: "also what the ignore files leave out" },
    ],
    examples: [
      "holdfast search 'TODO|FIXME'",
      "holdfast search 'function \\w+' src --glob '*.ts' -C 2",
      "holdfast search -F 'a[0].b' --json",
    ],
    load: async () => (await import("./commands/search.js")).searchCommand,
  },
  {
    usage: "patch [file] [diff]",
    summary: "apply a unified diff to the state that it was made against",
    description:
      "Applies a unified diff to a file. Line numbers and counts in the diff may be wrong; its lines may not. " +
      "The diff is read from the file named second, or from standard input. A diff of a state that is gone is refused.",
    options: [
      base,
      atomic,
      inPlace,
      encoding,
      resultContent,
      {
        flags: "--jsonl",
        help: "apply diffs to given texts: lines {id, path, base, diff} in, lines {id, ok, result, code, message, repairs} out",
      },
    ],
    examples: [
      "holdfast patch src/app.ts fix.diff --base b94d27b9934d3e08",
      "git diff HEAD~1 -- a.txt | holdfast patch a.txt - --atomic",
      "holdfast patch --jsonl < cases.jsonl > answers.jsonl",
    ],
    load: async () => (await import("./commands/changing.js")).patchCommand,
  },
  {
    usage: "apply [diff]",
    summary: "apply a diff of several files: all of it, or nothing",
    description:
      "Applies a diff that names its files (unified, as git prints it, or V4A) to all of them together. The diff is " +
      "read from the file named, or from standard input. Every file that exists needs its --base; --atomic takes " +
      "those that have none as they are. If one change is refused, nothing is written.",
    options: [
      {
        flags: "--base <path=sha256>",
        help: "the state that the change of this file was made against; once for each file",
        parse: collect,
      },
      { flags: "--atomic", help: "take files that have no --base in whatever state is there now" },
      {
        flags: "-p, --strip <folders>",
        help: "take so many folders off each name (default: a/ and b/, or the two folders that were compared)",
        parse: countFromZero,
      },
      { flags: "--modes", help: "give files that exist the modes that the diff says (executable or not)" },
      { flags: "--no-modes", help: "leave these modes out; without either such a diff is refused" },
      encoding,
      resultContent,
    ],
    examples: [
      "holdfast apply change.diff --base src/a.ts=b94d27b9934d3e08 --base src/b.ts=5891b5b522d5df08",
      "git diff main..topic | holdfast apply --atomic",
    ],
    load: async () => (await import("./commands/apply.js")).applyCommand,
  },
  {
    usage: "write <file> [content-file]",
    summary: "create a file, or replace the state that is named",
    description:
      "Writes a whole file. The content is read from the file named second, or from standard input. A new file " +
      "needs no base; an existing one is replaced only where --base names its present state (or with --atomic).",
    options: [
      base,
      atomic,
      { flags: "--exact", help: "write the bytes as they are, instead of a text in the file's encoding" },
      inPlace,
      encoding,
      resultContent,
    ],
    examples: [
      "holdfast write notes.md draft.md",
      "printf 'hello\\n' | holdfast write hello.txt",
      "holdfast write logo.png new.png --exact --base b94d27b9934d3e08",
    ],
    load: async () => (await import("./commands/changing.js")).writeCommand,
  },
  {
    usage: "edit <file> [edits]",
    summary: "replace exact text in the state that is named",
    description:
      "Replaces exact text: once, unless --all or --count says otherwise. Without --old the edits are read from the " +
      "file named second, or from standard input, as a JSON list of {old_string, new_string, replace_all?, " +
      "expected_replacements?}; all of them are made, or none.",
    options: [
      { flags: "--old <text>", help: "the text to replace, exactly" },
      { flags: "--new <text>", help: "the text to put in its place; empty deletes" },
      { flags: "--all", help: "every occurrence" },
      { flags: "--count <number>", help: "exactly so many occurrences", parse: wholeNumber },
      base,
      atomic,
      inPlace,
      encoding,
      resultContent,
    ],
    examples: [
      "holdfast edit app.ini --old 'port = 80' --new 'port = 8080' --base b94d27b9934d3e08",
      "holdfast edit src/app.ts edits.json --atomic",
    ],
    load: async () => (await import("./commands/edit.js")).editCommand,
  },
  {
    usage: "append <file> [content-file]",
    summary: "add to the end of a file, exactly; needs no base",
    options: [base, inPlace, encoding, resultContent],
    examples: ["printf '%s\\n' '- done' | holdfast append notes.md"],
    load: async () => (await import("./commands/adding.js")).appendCommand,
  },
  {
    usage: "prepend <file> [content-file]",
    summary: "add to the beginning of a file, exactly; needs no base",
    options: [base, inPlace, encoding, resultContent],
    examples: ["holdfast prepend CHANGELOG.md entry.md"],
    load: async () => (await import("./commands/adding.js")).prependCommand,
  },
  {
    usage: "insert <file> <line> [content-file]",
    summary: "insert lines after a line of the state that is named",
    options: [base, atomic, inPlace, encoding, resultContent],
    examples: ["holdfast insert src/app.ts 12 lines.txt --base b94d27b9934d3e08"],
    load: async () => (await import("./commands/adding.js")).insertCommand,
  },
  {
    usage: "section <file> <heading> [content-file]",
    summary: "replace one section of a Markdown file; needs no base",
    description:
      "Replaces what stands between a heading and the next one of the same or a higher level. Headings are found " +
      "as CommonMark has them, so those in code, quotes and HTML are none.",
    options: [
      { flags: "--create", help: "add the section at the end where there is none" },
      base,
      inPlace,
      encoding,
      resultContent,
    ],
    examples: ["echo 'Phase: 2' | holdfast section workspace.md '## Current State'"],
    load: async () => (await import("./commands/adding.js")).sectionCommand,
  },
  {
    usage: "move <file> <to>",
    summary: "give a file another name, in the state that is named; overwrites nothing",
    options: [base, atomic, resultContent],
    examples: ["holdfast move src/app.ts src/main/app.ts --base b94d27b9934d3e08"],
    load: async () => (await import("./commands/changing.js")).moveCommand,
  },
  {
    usage: "delete <file>",
    summary: "delete a file, in the state that is named; undo brings it back",
    options: [base, atomic, resultContent],
    examples: ["holdfast delete src/old.ts --base b94d27b9934d3e08"],
    load: async () => (await import("./commands/changing.js")).deleteCommand,
  },
  {
    usage: "undo <file>",
    summary: "take back the last recorded write, one further each time",
    options: [
      {
        flags: "--base <sha256>",
        help: "the state to undo from: the same command again then undoes no further",
      },
      resultContent,
    ],
    examples: ["holdfast undo src/app.ts", "holdfast undo src/app.ts --base b94d27b9934d3e08"],
    load: async () => (await import("./commands/changing.js")).undoCommand,
  },
  {
    usage: "log <file>",
    summary: "list the recorded writes of a file, newest first",
    examples: ["holdfast log src/app.ts", "holdfast log src/app.ts --json"],
    load: async () => (await import("./commands/log.js")).logCommand,
  },
  {
    usage: "restore <file@sha256>",
    summary: "bring back a recorded state of a file",
    options: [base, inPlace, resultContent],
    examples: [
      "holdfast restore src/app.ts@b94d27b9934d3e08",
      "holdfast restore src/app.ts@b94d27b9934d3e08 --base 5891b5b522d5df08",
    ],
    load: async () => (await import("./commands/changing.js")).restoreCommand,
  },
  sessionsSpec,
  historySpec,
  viewSpec,
  {
    usage: "gc",
    summary: "delete recorded states that are old or too many",
    options: [
      { flags: "--keep-days <days>", help: "keep states younger than this", parse: wholeNumber },
      {
        flags: "--max-megabytes <size>",
        help: "keep at most this much, the youngest first",
        parse: wholeNumber,
      },
      { flags: "--secrets", help: "delete all states of files that may hold secrets, now" },
      { flags: "--dry-run", help: "only say what would go" },
    ],
    examples: ["holdfast gc", "holdfast gc --keep-days 7", "holdfast gc --secrets"],
    load: async () => (await import("./commands/gc.js")).gcCommand,
  },
  {
    usage: "doctor [path]",
    summary: "check this machine and the state folder; of a path, say why it is protected",
    options: [{ flags: "--try-model", help: "ask the model one short question, to see that it answers" }],
    examples: ["holdfast doctor", "holdfast doctor --try-model", "holdfast doctor .vscode/tasks.json"],
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
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
    options: [
      { flags: "--guard", help: "also the hooks of `holdfast guard` (claude, gemini)" },
      {
        flags: "--guard-only",
        help: "the hooks without the tools: the agent keeps its own (claude: the default)",
      },
      { flags: "--tools-only", help: "the tools without the hooks (the default of all others)" },
      { flags: "--allow-reads", help: "let the tools that only read run without a question" },
      { flags: "--accept-edits", help: "let edits run without a question in Claude Code's mode acceptEdits" },
      { flags: "--formatters", help: "let your hooks that run for the agent's own edits run for ours, too" },
      { flags: "--user", help: "your own configuration, for all projects (the default)" },
      { flags: "--project", help: "the project's configuration, which a team shares, by npx" },
      { flags: "--remove", help: "take server and hooks out again" },
      {
        flags: "--on-mismatch <answer>",
        help: "what to do with an edit of a file that changed since the model read it; asked for in a terminal",
        choices: ["rebase-own", "rebase", "refuse"],
      },
      { flags: "--yes", help: "make the change without asking" },
    ],
    examples: ["holdfast setup claude", "holdfast setup gemini --guard --yes", "holdfast setup zed --remove"],
    load: async () => (await import("./commands/setup.js")).setupCommand,
  },
  {
    usage: "guard",
    summary: "a hook for Claude Code and Gemini CLI: no built-in write to a file whose state was not seen",
    description:
      "Reads a hook's JSON from standard input, before and after the host's own tools that read and write files. " +
      "A write to a file whose present state the session was not shown is denied, with what changed or the file as it " +
      "is now. `holdfast setup claude --guard` sets the hooks.",
    options: [
      { flags: "--accept-edits", help: "guard nothing; let edits of Holdfast pass where they are accepted" },
      {
        flags: "--on-mismatch <answer>",
        help: "what an edit gets where others changed the file; rebase: it runs where its lines are certain (the default)",
        choices: ["rebase-own", "rebase", "refuse"],
      },
    ],
    examples: ["holdfast guard < hook.json", "holdfast setup gemini --guard"],
    load: async () => (await import("./commands/guard.js")).guardCommand,
  },
  {
    usage: "completion <shell>",
    argumentChoices: ["bash", "zsh", "fish"],
    summary: "print the completion of bash, zsh or fish",
    examples: [
      "source <(holdfast completion bash)",
      "holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
    ],
    load: async () => (await import("./commands/completion.js")).completionCommand,
  },
  {
    usage: "tour",
    summary: "see the protocol at work on a temporary folder",
    examples: ["holdfast tour", "holdfast tour | less"],
    load: async () => (await import("./commands/tour.js")).tourCommand,
  },
];
