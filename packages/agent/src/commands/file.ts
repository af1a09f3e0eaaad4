import type { CommandHost, CommandSpec } from "./command.js";
import { ofReply } from "./results.js";

const track: CommandSpec = {
  name: "file track",
  usage: "PATH",
  says: "Keeps a file before the model: before each request its newest state is there, without a read.",
  operands: { least: 1, most: 1 },
  operand: "path",
  run: async ({ text }, host) => {
    const outcome = await carry("track_file", { file_path: text }, host);
    const uploading = outcome.kind === "told" ? await host.agent.uploads?.file(text) : undefined;
    if (outcome.kind !== "told" || uploading === undefined) return outcome;
    return { ...outcome, message: `${outcome.message} ${uploading}` };
  },
};

const untrack: CommandSpec = {
  name: "file untrack",
  usage: "PATH",
  says: "Keeps it no longer.",
  operands: { least: 1, most: 1 },
  operand: "path",
  run: ({ text }, host) => carry("untrack_file", { file_path: text }, host),
};

const list: CommandSpec = {
  name: "file list",
  says: "Lists the files that are kept before the model.",
  run: (_, host) => carry("list_tracked_files", {}, host),
};

/** The commands of tracked files. */
export const fileCommands: readonly CommandSpec[] = [track, untrack, list];

async function carry(tool: string, args: object, { agent }: CommandHost) {
  return ofReply(await agent.carry(tool, args));
}
