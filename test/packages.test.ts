import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hangMs } from "./until.js";

/**
 * The packages as strangers get them: packed, and installed from the packed files into a folder outside of
 * this checkout. It needs a build, and npm's registry or its cache for what the packages depend on.
 */
const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly workspaces?: readonly string[];
  readonly exports?: object;
  readonly sideEffects?: boolean;
}

const manifestOf = (folder: string): Manifest =>
  // Our own file, whose fields npm itself demands.
  JSON.parse(readFileSync(join(house, folder, "package.json"), "utf8")) as Manifest;
const workspaces = (manifestOf(".").workspaces ?? []).flatMap((folder) =>
  folder.endsWith("/*") && existsSync(join(house, dirname(folder)))
    ? readdirSync(join(house, dirname(folder))).map((name) => join(dirname(folder), name))
    : [folder].filter((one) => !one.endsWith("/*")),
);
const packages = workspaces.map(manifestOf);

let project = "";

beforeAll(() => {
  const top = mkdtempSync(join(tmpdir(), "holdfast-packed-"));
  project = join(top, "project");
  const tarballs = join(top, "tarballs");
  for (const folder of [project, tarballs]) mkdirSync(folder);
  writeFileSync(join(project, "package.json"), '{ "name": "stranger", "private": true, "type": "module" }');
  const folders = workspaces.map((folder) => `--workspace=${folder}`);
  const packed = run(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", tarballs, ...folders],
    house,
  );
  const files = packedFiles(packed.stdout).map((file) => join(tarballs, file));
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  run("npm", ["install", ...flags, ...files], project);
});

afterAll(() => rmSync(dirname(project), { recursive: true, force: true }));

/** The command alone, installed for a whole machine, once. */
function installedAlone(): string {
  const prefix = join(dirname(project), "alone");
  if (existsSync(prefix)) return prefix;
  const tarballs = join(dirname(project), "tarballs");
  const files = readdirSync(tarballs).filter((name) => name.includes("-cli-"));
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  run(
    "npm",
    ["install", "--global", "--prefix", prefix, ...flags, ...files.map((name) => join(tarballs, name))],
    project,
  );
  return prefix;
}

