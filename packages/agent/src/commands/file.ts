import type { CommandSpec } from "./command.js";
import { carried } from "./results.js";

const track: CommandSpec = {
  name: "file track",
  usage: "PATH",
  says: "Keeps a file before the model: before each request its newest state is there, without a read.",
  operands: { least: 1, most: 1 },
  operand: "path",
  run: async ({ text }, host) => {
    const outcome = await carried("track_file", { file_path: text }, host);
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
  run: ({ text }, host) => carried("untrack_file", { file_path: text }, host),
};

const list: CommandSpec = {
  name: "file list",
  says: "Lists the files that are kept before the model.",
  run: (_, host) => carried("list_tracked_files", {}, host),
};

/** The commands of tracked files. */
export const fileCommands: readonly CommandSpec[] = [track, untrack, list];
