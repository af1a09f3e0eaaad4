import type { BackgroundCommand, Command, CommandOutcome } from "./command.js";
import { refused, told, unavailable } from "./results.js";

/** `/background`: the commands of the model that go on beside the conversation. */
export const backgroundCommand: Command = {
  name: "background",
  usage: "[ID] [--kill]",
  says: "Lists the commands in the background, shows what one printed, or ends it with all that it started.",
  options: { kill: "switch" },
  operands: { least: 0, most: 1 },
  run: async (given, { background }) => {
    if (background === undefined) return unavailable("A look at commands in the background");
    const all = background();
    if (given.text === "") return listed(all);
    const command = all.find(({ id }) => id === given.text);
    if (command === undefined)
      return refused("not_found", `There is no command ${given.text}. /background lists them.`);
    if (given.has("kill")) await command.stop("killed");
    return told(`${backgroundWords(command)}.`, given.has("kill") ? {} : { text: command.log.text() });
  },
};

/** A command in one line: its id, its words, and how it goes or has ended. */
export function backgroundWords(command: BackgroundCommand): string {
  const { id, command: words, seconds, end } = command;
  const line = `${id} $ ${words.slice(0, 800).replace(/\s+/gu, " ").trim()}`;
  if (end === undefined) return `${line} … runs for ${durationWords(seconds)}`;
  const how = end.failure ?? end.stopped ?? end.signal ?? `exit ${end.exitCode}`;
  return `${line} … ended after ${durationWords(end.seconds)}, ${how}`;
}

/** As "12 s", "3 min", "2 h 5 min": it changes seldom where it is long. */
export function durationWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function listed(all: readonly BackgroundCommand[]): CommandOutcome {
  const data = { commands: all.map(({ id, command }) => ({ id, command })) };
  if (all.length === 0) return told("No command runs in the background.", { data });
  return told("Commands in the background:", { data, text: all.map(backgroundWords).join("\n") });
}
