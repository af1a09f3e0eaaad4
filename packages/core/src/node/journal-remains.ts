import { rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "./entries.js";
import type { JournalPlace } from "./journal-place.js";
import { codeOf } from "./platform.js";

/** Removes what lies beside a journal that is not there: its texts, and what was once cut off it. */
export function clearRemains(place: JournalPlace): void {
  for (const name of namesIn(place.room)) {
    if (!name.startsWith(`${place.id}.`)) continue;
    try {
      rmSync(join(place.room, name), { recursive: true, force: true });
    } catch (error) {
      // It is in nobody's way; the garbage collection finds it.
      if (codeOf(error) === "") throw error;
    }
  }
}
