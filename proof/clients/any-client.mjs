import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { built, installPeers } from "../machine.mjs";

/**
 * A real client that runs headless against a scripted model, so that one script can be told to all of them.
 *
 * @typedef {{ readonly text: string } | { readonly call: string, readonly args: Readonly<Record<string, unknown>> }} Part
 *   what the model says
 * @typedef {{ readonly project: string, readonly home: string }} Ground the folders of one run
 * @typedef {{ readonly kind: "installed", readonly program: string } | { readonly kind: "missing", readonly reason: string }} Installed
 * @typedef {{ readonly file: string, readonly args: readonly string[], readonly env: Readonly<Record<string, string>> }} Launch
 * @typedef {{ readonly name: string, readonly description: string, readonly text: string }} Offered a tool, and all of it as JSON
 * @typedef {{ readonly url: string, readonly requests: readonly any[], readonly faults: readonly unknown[],
 *   readonly received: readonly string[], close(): Promise<void> }} Model `received`: the body of every request
 * @typedef {(request: any) => Usage} Meter what a provider would count for a request that the model answers
 * @typedef {{ readonly total: number, readonly cached: number, readonly written: number }} Usage tokens of the prompt, of it
 *   those that were found in a cache and written to one
 * @typedef {object} OwnTools its own tools of files and commands; `project` is where it was started
 * @property {(file: string, lines?: { readonly from: number, readonly to: number, readonly count: number }) => Part} read
 * @property {(file: string, old: string, next: string) => Part} edit
 * @property {(file: string, content: string) => Part} write
 * @property {(command: string) => Part} shell
 * @property {(file: string) => Part} [image] where no read shows one
 * @property {Part} [search] how its model finds the tools of a server that are not in front of it
 * @typedef {object} Client
 * @property {string} title
 * @property {string} version
 * @property {string} [setup] what `holdfast setup` calls it
 * @property {() => Installed} install
 * @property {(turns: readonly ((request: any) => readonly Part[])[], meter?: Meter) => Promise<Model>} startModel
 * @property {(ground: Ground, url: string) => void} [settle] what a person's own settings would say: who the model is, no telemetry
 * @property {(program: string, ground: Ground, url: string) => Launch} launch
 * @property {(project: string) => OwnTools} [own]
 * @property {(calls: readonly Part[]) => readonly Part[]} [phrase] how its model says several calls, where not one by one
 * @property {(server: string, tool: string) => string} toolName how a model calls a tool of a server
 * @property {(request: any) => readonly string[]} answers of tools since the model last spoke, as the model sees them
 * @property {(request: any) => readonly Offered[]} offered the tools that come with a request
 *
 * @typedef {{ readonly exit: number | null, readonly complaint: string, readonly faults: readonly unknown[],
 *   readonly requests: readonly any[], readonly received: readonly string[],
 *   again(args: readonly string[]): Promise<{ readonly exit: number | null, readonly complaint: string }>,
 *   bytes(name: string): Buffer | undefined }} Told `again`: the same program once more, with other arguments
 */

/**
 * One run of a client in a fresh project, with a home of its own.
 *
 * @template Result
 * @param {Client} client
 * @param {{ readonly program: string, readonly files: Readonly<Record<string, string | Uint8Array>>,
 *   prepare?(ground: Ground): void, turns(project: string): readonly ((request: any) => readonly Part[])[],
 *   readonly meter?: Meter, readonly mostMs?: number }} session `mostMs`: a bound for a run that hangs
 * @param {(told: Told) => Result | Promise<Result>} look at the project, before it is removed
 * @returns {Promise<Result>}
 */
export async function runClient(client, { program, files, prepare, turns, meter, mostMs = 90_000 }, look) {
  const top = mkdtempSync(join(tmpdir(), "holdfast-client-"));
  const ground = { project: join(top, "project"), home: join(top, "home") };
  for (const folder of [ground.project, join(ground.home, "tmp")]) mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeInto(ground.project, name, content);
  const model = await client.startModel(turns(ground.project), meter);
  try {
    client.settle?.(ground, model.url);
    prepare?.(ground);
    const how = client.launch(program, ground, model.url);
    const ended = await launch(how, ground, mostMs);
    const again = (/** @type {readonly string[]} */ args) => launch({ ...how, args }, ground, mostMs);
    const { requests, faults, received } = model;
    const bytes = (/** @type {string} */ name) => {
      const path = join(ground.project, name);
      return existsSync(path) ? readFileSync(path) : undefined;
    };
    return await look({ ...ended, again, requests, faults, received, bytes });
  } finally {
    await model.close();
    await removed(top);
  }
}

/** A client may leave a program that still writes into its home for a while. @param {string} top */
async function removed(top) {
  for (let left = 100; ; left--) {
    try {
      return rmSync(top, { recursive: true, force: true });
    } catch (error) {
      if (left === 0) throw error;
    }
    await pause(100);
  }
}

/**
 * Sets the client up as a person would.
 *
 * @param {Client} client @param {Ground} ground @param {readonly string[]} [flags] of `holdfast setup`
 */
export function setUp({ setup = "" }, { project, home }, flags = []) {
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const isChosen = flags.some((flag) => /^--(guard|tools)/.test(flag));
  const args = [built.cli, "setup", setup, "--yes", ...(isChosen ? [] : ["--tools-only"]), ...flags];
  const run = spawnSync(process.execPath, args, { cwd: project, env, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the setup failed: ${run.stderr}`);
}

/** The same client, started with other arguments. @param {Client} client @param {(args: readonly string[]) => readonly string[]} change @returns {Client} */
export function relaunched(client, change) {
  return {
    ...client,
    launch: (...ground) => {
      const { args, ...how } = client.launch(...ground);
      return { ...how, args: change(args) };
    },
  };
}

/** A call, as a model says it. @param {string} call @param {Readonly<Record<string, unknown>>} args @returns {Part} */
export function called(call, args) {
  return { call, args };
}

/**
 * Installs a client from npm. @param {string} name of its folder @param {string} packed @param {string} version
 * @param {readonly string[]} path of its program below `node_modules` @returns {Installed}
 */
export function installClient(name, packed, version, path) {
  const installed = installPeers(name, { [packed]: version });
  if (installed.kind === "missing") return installed;
  const program = join(installed.folder, "node_modules", ...path);
  return existsSync(program)
    ? { kind: "installed", program }
    : { kind: "missing", reason: `no program for ${platform}` };
}

/** As packages name it. */
export const platform = `${process.platform}-${process.arch}`;

/** @param {readonly any[]} tools @returns {readonly Offered[]} */
export function offeredOf(tools) {
  return tools.map((tool) => ({
    name: tool.name ?? tool.type,
    description: tool.description ?? "",
    text: JSON.stringify(tool),
  }));
}

/** @param {string} folder @param {string} name @param {string | Uint8Array} content */
export function writeInto(folder, name, content) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}

/** @param {Launch} how @param {Ground} ground @param {number} mostMs @returns {Promise<{ exit: number | null, complaint: string }>} */
function launch({ file, args, env }, { project, home }, mostMs) {
  const child = spawn(file, args, {
    cwd: project,
    env: { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: join(home, "tmp"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: mostMs,
  });
  let complaint = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      complaint += part;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve({ exit, complaint }));
  });
}
