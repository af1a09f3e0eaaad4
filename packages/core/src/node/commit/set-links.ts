import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { cannotPreserve } from "../disk/attributes.js";
import { codeOf, withDescriptor } from "../disk/platform.js";
import { type Spot, statAt } from "../disk/reading.js";
import { stagePrefix } from "./stage.js";

/**
 * Waits while a change set of another state folder, whose locks are not ours, holds a file by a second name: that
 * name is gone with the set. At most ten seconds; whoever looks next says what is still there.
 */
export async function waitForSet(spot: Spot): Promise<void> {
  const until = Date.now() + limitMs;
  while (isLinkedBySet(spot) && Date.now() < until) await pause(lookMs);
}

/**
 * Refuses a file with several names: with `busy` if one of them is that of a change set in flight.
 *
 * @param ownName the second name that the asking change set gave it itself.
 */
export function severalNames(spot: Spot, names: bigint, ownName?: string): Refusal {
  if (!isLinkedBySet(spot, ownName)) return cannotPreserve(`it has ${names} names (hard links)`);
  return refuse(
    "busy",
    `A change set in flight, of another state folder, holds ${escapeForDisplay(spot.shown)}; nothing was changed. Try again.`,
  );
}

const limitMs = 10_000;
const lookMs = 10;

/** Whether one of the file's further names is a stage beside it. */
function isLinkedBySet(spot: Spot, ownName?: string): boolean {
  const file = statAt(spot);
  if (file === undefined || file.nlink < 2n) return false;
  return stagesBeside(spot).some((name) => {
    if (name === ownName) return false;
    const other = statAt({ ...spot, name });
    return other?.ino === file.ino && other.dev === file.dev;
  });
}

function stagesBeside({ folder }: Spot): readonly string[] {
  try {
    return withDescriptor(() => readdirSync(folder.self())).filter((name) => name.startsWith(stagePrefix));
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return [];
  }
}
