import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { bundle } from "../patch/engine.mjs";

/**
 * The servers that are compared, each started as its users start it, behind one client.
 *
 * @typedef {"holdfast" | "holdfast, fsync switched off under it" | "server-filesystem"} ServerName
 * @typedef {{ readonly cpuMs: number, readonly rssMiB: number, readonly peakMiB: number }} Cost
 * @typedef {{ readonly name: ServerName, readonly folder: string,
 *   call(tool: string, args: Record<string, unknown>): Promise<string>,
 *   cost(): Cost, close(): Promise<void> }} OpenServer
 */
const peerFolder = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/server-filesystem", import.meta.url),
);
const hasPeer = existsSync(peerFolder);

/** Of the peer, where it is installed. @type {string | undefined} */
export const peerVersion = hasPeer
  ? JSON.parse(readFileSync(join(peerFolder, "package.json"), "utf8")).version
  : undefined;
export const peerLibrary = hasPeer ? join(peerFolder, "dist", "lib.js") : undefined;

/** The library that makes fsync do nothing (Debian package eatmydata); never an option of ours. */
export const eatmydata = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
  .map((folder) => join(folder, "libeatmydata.so"))
  .find((path) => existsSync(path));

/** @type {readonly ServerName[]} */
export const serverNames = [
  "holdfast",
  ...(eatmydata === undefined ? [] : [/** @type {const} */ ("holdfast, fsync switched off under it")]),
  ...(hasPeer ? [/** @type {const} */ ("server-filesystem")] : []),
];

/** What a user's client would start. @param {ServerName} name @param {string} folder */
export function commandOf(name, folder) {
  if (name === "server-filesystem") return { args: [join(peerFolder, "dist", "index.js"), folder], env: {} };
  // A whole file in one answer, as the peers give it: the careful budget of an unknown client would cut it.
  const args = [
    bundle,
    "mcp",
    "--root",
    folder,
    "--state-dir",
    `${folder}-state`,
    "--answer-budget",
    "262144",
  ];
  return { args, env: name === "holdfast" ? {} : { LD_PRELOAD: eatmydata ?? "" } };
}

/** Starts one in a folder of its own. @param {ServerName} name @param {string} folder @returns {Promise<OpenServer>} */
export async function openServer(name, folder) {
  mkdirSync(folder, { recursive: true });
  const { args, env } = commandOf(name, folder);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: `${folder}-home`, ...env },
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  return {
    name,
    folder,
    call: async (tool, given) => {
      const result = await client.callTool({ name: tool, arguments: given });
      const [part] = result.content;
      if (part?.type !== "text" || result.isError === true) throw new Error(JSON.stringify(result));
      return part.text;
    },
    cost: () => costOf(pid),
    close: () => client.close(),
  };
}

/** CPU of all threads of a process so far (user and system), its memory now and at its highest. @param {number} pid @returns {Cost} */
export function costOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kiB = (/** @type {string} */ field) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN);
  // On-CPU time in nanoseconds; /proc/PID/stat counts in ticks of 10 ms.
  const spent = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  const cpuMs = spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
  return { cpuMs, rssMiB: kiB("VmRSS") / 1024, peakMiB: kiB("VmHWM") / 1024 };
}
