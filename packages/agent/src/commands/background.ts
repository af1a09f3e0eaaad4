import { backgroundWords } from "../host/command-words.js";
import type { RunningCommand } from "../host/running-command.js";
import type { CommandOutcome, CommandSpec } from "./command.js";
import { refused, told, unavailable } from "./results.js";

/** `/background`: the commands of the model that go on beside the conversation. */
export const backgroundCommand: CommandSpec = {
  name: "background",
  usage: "[ID] [--kill]",
  says: "Lists the commands in the background, shows what one printed, or ends it with all that it started.",
  options: { kill: "switch" },
  operands: { least: 0, most: 1 },
  run: async (given, { background }) => {
    if (background === undefined) return unavailable("A look at commands in the background");
    const all = background();
    if (given.text === "" && given.has("kill"))
      return refused("invalid_arguments", "/background ID --kill: the id is missing.");
    if (given.text === "") return listed(all);
    const command = all.find(({ id }) => id === given.text);
    if (command === undefined)
      return refused("not_found", `There is no command ${given.text}. /background lists them.`);
    if (given.has("kill")) await command.stop("killed");
    return told(`${backgroundWords(command)}.`, given.has("kill") ? {} : { text: command.log.text() });
  },
};

function listed(all: readonly RunningCommand[]): CommandOutcome {
  const data = { commands: all.map(({ id, command }) => ({ id, command })) };
  if (all.length === 0) return told("No command runs in the background.", { data });
  return told("Commands in the background:", { data, text: all.map(backgroundWords).join("\n") });
}
