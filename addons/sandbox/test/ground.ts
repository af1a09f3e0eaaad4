import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Commands, commandEnvironment, LaterFiles, type SandboxOptions } from "@holdfast/agent/host";
import { isRefusal } from "@holdfast/core/files/values";
import { afterThisFile, afterThisTest } from "../../../test/cleanups.js";
import { folderOutsideTemp } from "../../../test/outside-temp.js";
import { openSandbox } from "../src/index.js";

/** A place for workspaces that lies in no temporary folder, and sessions in which commands run inside. */
export function sandboxGround() {
  const top = folderOutsideTemp();
  afterThisFile(() => rmSync(top, { recursive: true, force: true }));
  const at = (name: string) => join(top, name);
  for (const name of ["project", "other", "cache", "free", "state", "config"]) mkdirSync(at(name));
  const told: string[] = [];
  const options = (more: Partial<SandboxOptions> = {}): SandboxOptions => ({
    roots: [at("project")],
    later: new LaterFiles(more.roots ?? [at("project")]),
    writable: [at("free")],
    caches: [at("cache")],
    readOnly: [at("state"), at("config")],
    hidden: [at("config/keys.json")],
    sockets: [],
    network: true,
    stateDir: at("state"),
    home: top,
    path: process.env.PATH ?? "",
    told: (line) => told.push(line),
    ...more,
  });
  /** Its commands run inside, each to its end. @param own the environment outside. */
  const session = (more: Partial<SandboxOptions> = {}, root = at("project"), own = process.env) => {
    const later = new LaterFiles(more.roots ?? [root]);
    const sandbox = openSandbox(options({ roots: [root], later, ...more }));
    const environment = commandEnvironment({ own });
    const commands = new Commands({
      roots: [root],
      tempDir: at("state/tmp"),
      environment,
      sandbox,
      lasts: true,
    });
    afterThisTest(() => commands.close());
    const run = async (command: string, isReadOnly = false) => {
      await later.look();
      const started = commands.start(command, ".", false, { sandboxed: true, isReadOnly });
      if (isRefusal(started)) throw new Error(started.message);
      const end = await started.ended;
      return { ...end, printed: Buffer.from(started.log.shown().head).toString(), ...started.barred };
    };
    return { sandbox, later, commands, run };
  };
  const inside = (command: string, more: Partial<SandboxOptions> = {}, root = at("project")) =>
    session(more, root).run(command);
  const starts = async () => (await openSandbox(options()).fault()) === undefined;
  return { top, at, told, options, session, inside, starts };
}
