import { existsSync } from "node:fs";
import type { Addons } from "../src/addons.js";

/** Whether an add-on is in this checkout: what a test shows of the command with it is skipped where it was taken out. */
export function isThere(addon: keyof Addons): boolean {
  return existsSync(new URL(`../../../addons/${addon}/package.json`, import.meta.url));
}
