import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endProcess } from "../../../../../test/end-process.js";
import { hangMs } from "../../support.js";
import { builtRoom, fixture, freshFolder, textAt } from "../support.js";

let root: string;
let stateDir: string;
let children: ChildProcess[] = [];

beforeEach(() => {
  const top = realpathSync(freshFolder());
  root = join(top, "root");
  stateDir = join(top, "state");
  mkdirSync(root);
});
afterEach(async () => {
  await Promise.all(children.map(endProcess));
  children = [];
});

function start(name: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [fixture(name), builtRoom(), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  return child;
}

it(
  "three processes that write in place under three names of one file lose nothing",
  async () => {
    const names = ["f", "g", "h"];
    writeFileSync(join(root, "f"), "");
    for (const name of names.slice(1)) linkSync(join(root, "f"), join(root, name));
    const each = 20;
    const writers = names.map((name) => start("two-names.mjs", root, stateDir, name, String(each)));
    await Promise.all(writers.map((writer) => once(writer, "close")));
    const lines = textAt(join(root, "f")).trimEnd().split("\n");
    const wanted = names.flatMap((name) => Array.from({ length: each }, (_, at) => `${name} ${at}`));
    expect(lines.sort()).toEqual(wanted.sort());
  },
  hangMs,
);

describe("a process that cannot tell whether the holder of a lock lives takes it for alive", () => {
  /** Holds the lock in another process, and asks for it from one that was started in this way. */
  async function askWhileHeld(program: string, command: string) {
    await once(start("hold.mjs", stateDir, "/some/file").stdout!, "data");
    const args = [process.execPath, fixture("few-descriptors.mjs"), builtRoom(), stateDir, "/some/file", ""];
    const script = ["-c", `${command} && exec "$@"`, "bash", ...args];
    const how = program === "bash" ? script : ["--mount", "bash", ...script];
    return spawnSync(program, how, { encoding: "utf8" }).stdout;
  }

  it("when no descriptor is left", async () => {
    expect(await askWhileHeld("bash", "ulimit -n 64")).toBe("busy\n");
  });

  it("when there is no /proc", async ({ skip }) => {
    const hide = "mount -t tmpfs none /proc";
    if (spawnSync("unshare", ["--mount", "bash", "-c", hide]).status !== 0)
      return skip("needs root and unshare");
    expect(await askWhileHeld("unshare", hide)).toBe("busy\n");
  });
});
