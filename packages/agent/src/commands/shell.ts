import { isRefusal } from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import { runHostTool } from "@holdfast/core/tools";
import type { CommandHost, CommandOutcome } from "./command.js";
import { refused, told, unavailable } from "./results.js";

/**
 * `!COMMAND`: a command of the person, which needs nobody's approval. What it printed and what became of the files
 * is a note for the model, so that it does not act on a state that is gone.
 */
export async function runShellLine(command: string, host: CommandHost): Promise<CommandOutcome> {
  const { manager, shell, signal } = host;
  if (command === "") return refused("invalid_arguments", "!COMMAND: something is missing.");
  if (shell === undefined) return unavailable("A command of the shell");
  const progress = host.progress ?? (() => {});
  const result = await runHostTool(shell, { command }, { progress, ...defined({ signal }) });
  const { text, files = [], code, touched } = result;
  const words = `The user ran a command: ${command}\n${text}`;
  const node = manager.addNode({
    kind: "note",
    text: words,
    audience: "model",
    ...(files.length === 0 ? {} : { files }),
    ...defined({ touched }),
  });
  const kept = isRefusal(node) ? node : await manager.flush();
  if (isRefusal(kept)) return refused(kept.code, kept.message);
  return told(code === "ok" ? "The command has run." : `The command has run: ${code}.`, {
    data: { code },
    text,
  });
}
