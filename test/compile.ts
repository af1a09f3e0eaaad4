import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Compiles what has changed since the last time; what does not compile is not tested. */
export default function compile(): void {
  const house = fileURLToPath(new URL("..", import.meta.url));
  const addons = readdirSync(`${house}/addons`).map((name) => `addons/${name}/tsconfig.json`);
  const args = ["node_modules/typescript/bin/tsc", "-b", "tsconfig.json", ...addons];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: house, encoding: "utf8" });
  if (status !== 0) throw new Error(`The sources do not compile.\n${stdout}`);
}
