/**
 * `npm run without-addon -- NAME… | all [--whole]`: shows that the house stands without these add-ons. Takes them out of
 * a scratch clone; then installs, builds, starts the command, checks the law, loads all tests of `packages/` and runs
 * some of them (with `--whole` all). No add-on may need another one, by the law: out at once says what one by one would.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const house = fileURLToPath(new URL("..", import.meta.url));
const addons = existsSync(join(house, "addons")) ? readdirSync(join(house, "addons")) : [];
const given = process.argv.slice(2).filter((word) => word !== "--whole");
const names = given.includes("all") ? addons : given;
const unknown = names.filter((name) => !addons.includes(name));
if (unknown.length > 0 || given.length === 0) {
  console.error(`Name add-ons, or all. There are: ${addons.join(", ") || "none"}.`);
  process.exit(2);
}
if (names.length === 0) {
  console.log("## there are no add-ons");
  process.exit();
}

const top = mkdtempSync(join(tmpdir(), "holdfast-without-"));
// Tests run as other users, too, who have to find the program.
chmodSync(top, 0o755);
const clone = join(top, "house");
process.on("exit", () => rmSync(top, { recursive: true, force: true }));
run(house, "git", "clone", "--quiet", "--local", house, clone);
// Hard links, so that npm has only to take away what an add-on brought. What is written in place must be no link.
run(house, "cp", "-al", join(house, "node_modules"), join(clone, "node_modules"));
for (const written of [".cache", ".vite", ".vite-temp", ".experimental-vitest-cache", ".package-lock.json"])
  rmSync(join(clone, "node_modules", written), { recursive: true, force: true });

// The house is built already: sources that are older than that are not compiled anew.
run(clone, "sh", "-c", "git ls-files -z packages addons | xargs -0 touch -d 2000-01-01");
for (const room of ["core", "mcp", "agent", "cli"])
  run(house, "cp", "-a", join("packages", room, "dist"), join(clone, "packages", room, "dist"));

for (const name of names) rmSync(join(clone, "addons", name), { recursive: true });
run(clone, "npm", "install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--silent");
run(clone, "npm", "run", "--silent", "build");
run(clone, process.execPath, "packages/cli/bin/holdfast.js", "read", "README.md");
run(clone, "npm", "run", "--silent", "law");
if (process.argv.includes("--whole")) run(clone, "npm", "test", "--", "packages/");
else {
  // Collecting them loads whatever they need.
  const found = run(clone, "npx", "vitest", "list", "--project", "all", "packages/");
  if (found.split("\n").length < 1_000) throw new Error("The tests of the house are not there.");
  run(
    clone,
    "npx",
    "vitest",
    "run",
    "--project",
    "all",
    "packages/cli/test/addons.test.ts",
    "packages/core/test/text",
  );
}
console.log(`## without ${names.join(", ")}`);

/** @param {string} cwd @param {string} program @param {readonly string[]} args */
function run(cwd, program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status === 0) return stdout;
  console.error(`${program} ${args.join(" ")} failed.\n${stdout}\n${stderr}`);
  process.exit(1);
}
