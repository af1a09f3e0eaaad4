import { realpathSync } from "node:fs";
import { commandLineOf, livenessOf, parseIdentity } from "@holdfast/core/node";
import { isBelow } from "./found-text.js";
import { endFamily, markedProcesses } from "./processes.js";
import { quietly } from "./repository.js";
import { shellBegin, statePrelude } from "./shell-state.js";

/**
 * Ends the commands that run in a folder, on Linux, though the program that had started them was killed: their output
 * reaches nobody any more.
 *
 * @param graceMs how long they have to end by themselves, in milliseconds.
 * @returns what each was, in the words of the shell that ran it.
 */
export async function endLeftCommands(folder: string, graceMs: number): Promise<readonly string[]> {
  const left = [...markedProcesses()].filter(([marker, [first = 0]]) => {
    const owner = parseIdentity(/^(.*)-c\d+-\w+$/.exec(marker)?.[1] ?? "");
    const at = quietly(() => realpathSync.native(`/proc/${first}/cwd`));
    return owner !== undefined && livenessOf(owner) === "dead" && at !== undefined && isBelow(at, folder);
  });
  const ended = left.map(async ([marker, pids]) => {
    const lines = pids.map(commandLineOf);
    const shell = lines.flat().find((word) => word.startsWith(shellBegin));
    await endFamily({ marker }, graceMs);
    return shell?.slice(shellBegin.length).replace(statePrelude, "") ?? lines[0]?.join(" ") ?? "";
  });
  return Promise.all(ended);
}
