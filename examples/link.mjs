/**
 * Puts this checkout's packages into the node_modules of the example in whose folder it runs, as npm would
 * put published ones. The core is a link. The adapters are a copy: an adapter imports the framework from
 * where its file really is, and that has to be beside the example's own.
 */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const scope = join(process.cwd(), "node_modules", "@holdfast");

if (!existsSync(join(packages, "adapters", "dist", "ai-sdk.js"))) {
  console.error("The packages are not built yet: run `npm ci` in the checkout's root first.");
  process.exit(1);
}
rmSync(scope, { recursive: true, force: true });
mkdirSync(scope, { recursive: true });
symlinkSync(join(packages, "core"), join(scope, "core"), "dir");
for (const part of ["package.json", "dist"]) {
  cpSync(join(packages, "adapters", part), join(scope, "adapters", part), { recursive: true });
}
