import type { Disk } from "../values/disk.js";
import { isRefusal } from "../values/refusal.js";

/**
 * Takes folders away from the innermost one outwards; one in which anything is stays.
 *
 * @param outerFirst paths as `Disk.enter` takes them.
 * @returns whether one stayed.
 */
export async function removeEmptyFolders(disk: Disk, outerFirst: readonly string[]): Promise<boolean> {
  let left = false;
  for (const path of outerFirst.toReversed()) {
    const target = await disk.enter(path, "refuse");
    if (isRefusal(target)) continue;
    try {
      if ((await target.removeFolder?.()) === false) left = true;
    } finally {
      await target.close();
    }
  }
  return left;
}
