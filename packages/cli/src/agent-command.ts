import type { CommandSpec } from "./command-spec.js";

/** `holdfast agent`, and `holdfast -p`: the agent, without a screen of its own. */
export const agentSpec = {
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
    "--effort <effort>": "how much the model is to think (default: as its provider does)",
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
