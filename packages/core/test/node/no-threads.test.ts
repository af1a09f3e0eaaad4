import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { isRoot } from "../../../../test/tools.js";

/** The limit does not bind root, so the process is another user's, which may read what root may. */
const [user, group] = [61_234, 61_234];
const asUser = ["--reuid", `${user}`, "--regid", `${group}`, "--clear-groups"];
const readsAll = ["--inh-caps", "+dac_override", "--ambient-caps", "+dac_override"];
const canTry = isRoot && spawnSync("setpriv", [...asUser, ...readsAll, "true"]).status === 0;

/** Asks once a line, of the build: threads are started from its files. */
const script = `
  import { createInterface } from "node:readline";
  const { openWorkspace } = await import(process.env.LIBRARY);
  const base = process.env.BASE;
  const workspace = await openWorkspace({ roots: [base + "/root"], stateDir: base + "/state", limits: { searchMs: 120_000, editMs: 120_000 } });
  await workspace.search({ pattern: "nothing", path: "small" });
  await workspace.updateSection({ sectionHeader: "# A", newContent: "first", path: "small/a.md" });
  console.log("ready");
  for await (const _ of createInterface(process.stdin)) {
    const searched = await workspace.search({ pattern: "(x+x+)+needle", path: "many" });
    const updated = await workspace.updateSection({ sectionHeader: "# A", newContent: "new", path: "large.md" });
    const words = updated.kind === "refusal" ? updated.message : "";
    console.log(JSON.stringify([searched.searchedFiles, searched.matches.length, updated.code, words]));
  }
  await workspace.close();
`;

test.skipIf(!canTry)(
  "where no thread can be had, a search goes on here and a large section is busy",
  async () => {
    const base = mkdtempSync(join(tmpdir(), "holdfast-test-"));
    onTestFinished(() => rmSync(base, { recursive: true }));
    for (const folder of ["root", "root/many", "root/small", "state"]) mkdirSync(join(base, folder));
    writeFileSync(join(base, "root/small/a.md"), "# A\n\none\n");
    writeFileSync(join(base, "root/large.md"), `# A\n\none\n\n# B\n\n${"two three four\n".repeat(20_000)}`);
    for (let at = 0; at < 400; at++)
      writeFileSync(
        join(base, `root/many/${at}.txt`),
        `${"x y z\n".repeat(8_000)}${at === 7 ? "xx needle xxneedle\n" : ""}`,
      );
    execFileSync("chown", ["-R", `${user}:${group}`, base]);
    chmodSync(base, 0o755);
    const library = new URL("../../dist/node/index.js", import.meta.url).href;
    const node = [process.execPath, "--input-type=module", "-e", script];
    const child = spawn("setpriv", [...asUser, ...readsAll, ...node], {
      env: { LIBRARY: library, BASE: base },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill());
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const next = async () => (await lines.next()).value as string;
    expect(await next()).toBe("ready");
    const ask = async () => {
      child.stdin.write("\n");
      return JSON.parse(await next());
    };
    const atMost = (count: string) =>
      execFileSync("setpriv", [...asUser, "prlimit", "--pid", `${child.pid}`, `--nproc=${count}`]);
    atMost("1:4096");
    const short = await ask();
    atMost("4096:4096");
    const enough = await ask();
    expect(short.slice(0, 3)).toEqual([400, 1, "busy"]);
    expect(short[3]).toContain("no more threads");
    expect(enough.slice(0, 3)).toEqual([400, 1, "applied"]);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  },
);
