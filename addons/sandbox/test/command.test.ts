import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { LaterFiles } from "@holdfast/agent/host";
import { describe, expect, it } from "vitest";
import {
  call,
  done,
  resultsIn,
  type Scripted,
  scripted,
  shell,
} from "../../../packages/cli/test/agent/provided.js";
import { afterThisFile } from "../../../test/cleanups.js";
import { folderOutsideTemp } from "../../../test/outside-temp.js";
import { openSandbox } from "../src/index.js";

/** Beside the temporary folders, which every command may write. */
const outside = folderOutsideTemp();
afterThisFile(() => rmSync(outside, { recursive: true, force: true }));
const nothing = { roots: [], writable: [], caches: [], readOnly: [], hidden: [], sockets: [] };
const place = { stateDir: join(outside, "state"), home: outside, path: process.env.PATH ?? "" };
const sandbox = openSandbox({ ...nothing, ...place, later: new LaterFiles([]), network: true });
const isThere = (await sandbox.fault()) === undefined;

const writes = (name: string) => `echo x > ${join(outside, name)}; echo y > inside.txt`;
const yolo = ["--approval-mode", "yolo", "-o", "stream-json"];

async function ran({ run }: Scripted, args: readonly string[], env: Record<string, string> = {}) {
  const finished = await run(["-p", "Go.", ...args], { env: { HOLDFAST_SANDBOX: "auto", ...env } });
  return { ...finished, results: resultsIn(finished) };
}

describe.runIf(process.platform === "linux")("the sandbox of commands", () => {
  it("is on in yolo where it starts, for commands in the background as well, and says what barred a command", async () => {
    const later = shell(writes("later"), { background: true });
    const waits = { calls: [call("read_output", { id: "c2", until_end: true, wait_seconds: 20 })] };
    const at = scripted([shell(`${writes("now")}; exit 1`), later, waits, done]);
    const { results, stderr } = await ran(at, yolo);
    expect(at.project.text("inside.txt")).toBe("y\n");
    const written = ["now", "later"].map((name) => existsSync(join(outside, name)));
    expect(written).toEqual(isThere ? [false, false] : [true, true]);
    if (isThere)
      expect(results[0]?.output).toMatch(/needs to run outside\.\nCall it again with outside: true/u);
    else expect(stderr).toMatch(/Commands run outside a sandbox, because none starts here: /u);
  });

  it("is off where the settings or a flag say so", async () => {
    const at = scripted([shell(writes("off")), done]);
    await ran(at, [...yolo, "--sandbox", "off"]);
    expect(existsSync(join(outside, "off"))).toBe(true);
  });

  it("is said once to be missing, and commands run", async () => {
    const at = scripted([shell(writes("none")), shell(writes("none")), done]);
    const { code, stderr } = await ran(at, yolo, { PATH: "/nowhere" });
    expect([code, stderr.match(/outside a sandbox/gu)]).toEqual([0, ["outside a sandbox"]]);
    expect(stderr).toContain("Commands run outside a sandbox, because none starts here: bwrap is not there.");
  });

  it("keeps a command from running where it has to be on and is missing", async () => {
    const at = scripted([shell(writes("never")), done]);
    const { code, results } = await ran(at, [...yolo, "--sandbox", "on"], { PATH: "/nowhere" });
    expect(code).toBe(64);
    expect(results[0]).toMatchObject({ error: { type: "denied" } });
    expect(existsSync(join(outside, "never"))).toBe(false);
  });

  it("is what doctor looks at", async () => {
    const { bare } = scripted([]);
    const says = async (env = {}) =>
      (await bare.run(["doctor"], { env: { HOLDFAST_SANDBOX: "auto", ...env } })).stdout;
    expect(await says()).toMatch(
      isThere ? /sandbox +it starts: / : /sandbox +none starts, so commands run without/u,
    );
    expect(await says({ PATH: "/nowhere" })).toMatch(
      /! sandbox +none starts, so commands run without one: bwrap/u,
    );
    expect(await says({ PATH: "/nowhere", HOLDFAST_SANDBOX: "on" })).toMatch(
      /✗ sandbox +none starts, so no command/u,
    );
    expect(await says({ HOLDFAST_SANDBOX: "off" })).toMatch(/! sandbox +off: /u);
  });
});
