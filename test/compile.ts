import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Compiles what has changed since the last time; what does not compile is not tested. */
export default function compile(): void {
  const build = fileURLToPath(new URL("../scripts/build.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [build, "--compile"], { stdio: "inherit" });
  if (status !== 0) throw new Error("The sources do not compile.");
}
