import type { CommandSpec } from "./command-spec.js";
import { collect, wholeNumber } from "./flags.js";
import { hostNames } from "./shell/invocation.js";

/** The MCP server. */
export const mcpSpec: CommandSpec = {
  usage: "mcp",
  summary: "serve the tools to an agent: an MCP server over stdio",
  options: [
    { flags: "--read-only", help: "offer only the tools that change nothing" },
    { flags: "--allow-wide-root", help: "work also in the whole disk, or in a home folder" },
    { flags: "--tools <names>", help: "all, or names separated by commas" },
    { flags: "--wire <form>", help: "how results are written (default: text)", choices: ["text", "json"] },
    {
      flags: "--result-content <amount>",
      help: "how much of a file a write returns (default: auto)",
      choices: ["auto", "full", "changed", "none"],
    },
    { flags: "--structured", help: "small results also as structured content" },
    {
      flags: "--answer-budget <chars>",
      help: "characters that one answer has at most (default: what the client is known to let through)",
      parse: wholeNumber,
    },
    {
      flags: "--compat <server>",
      help: "offer the tools of the official filesystem server instead",
      choices: ["filesystem"],
    },
    {
      flags: "--overwrite-guard <guard>",
      help: "what overwriting a file needs: its hash, a read of it, or nothing but a warning (default: hash)",
      choices: ["hash", "read", "warn"],
    },
    {
      flags: "--edit-guard <guard>",
      help: "what an exact edit without a hash needs: a read, or nothing (default: read)",
      choices: ["read", "atomic"],
    },
    {
      flags: "--memory-paths <glob>",
      help: "files of this form are edited without a read; may be repeated",
      parse: collect,
    },
    {
      flags: "--on-mismatch <answer>",
      help: "what a change of an older state gets (default: rebase)",
      choices: ["rebase-own", "rebase", "refuse"],
    },
    {
      flags: "--rules-of <client>",
      help: "what you have denied to this client's own file tools is denied to these, too",
      choices: [...hostNames],
    },
    { flags: "--in-place <when>", help: "write in place what cannot be replaced", choices: ["auto"] },
    { flags: "--strict-view", help: "a change may only touch lines that were shown" },
    { flags: "--reread-stub", help: "answer a repeated read of the same state with a stub" },
  ],
  examples: [
    "holdfast mcp",
    "holdfast mcp --root ~/project --root ~/notes",
    "holdfast mcp --compat filesystem --root ~/project",
    "holdfast mcp --read-only --wire json --result-content full",
  ],
  load: async () => (await import("./commands/mcp.js")).mcpCommand,
};
