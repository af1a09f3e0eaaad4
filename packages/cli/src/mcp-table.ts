import type { CommandSpec } from "./command-spec.js";

/** The MCP server. */
export const mcpSpec = {
  usage: "mcp",
  summary: "serve the tools to an agent: an MCP server over stdio",
  options: {
    "--read-only": "offer only the tools that change nothing",
    "--allow-wide-root": "work also in the whole disk, or in a home folder",
    "--tools <names>": "all, or names separated by commas",
    "--wire <form>": "how results are written (default: text)",
    "--result-content <amount>": "how much of a file a write returns (default: auto)",
    "--structured": "small results also as structured content",
    "--answer-budget <chars>":
      "characters that one answer has at most (default: what the client is known to let through)",
    "--compat <server>": "offer the tools of the official filesystem server instead",
    "--overwrite-guard <guard>":
      "what overwriting a file needs: its hash, a read of it, or nothing but a warning (default: hash)",
    "--edit-guard <guard>": "what an exact edit without a hash needs: a read, or nothing (default: read)",
    "--memory-paths <glob>": "files of this form are edited without a read; may be repeated",
    "--on-mismatch <answer>": "what a change of an older state gets (default: rebase)",
    "--rules-of <client>": "what you have denied to this client's own file tools is denied to these, too",
    "--strict-view": "a change may only touch lines that were shown",
    "--reread-stub": "answer a repeated read of the same state with a stub",
  },
  examples: [
    "holdfast mcp",
    "holdfast mcp --root ~/project --root ~/notes",
    "holdfast mcp --compat filesystem --root ~/project",
    "holdfast mcp --read-only --wire json --result-content full",
  ],
} as const satisfies CommandSpec;
