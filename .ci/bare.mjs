#!/usr/bin/env node
/**
 * `bare.mjs COMMAND`: runs a line of a shell as a newcomer does on a fresh machine: with an empty home, and a PATH of links to
 * Node, npm, git and the base system alone (what Debian calls required). Of the environment it keeps what reaches a registry.
 * BARE_HOME and BARE_PREFIX name a home and a folder for global packages that outlive the line.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";

const { env } = process;
const place = mkdtempSync(join(tmpdir(), "bare-"));
const [bin, home] = [join(place, "bin"), env.BARE_HOME ?? join(place, "home")];
for (const folder of [bin, home]) mkdirSync(folder, { recursive: true });
for (const path of [...base(), ...["node", "npm", "npx", "git"].map(onPath)])
  if (!existsSync(join(bin, basename(path)))) symlinkSync(realpathSync(path), join(bin, basename(path)));

const reaching =
  /^(npm_config_(registry|cafile|.*proxy)|node_extra_ca_certs|ssl_cert_(file|dir)|(https?|no)_proxy)$/i;
const kept = Object.entries(env).filter(([name]) => reaching.test(name));
const prefix = env.BARE_PREFIX === undefined ? {} : { npm_config_prefix: env.BARE_PREFIX };
const path = [bin, ...(env.BARE_PREFIX === undefined ? [] : [join(env.BARE_PREFIX, "bin")])].join(delimiter);
const npmrc = env.NPM_CONFIG_USERCONFIG ?? env.npm_config_userconfig ?? join(homedir(), ".npmrc");
const { status } = spawnSync("/bin/sh", ["-c", process.argv.slice(2).join(" ")], {
  env: { ...Object.fromEntries(kept), ...prefix, PATH: path, HOME: home, npm_config_userconfig: npmrc },
  stdio: "inherit",
});
rmSync(place, { recursive: true, force: true });
process.exitCode = status ?? 1;

/** The programs of the base system. Some have names that only Debian's alternatives give them. */
function base() {
  const said = (program, ...args) => execFileSync(program, args, { encoding: "utf8" }).trim().split("\n");
  const packages = said("dpkg-query", "-W", "-f", `\${Priority} \${binary:Package}\n`);
  const required = packages.flatMap((line) => (line.startsWith("required ") ? [line.slice(9)] : []));
  const owned = said("dpkg", "-L", ...required).filter(
    (file) => /\/s?bin\/[^/]+$/.test(file) && existsSync(file),
  );
  const targets = new Set(owned.map((file) => realpathSync(file)));
  const here = ["/usr/sbin", "/usr/bin"].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  );
  return here.filter((file) => existsSync(file) && targets.has(realpathSync(file)));
}

function onPath(program) {
  const folders = (env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? "/nowhere";
}
