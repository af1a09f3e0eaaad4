import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/**
 * A PostgreSQL server of our own in a temporary folder, on a free port of the loopback, as it comes: nothing
 * of its configuration is changed. It is gone with the process that started it.
 *
 * @typedef {{ readonly url: string, stop(): Promise<void> }} Server
 */

/** Where Debian puts the programs, the newest version first; or wherever `initdb` is found. */
const bin = findPrograms();

/** @returns {string | undefined} what `postgres --version` says */
export function postgresVersion() {
  return bin === undefined
    ? undefined
    : execFileSync(join(bin, "postgres"), ["--version"], { encoding: "utf8" }).trim();
}

/** @returns {Promise<Server>} */
export async function startPostgres() {
  if (bin === undefined) throw new Error("There is no PostgreSQL here (Debian package postgresql).");
  const who = unprivileged();
  const home = mkdtempSync(join(tmpdir(), "holdfast-bench-postgres-"));
  chmodSync(home, 0o755);
  const data = join(home, "data");
  mkdirSync(data, { mode: 0o700 });
  if (who.uid !== undefined && who.gid !== undefined) {
    chownSync(home, who.uid, who.gid);
    chownSync(data, who.uid, who.gid);
  }
  const options = { ...who, cwd: home, stdio: /** @type {const} */ ("ignore") };
  const init = ["-D", data, "-U", "bench", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8"];
  execFileSync(join(bin, "initdb"), init, options);
  const port = await freePort();
  const args = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", home];
  const server = spawn(join(bin, "postgres"), args, options);
  const kill = () => void server.kill("SIGQUIT");
  process.once("exit", kill);
  const ended = new Promise((resolve) => server.once("exit", resolve));
  await untilReady(port);
  return {
    url: `postgresql://bench@127.0.0.1:${port}/postgres`,
    stop: async () => {
      server.kill("SIGINT");
      await ended;
      process.removeListener("exit", kill);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function findPrograms() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(debian, version, "bin"));
  const own = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" });
  if (own.status === 0) folders.push(own.stdout.trim());
  return folders.find((folder) => existsSync(join(folder, "initdb")));
}

/** The server refuses to run as root. @returns {{ readonly uid?: number, readonly gid?: number }} */
function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const idOf = (/** @type {string} */ flag) =>
    Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** @param {number} port */
async function untilReady(port) {
  const args = ["-h", "127.0.0.1", "-p", String(port), "-U", "bench", "-q"];
  for (let tries = 0; tries < 300; tries += 1) {
    if (spawnSync(join(bin ?? "", "pg_isready"), args).status === 0) return;
    await setTimeout(100);
  }
  throw new Error("The PostgreSQL server did not start within half a minute.");
}