describe("packages that are installed from packed files", () => {
  it("are all of the workspaces, each as a folder of its own and no link", () => {
    for (const { name, version } of packages) {
      const installed = JSON.parse(readFileSync(join(project, "node_modules", name, "package.json"), "utf8"));
      expect(installed).toMatchObject({ name, version });
    }
  });

  it("give the command, which says its version", () => {
    const { stdout } = run("npx", ["--no-install", "holdfast", "--version"], project);
    expect(stdout.trim()).toBe(manifestOf("packages/cli").version);
  });

  it("give a command that is whole alone: charsets and attributes are there in a global installation", () => {
    const alone = installedAlone();
    expect(readdirSync(join(alone, "lib/node_modules/@holdfast"))).toEqual(["cli"]);
    const work = join(dirname(project), "work");
    mkdirSync(work);
    writeFileSync(join(work, "latin.txt"), Buffer.from("caf\xe9 au lait, na\xefve id\xe9e\n", "latin1"));
    const holdfast = (...args: readonly string[]) => run(join(alone, "bin/holdfast"), args, work).stdout;
    expect(holdfast("read", "latin.txt")).toContain("naïve idée");
    expect(holdfast("search", "lait")).toContain("café au lait");
    expect(holdfast("read", "latin.txt", "--encoding", "latin1")).toContain("café");
    expect(holdfast("doctor")).toMatch(/✓ native extension +loaded/);
    const toml = { HOME: join(work, "home") };
    mkdirSync(toml.HOME);
    expect(run(join(alone, "bin/holdfast"), ["setup", "codex", "--yes"], work, toml).stdout).toContain("mcp");
    expect(holdfast("section", "--help")).toContain("Usage");
    expect(holdfast("tour")).toContain("holdfast log");
  });

  it("install for a whole machine, where npx finds the command by its package's name, too", async () => {
    const prefix = installedAlone();
    const bin = join(prefix, "bin", "holdfast");
    expect(await initialize(project, [bin])).toMatchObject({
      id: 1,
      result: { serverInfo: { name: "holdfast" } },
    });
    const home = join(dirname(project), "home");
    mkdirSync(home);
    const set = run(bin, ["setup", "claude", "--yes"], project, { HOME: home });
    expect(set.stdout).toContain(
      realpathSync(join(prefix, "lib/node_modules/@holdfast/cli/bin/holdfast.js")),
    );
    const byName = await initialize(project, ["npx", "--no-install", "@holdfast/cli"]);
    expect(byName).toMatchObject({ id: 1, result: { serverInfo: { name: "holdfast" } } });
    expect(
      run("npx", ["--no-install", "holdfast", "setup", "claude", "--project"], project).stdout,
    ).toContain("npx");
  });

  it("give the server, which answers a client", async () => {
    const answer = await initialize(project);
    expect(answer).toMatchObject({ id: 1, result: { serverInfo: { name: "holdfast" } } });
  });

  it("give the library with types that compile under strict settings, checked themselves", () => {
    writeFileSync(join(project, "use.ts"), libraryUse);
    // The types of Node are a stranger's own; the compiler is ours. A library may have brought others along.
    mkdirSync(join(project, "node_modules/@types"), { recursive: true });
    for (const name of ["@types/node", "undici-types"]) {
      const place = join(project, "node_modules", name);
      rmSync(place, { recursive: true, force: true });
      symlinkSync(join(house, "node_modules", name), place);
    }
    const tsc = join(house, "node_modules/typescript/bin/tsc");
    const settings = [
      "--strict",
      "--exactOptionalPropertyTypes",
      "--module",
      "nodenext",
      "--target",
      "es2023",
    ];
    run(process.execPath, [tsc, ...settings, "--types", "node", "use.ts"], project);
    const { stdout } = run(process.execPath, ["use.js"], project);
    expect(stdout.trim()).toBe("applied");
  });

  it("answer require as well as import, and name their package.json", () => {
    const doors = Object.keys(manifestOf("packages/core").exports ?? {});
    expect(doors).toEqual(expect.arrayContaining([".", "./files", "./node", "./package.json"]));
    const code = `for (const door of ${JSON.stringify(doors)}) require("@holdfast/core" + door.slice(1));
      require("@holdfast/mcp"); require("@holdfast/agent/package.json");
      console.log(typeof require("@holdfast/core").Workspace);`;
    const { stdout } = run(process.execPath, ["--input-type=commonjs", "--eval", code], project);
    expect(stdout.trim()).toBe("function");
    expect(() =>
      run(process.execPath, ["--eval", 'require("@holdfast/core/files/change")'], project),
    ).toThrow("Package subpath './files/change' is not defined");
  });

  it("do nothing on import, so that a bundler may drop what is not used", () => {
    for (const folder of workspaces.filter((one) => one !== "packages/cli"))
      expect([folder, manifestOf(folder).sideEffects]).toEqual([folder, false]);
  });

  it("load in a CommonJS bundle, with their charsets", () => {
    const source = `import { openWorkspace } from "@holdfast/core/node";
      openWorkspace({ roots: ["."], stateDir: "../state" }).then(async (workspace) => {
        const read = await workspace.read({ path: "latin1.txt", encoding: "latin1" });
        console.log(read.kind, read.state.content, (await workspace.search({ pattern: "caf" })).kind);
        await workspace.close();
      });`;
    writeFileSync(join(project, "latin1.txt"), Buffer.from("caf\xe9\n", "latin1"));
    writeFileSync(join(project, "bundled.ts"), source);
    const outfile = join(project, "bundled.cjs");
    const external = ["fs-native-extensions"];
    const options = { entryPoints: [join(project, "bundled.ts")], outfile, external, absWorkingDir: project };
    buildSync({ ...options, bundle: true, format: "cjs", platform: "node", logLevel: "error" });
    const { stdout } = run(process.execPath, [outfile], project);
    expect(stdout).toContain("café");
  });

  it("give an adapter, which imports no framework that is not there", () => {
    const code =
      'import { holdfastTools } from "@holdfast/adapters/ai-sdk"; console.log(typeof holdfastTools);';
    const { stdout } = run(process.execPath, ["--input-type=module", "--eval", code], project);
    expect(stdout.trim()).toBe("function");
  });
});

const libraryUse = `
import { type WriteOutcome } from "@holdfast/core";
import { openWorkspace } from "@holdfast/core/node";
import { type McpOptions, serveMcp } from "@holdfast/mcp";
import { holdfastTools } from "@holdfast/adapters/ai-sdk";

const workspace = await openWorkspace({ roots: ["."], stateDir: "../state" });
if (workspace.kind === "refusal") throw new Error(workspace.message);
const options: McpOptions = { workspace };
const outcome: WriteOutcome = await workspace.write({ path: "made.txt", content: "made\\n" });
console.log(outcome.code);
void [options, serveMcp, holdfastTools(workspace)];
await workspace.close();
`;

/** Runs a program to its end; throws what it printed where it fails. */
function run(
  program: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
) {
  const env = { ...process.env, ...more, XDG_STATE_HOME: join(dirname(project), "state") };
  const ran = spawnSync(program, args, { cwd, env, encoding: "utf8", timeout: 2 * hangMs });
  if (ran.status !== 0) throw new Error(`${program} ${args.join(" ")}\n${ran.stdout}\n${ran.stderr}`);
  return ran;
}

/** npm prints a list, or of late an object by name; each entry has the name of its file. */
function packedFiles(json: string): readonly string[] {
  const printed: unknown = JSON.parse(json);
  return Object.values(Object(printed)).map((entry) => String(Object(entry).filename));
}

/** The first answer of `holdfast mcp` to a client that introduces itself. */
async function initialize(
  cwd: string,
  [program = "", ...args]: readonly string[] = [join(cwd, "node_modules/.bin/holdfast")],
): Promise<unknown> {
  const server = spawn(program, [...args, "mcp", "--root", cwd, "--state-dir", join(dirname(cwd), "state")], {
    cwd,
  });
  const clientInfo = { name: "stranger", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  let printed = "";
  for await (const chunk of server.stdout) {
    printed += String(chunk);
    if (printed.includes("\n")) break;
  }
  server.stdin.end();
  return JSON.parse(printed.split("\n")[0] ?? "");
}
