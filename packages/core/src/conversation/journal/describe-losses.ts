import { cappedLines } from "../../text/index.js";
import type { Loss } from "./mend.js";

/**
 * What a session has lost, in words: how many places, and the first 20 of them, a line each.
 *
 * @returns nothing where nothing is lost.
 */
export function describeLosses(losses: readonly Loss[]): readonly string[] {
  const count = losses.length === 1 ? "1 place" : `${losses.length} places`;
  return losses.length === 0
    ? []
    : [`${count} of this session cannot be read:`, ...cappedLines(losses.map(describeLoss))];
}

/** One place, as a sentence. */
export function describeLoss({ records, placeholders, parentId }: Loss): string {
  const [first, ...others] = placeholders;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const what = records === undefined ? `No record holds node ${first}${more}` : `${named(records)} lost`;
  if (placeholders.includes(parentId)) return `${what}: the beginning of the session (its title and folder).`;
  return `${what}: placeholder ${first}${more} below node ${parentId}.`;
}

function named({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `Record ${from} is` : `Records ${from} to ${to} are`;
}
