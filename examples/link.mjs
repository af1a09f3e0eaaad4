/**
 * Puts this checkout's packages into the node_modules of the example in whose folder it runs, as npm would
 * put published ones. The core is a link. The adapters are a copy: an adapter imports the framework from
 * where its file really is, and that has to be beside the example's own.
 */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const house = fileURLToPath(new URL("..", import.meta.url));
const core = join(house, "packages/core");
const adapters = join(house, "addons/adapters");
const scope = join(process.cwd(), "node_modules", "@holdfast");

if (!existsSync(join(adapters, "dist", "ai-sdk.js"))) {
  console.error("The packages are not built yet: run `npm ci` in the checkout's root first.");
  process.exit(1);
}
rmSync(scope, { recursive: true, force: true });
mkdirSync(scope, { recursive: true });
symlinkSync(core, join(scope, "core"), "dir");
for (const part of ["package.json", "dist"]) {
  cpSync(join(adapters, part), join(scope, "adapters", part), { recursive: true });
}
