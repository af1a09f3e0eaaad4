import type { CommandSpec } from "./command-spec.js";
import { collect, money, wholeNumber } from "./flags.js";

/** `holdfast agent`, and `holdfast -p`: the agent, without a screen of its own. */
export const agentSpec: CommandSpec = {
  usage: "agent [prompt]",
  summary: "work with a model on the files here: one prompt, or line by line in a terminal",
  description:
    'In a terminal it talks, beginning with the prompt where one is given; `holdfast` and `holdfast "do this"` are the same. ' +
    "With -p, or without a terminal, it runs until the model has nothing more to do, and its exit code says how that went.",
  options: [
    { flags: "-p, --prompt <text>", help: "what to do; what comes by standard input stands before it" },
    { flags: "-i, --prompt-interactive <text>", help: "begin with it in a terminal; elsewhere as -p" },
    {
      flags: "-o, --output-format <format>",
      help: "how the run is written (default: text)",
      choices: ["text", "json", "stream-json"],
    },
    {
      flags: "--include-partial",
      help: "with -o stream-json: also what of an answer comes, before it is whole",
    },
    { flags: "--include-partial-messages", help: "the same" },
    { flags: "-m, --model <name>", help: "provider/name, or a name such as claude-…, gpt-…, gemini-…" },
    {
      flags: "--effort <effort>",
      help: "how much the model is to think (default: as its provider does)",
      choices: ["off", "low", "medium", "high", "max"],
    },
    {
      flags: "--approval-mode <mode>",
      help: "what is done without asking (default: ask; with -p it asks where input and errors are a terminal and the output is text, else it is denied)",
      choices: ["plan", "ask", "auto-edit", "yolo"],
    },
    {
      flags: "--sandbox <when>",
      help: "whether commands run in a sandbox (default: auto, where one starts)",
      choices: ["auto", "on", "off"],
    },
    {
      flags: "--reading",
      help: "in a terminal: lines only, none of which is drawn anew, for those who hear it",
    },
    { flags: "-c, --continue", help: "go on with the last session of this folder" },
    { flags: "-r, --resume <session>", help: "go on with this session: its id, or the beginning of it" },
    { flags: "--fork", help: "with --continue or --resume: in a session of its own" },
    { flags: "--session-id <id>", help: "the id of the new session" },
    { flags: "--ephemeral", help: "keep no session" },
    { flags: "--max-turns <requests>", help: "end a turn after so many requests", parse: wholeNumber },
    { flags: "--max-cost <dollars>", help: "end the run when this much was spent in it", parse: money },
    { flags: "--include <dir>", help: "a further folder to work in; may be repeated", parse: collect },
    { flags: "--mcp-config <file>", help: "MCP servers of this file besides those of the settings" },
    { flags: "--debug <file>", help: "write each request as it is sent into this file, without keys" },
    {
      flags: "--script <file>",
      help: "play the answers of this file (docs/models.md) instead of asking a model",
    },
    { flags: "--record <file>", help: "write a new recording of requests and answers, for --replay" },
    { flags: "--replay <file>", help: "replay a recording instead of asking a model" },
    { flags: "--wire <form>", help: "how results are written (default: text)", choices: ["text", "json"] },
    {
      flags: "--result-content <amount>",
      help: "how much of a file a write returns (default: auto)",
      choices: ["auto", "full", "changed", "none"],
    },
    {
      flags: "--on-mismatch <answer>",
      help: "what a change of an older state gets (default: rebase)",
      choices: ["rebase-own", "rebase", "refuse"],
    },
  ],
  examples: [
    'holdfast -p "Mend the failing test" --approval-mode auto-edit',
    "git diff | holdfast -p 'Review this' --approval-mode plan -o json",
    "holdfast agent --continue",
    "holdfast -p 'And the docs' -c --max-cost 0.50 -o stream-json",
  ],
  load: async () => (await import("./commands/agent.js")).agentCommand,
};
