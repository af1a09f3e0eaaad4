import { nearestName } from "@holdfast/core/tools";
import type { WrittenPrompt } from "../input/written-prompts.js";
import { backgroundCommand } from "./background.js";
import { changesCommand } from "./changes.js";
import type { Command, CommandSpec } from "./command.js";
import { contextCommands } from "./context.js";
import { exportCommand } from "./export.js";
import { fileCommands } from "./file.js";
import { historyCommands } from "./history.js";
import { lookCommands } from "./look.js";
import { memoryCommand } from "./memory.js";
import { refused, told } from "./results.js";
import { sessionCommands } from "./session.js";
import { taskCommands } from "./task.js";

const help: CommandSpec = {
  name: "help",
  usage: "[COMMAND]",
  says: "Lists the commands, or shows one.",
  operands: { least: 0, most: "text" },
  operand: "command",
  run: async ({ text }, { prompts = [] }) => {
    const wanted = text.replace(/^\//, "");
    const shown = [...commands, ...prompts].filter(
      ({ name }) => wanted === "" || name === wanted || name.startsWith(`${wanted} `),
    );
    if (shown.length === 0) return refused("unknown_command", unknownWords(wanted, prompts));
    const data = { commands: shown.map(({ name, usage, says }) => ({ name, usage, says })) };
    const lines = shown.map(({ name, usage, says }) => `${`/${name} ${usage}`.trimEnd()}\n    ${says}`);
    const shell = wanted === "" ? ["!COMMAND\n    Runs a command of yours; the model is told."] : [];
    return told("Commands:", { data, text: [...lines, ...shell].join("\n") });
  },
};

const specs: readonly CommandSpec[] = [
  help,
  ...taskCommands,
  ...fileCommands,
  ...historyCommands,
  changesCommand,
  ...lookCommands,
  backgroundCommand,
  ...contextCommands,
  memoryCommand,
  exportCommand,
  ...sessionCommands,
];

/** Every slash command, in the order in which help lists them. */
export const commands: readonly Command[] = specs.map((spec) => ({
  usage: "",
  options: {},
  operands: { least: 0, most: 0 },
  ...spec,
}));

/** The sentence on a command that there is not, with the nearest one. */
export function unknownWords(wanted: string, prompts: readonly WrittenPrompt[] = []): string {
  const near = nearestName(
    wanted,
    [...commands, ...prompts].map(({ name }) => name),
  );
  return `There is no command /${wanted}${near === undefined ? "." : `; did you mean /${near}?`}`;
}
