import type { Paint } from "./shell.js";

/**
 * What to do after the tour.
 *
 * @param program the path of this very program, so that what is printed works when it is pasted.
 */
export function nextSteps(program: string, paint: Paint): string {
  const server = { command: "node", args: [program, "mcp", "--root", workspaceVariable] };
  const { bold, dim } = paint;
  return [
    "",
    bold("Talk to a model of your own"),
    "",
    "   export ANTHROPIC_API_KEY=…                  or OPENAI_API_KEY, or GEMINI_API_KEY; a local server needs none",
    "   holdfast agent                             a conversation, in your project's folder; ? lists the keys",
    '   holdfast -p "What is @README.md about?"    one prompt, for scripts',
    "",
    bold("Give it to the agent that you use"),
    "",
    `   ${bold("Claude Code")}  ${dim("in your project's folder")}`,
    `      claude mcp add holdfast -- node ${program} mcp`,
    `   ${bold("Gemini CLI")}   ${dim("in your project's folder")}`,
    `      gemini mcp add holdfast node ${program} mcp`,
    `   ${bold("Cursor")}       ${dim(".cursor/mcp.json")}`,
    `      ${JSON.stringify({ mcpServers: { holdfast: server } })}`,
    `   ${bold("VS Code")}      ${dim(".vscode/mcp.json")}`,
    `      ${JSON.stringify({ servers: { holdfast: { type: "stdio", ...server } } })}`,
    "",
    bold("Or use it from a shell or a script"),
    "",
    "   holdfast read FILE                         the text, and its SHA-256",
    "   holdfast patch FILE FIX.diff --base SHA    refused if the file is not in that state any more",
    "   holdfast log FILE                          what was written; `holdfast undo FILE` takes it back",
    `   holdfast --help                            ${dim("here: npx holdfast …")}`,
    "",
  ].join("\n");
}

/** Filled in by the editor, not by us. */
const workspaceVariable = ["$", "{workspaceFolder}"].join("");
