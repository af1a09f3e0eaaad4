import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type Addons, absentAddon } from "../src/addons.js";
import { program } from "./process.js";

/** The command as it is built where the folder `addons` is empty. */
const house = mkdtempSync(join(tmpdir(), "holdfast-house-"));
cpSync(join(dirname(program), ".."), house, { recursive: true });
const bundle = join(house, "dist/bundle");
rmSync(bundle, { recursive: true });
const bundler = fileURLToPath(new URL("../../../scripts/bundle.mjs", import.meta.url));
execFileSync(process.execPath, [bundler, "--bare", "--outdir", bundle]);
const settings = join(house, ".config/holdfast");
mkdirSync(settings, { recursive: true });
afterAll(() => rmSync(house, { recursive: true, force: true }));

function run(args: readonly string[], input = "") {
  const env = { PATH: process.env.PATH ?? "", HOME: house, XDG_STATE_HOME: join(house, "state") };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(house, "bin/holdfast.js"), ...args], {
    cwd: house,
    env,
    input,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("a command without its add-on", () => {
  it.each([
    ["hosts", ["setup", "claude"]],
    ["hosts", ["guard"]],
    ["hosts", ["mcp", "--compat", "filesystem"]],
    ["importers", ["sessions", "import"]],
    ["page", ["view"]],
    ["tour", ["tour"]],
    ["postgres", ["sessions", "list", "--store", "postgres://127.0.0.1/none"]],
  ] as const)("says in one sentence that %s is missing: %j", (name: keyof Addons, args) => {
    const { status, stderr } = run(args);
    expect(stderr).toContain(absentAddon(name));
    expect(status).toBe(2);
  });

  it.runIf(process.platform === "linux")("says so to a person who would talk in a terminal", () => {
    const agent = `${process.execPath} ${join(house, "bin/holdfast.js")} agent`;
    const seen = spawnSync("script", ["-qec", agent, "/dev/null"], { cwd: house, encoding: "utf8" });
    expect(seen.stdout).toContain(absentAddon("screen"));
    expect(seen.status).toBe(2);
  });

  it("says of each MCP server that the settings name that nobody speaks to it", () => {
    const mcpServers = { notes: { command: "no-such-program" } };
    writeFileSync(join(settings, "settings.jsonc"), JSON.stringify({ mcpServers }));
    const said = run(["doctor"])
      .stdout.split("\n")
      .find((line) => line.includes("MCP server notes"));
    expect(said).toContain(absentAddon("mcp-client"));
  });

  it("says that commands run outside of a sandbox, or not at all where one is asked for", () => {
    const script = join(house, "commands.json");
    const calls = [{ name: "run_shell_command", args: { command: "echo it ran" } }];
    writeFileSync(script, JSON.stringify([{ calls }, { text: "Done." }]));
    const args = ["-p", "Go.", "--root", ".", "--script", script, "--approval-mode", "yolo"];
    const said = (when: string) => run([...args, "-o", "stream-json", "--sandbox", when]);
    const [auto, off, on] = ["auto", "off", "on"].map(said);
    expect(auto?.stderr).toContain(`none starts here: ${absentAddon("sandbox")}`);
    expect(off?.stderr).not.toContain("sandbox");
    for (const { stdout } of [auto, off].filter((one) => one !== undefined))
      expect(stdout).toContain("it ran\\n");
    expect(on?.stdout).toContain("in a sandbox only, and none starts: this build has no add-on");
    expect(on?.stdout).not.toContain("it ran\\n");
  });

  it("says that no page is fetched where the settings allow hosts", () => {
    const script = join(house, "script.json");
    writeFileSync(script, JSON.stringify([{ text: "Done." }]));
    writeFileSync(
      join(settings, "settings.jsonc"),
      JSON.stringify({ fetch: { allowedHosts: ["localhost"] } }),
    );
    const { stderr } = run(["-p", "Read @http://localhost/x", "--root", ".", "--script", script]);
    for (const begin of ["fetch.allowedHosts:", "@http://localhost/x:"])
      expect(stderr).toContain(`${begin} ${absentAddon("web")}`);
  });

  it("does all else, and says what a session of another program needs", () => {
    const foreign = '{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"hi"}}\n';
    expect(run(["sessions", "import", "-"], foreign).stderr).toContain(absentAddon("importers"));
    expect(run(["read", "bin/holdfast.js"]).status).toBe(0);
  });
});
