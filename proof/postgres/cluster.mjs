import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A PostgreSQL server of our own in a temporary folder, on a free port of the loopback address.
 *
 * @typedef {object} Cluster
 * @property {{ host: string, port: number, user: string, database: string }} connection
 * @property {string} data its folder
 * @property {() => Promise<void>} start again, on the same port and data
 * @property {(how: "fast" | "immediate") => Promise<void>} stop `immediate` is a crash: nothing is written
 *   down any more
 * @property {() => Promise<void>} dispose
 */

/** The folder of the server's programs; undefined where there is none (Debian's package `postgresql`). */
export function findServer() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian)
    ? readdirSync(debian).sort((one, other) => Number(other) - Number(one))
    : [];
  const onPath = (process.env.PATH ?? "").split(":");
  return [...versions.map((version) => join(debian, version, "bin")), ...onPath].find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

/**
 * @param {string} bin of `findServer`
 * @param {{ readonly isDurable?: boolean }} [options] `isDurable: false` never waits for the disk. What is committed
 *   then survives a crash of the server, but no power cut.
 * @returns {Promise<Cluster>}
 */
export async function startCluster(bin, { isDurable = true } = {}) {
  const home = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
  const data = join(home, "data");
  const identity = notRoot(home);
  run(join(bin, "initdb"), ["-D", data, "-U", "holdfast", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"], {
    cwd: home,
    ...identity,
  });
  const port = await freePort();
  appendFileSync(
    join(data, "postgresql.conf"),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nmax_connections = 120\n${isDurable ? "" : "fsync = off\nfull_page_writes = off\n"}`,
  );
  const cluster = new OwnCluster(bin, data, { ...identity, cwd: home }, port);
  await cluster.start();
  return cluster;
}

/** @implements {Cluster} */
class OwnCluster {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  server;

  /**
   * @param {string} bin
   * @param {string} data
   * @param {{ cwd: string, uid?: number, gid?: number }} place
   * @param {number} port
   */
  constructor(bin, data, place, port) {
    this.bin = bin;
    this.data = data;
    this.place = place;
    this.connection = { host: "127.0.0.1", port, user: "holdfast", database: "postgres" };
    /** A run that is cut short takes its server along. */
    this.atExit = () => void this.server?.kill("SIGQUIT");
    process.on("exit", this.atExit);
  }

  async start() {
    const server = spawn(join(this.bin, "postgres"), ["-D", this.data], { ...this.place, stdio: "ignore" });
    this.server = server;
    for (let tries = 0; tries < 300; tries += 1) {
      if (isReady(this.data)) return;
      if (server.exitCode !== null) break;
      await pause(100);
    }
    throw new Error("the PostgreSQL server did not start");
  }

  /** @param {"fast" | "immediate"} how */
  async stop(how) {
    const { server } = this;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const over = once(server, "exit");
    server.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await over;
  }

  async dispose() {
    await this.stop("immediate");
    process.off("exit", this.atExit);
    rmSync(dirname(this.data), { recursive: true, force: true });
  }
}

/** The last line of its status, once it answers (PostgreSQL, miscadmin.h). @param {string} data */
function isReady(data) {
  const path = join(data, "postmaster.pid");
  if (!existsSync(path)) return false;
  return readFileSync(path, "utf8").split("\n")[7]?.trim() === "ready";
}

/** The server refuses to run as root. @param {string} home is given to who it runs as */
function notRoot(home) {
  if (process.geteuid?.() !== 0) return {};
  const [uid, gid] = idsOf("postgres") ?? idsOf("nobody") ?? [65_534, 65_534];
  chownSync(home, uid, gid);
  return { uid, gid };
}

/** @param {string} user @returns {[number, number] | undefined} */
function idsOf(user) {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : [Number(uid), Number(gid)];
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** @param {string} program @param {readonly string[]} args @param {import("node:child_process").SpawnSyncOptions} options */
function run(program, args, options) {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8", ...options });
  if (status !== 0) throw new Error(`${program}: ${String(stderr)}`);
}
