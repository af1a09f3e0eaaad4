import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/**
 * A process of its own that holds all descriptors it may have but so many, asks, lets them go, and asks again. It runs
 * the build: how a failed load is remembered is up to Node.
 */
const script = `
  import { closeSync, openSync } from "node:fs";
  const { openWorkspace } = await import(process.env.LIBRARY);
  const [base, free] = [process.env.BASE, Number(process.env.FREE)];
  const workspace = await openWorkspace({ roots: [base + "/root"], stateDir: base + "/state" });
  const held = [];
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {}
  for (let at = 0; at < free; at++) closeSync(held.pop());
  const section = { sectionHeader: "# A", newContent: "new", path: "a.md" };
  const codes = async () => {
    const asked = [
      await workspace.search({ pattern: "one", path: "." }),
      await workspace.find({ glob: "*.md", path: "." }),
      await workspace.updateSection(section),
    ];
    return asked.map((outcome) => outcome.code ?? outcome.kind);
  };
  await workspace.read({ path: "a.md" });
  const short = await codes();
  for (const descriptor of held) closeSync(descriptor);
  console.log(JSON.stringify([short, await codes()]));
  await workspace.close();
`;

test.skipIf(process.platform === "win32").each([0, 6])(
  "with %i descriptors left, what has to be loaded first is busy, and done once there are more",
  (free) => {
    const base = mkdtempSync(join(tmpdir(), "holdfast-test-"));
    onTestFinished(() => rmSync(base, { recursive: true }));
    mkdirSync(join(base, "root"));
    writeFileSync(join(base, "root", "a.md"), "# A\n\none\n");
    const library = new URL("../../dist/node/index.js", import.meta.url).href;
    const { stdout, stderr } = spawnSync(
      "/bin/sh",
      ["-c", 'ulimit -n 200; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", script],
      { encoding: "utf8", env: { LIBRARY: library, BASE: base, FREE: String(free) } },
    );
    expect(stderr).toBe("");
    const [short, enough] = JSON.parse(stdout);
    expect(short).toEqual(["busy", "busy", "busy"]);
    expect(enough).toEqual(["searched", "found", "applied"]);
  },
);
