import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { wires } from "../../../agent/test/loopback/index.js";
import { Project, runHoldfast, sha256 } from "../process.js";
import { provided } from "./provided.js";

/** One row of "Bad input": what a model calls, and how a run with it ends. */
interface Row {
  readonly name: string;
  readonly script: readonly object[];
  readonly code: number;
  /** Words that stand in the stream of events, or on standard error. */
  readonly says: string;
  readonly settings?: object;
}

const done = { text: "Done." };
const call = (name: string, args: object, callId?: string) => ({ name, args, ...(callId && { callId }) });
const shell = (command: string) => ({ calls: [call("run_shell_command", { command })] });
const write = (path: string, content: string, callId?: string) => ({
  ...call("write_file", {}, callId),
  args: { file_path: path, content },
});
const failing = { calls: [call("read_file", { file_path: "nowhere.txt" })] };
const server = (program: string, times: object = {}) => ({
  mcpServers: { bad: { command: process.execPath, args: ["-e", program], ...times } },
});

/** Has a tool, and does this when it is called. */
const serverThat = (whenCalled: string) => `
const answer=(id,result)=>console.log(JSON.stringify({jsonrpc:"2.0",id,result}));
require("readline").createInterface({input:process.stdin}).on("line",line=>{
  const {id,method,params}=JSON.parse(line);
  if(method==="initialize")answer(id,{protocolVersion:params.protocolVersion,capabilities:{tools:{}},serverInfo:{name:"s",version:"1"}});
  if(method==="tools/list")answer(id,{tools:[{name:"die",inputSchema:{type:"object"}}]});
  if(method==="tools/call"){${whenCalled}}
});`;

const rows: readonly Row[] = [
  { name: "an unknown tool", script: [{ calls: [call("rm_rf", {})] }, done], code: 0, says: "rm_rf" },
  {
    name: "arguments of the wrong type",
    script: [{ calls: [call("read_file", { file_path: 7 })] }, done],
    code: 0,
    says: "file_path",
  },
  {
    name: "calls with the same id",
    script: [{ calls: [write("a.txt", "a\n", "same"), write("b.txt", "b\n", "same")] }, done],
    code: 1,
    says: "A call same is open already",
  },
  {
    name: "the same failing call again and again",
    script: Array(30).fill(failing),
    code: 53,
    says: "nowhere.txt",
  },
  {
    name: "output of 100 MB",
    script: [shell("head -c 100000000 /dev/zero | tr '\\0' x"), done],
    code: 0,
    says: "Exit code 0 after",
  },
  { name: "a tool that is killed", script: [shell("kill -9 $$"), done], code: 0, says: "SIGKILL" },
  {
    name: "an MCP server that dies at its start",
    script: [done],
    code: 0,
    says: "MCP server bad cannot be used",
    settings: server("process.exit(3)"),
  },
  {
    name: "an MCP server that dies in a call",
    script: [{ calls: [call("bad__die", {})] }, done],
    code: 0,
    says: "The MCP server bad ended",
    settings: server(serverThat("process.exit(1)")),
  },
  {
    name: "an MCP server that never starts",
    script: [done],
    code: 0,
    says: "MCP server bad cannot be used: it did not answer within 0.5 s",
    settings: server("setInterval(() => {}, 1000)", { startTimeoutMs: 500 }),
  },
  {
    name: "an MCP server that hangs in a call",
    script: [{ calls: [call("bad__die", {})] }, done],
    // A call that was not done is no success.
    code: 64,
    says: "The MCP server bad did not answer within 0.5 s",
    settings: server(serverThat(""), { timeoutMs: 500 }),
  },
];

it.each(rows)("$name: ends with $code, and the tree is valid", { timeout: 30_000 }, async (row) => {
  const project = new Project({ "kept.txt": "kept\n" });
  const home = new Project({
    "settings.jsonc": JSON.stringify(row.settings ?? {}),
    "script.json": JSON.stringify([{ calls: [write("first.txt", "first\n", "first")] }, ...row.script]),
  });
  const env = { HOLDFAST_HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
  const args = ["-p", "Go.", "--approval-mode", "yolo", "-o", "stream-json", "--session-id", "bad"];
  const surroundings = { cwd: project.folder, env };
  const ran = await runHoldfast([...args, "--script", join(home.folder, "script.json")], surroundings);
  expect(ran.stdout + ran.stderr).toContain(row.says);
  expect(ran.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(ran.code, ran.stderr).toBe(row.code);
  expect(project.text("first.txt")).toBe("first\n");
  expect(existsSync(join(project.folder, "kept.txt"))).toBe(true);
  const verified = await runHoldfast(["sessions", "verify", "bad"], surroundings);
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
});

describe("a key that the provider does not take", () => {
  it.each(wires)("is told in plain words by $name, with an exit code and a valid tree", async (wire) => {
    const { run, server, project } = await provided(wire, [{ text: "Never said." }], { "a.txt": "a\n" });
    const wrong = { LOOPBACK_KEY: "sk-wrong-12345" };
    for (const [form, code] of [
      ["text", 41],
      ["json", 41],
      ["stream-json", 41],
    ] as const) {
      const ran = await run(["-p", "Go.", "-o", form, "--session-id", `wrong-${form}`], "", wrong);
      expect(ran.code, ran.stdout + ran.stderr).toBe(code);
      expect(ran.stdout + ran.stderr).toContain("LOOPBACK_KEY");
      expect(ran.stdout + ran.stderr).not.toContain(wrong.LOOPBACK_KEY);
      expect(ran.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
      const verified = await run(["sessions", "verify", `wrong-${form}`]);
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    }
    expect(server.left).toBe(1);
    expect(project.text("a.txt")).toBe("a\n");
    const again = await run(["-r", "wrong-text", "-p", "Go on."]);
    expect(again, again.stderr).toMatchObject({ code: 0, stdout: "Never said.\n" });
  });
});

/** Texts that no compression makes small, 96 kB each. */
const filling = Array.from({ length: 12 }, (_, file) => {
  const lines = Array.from({ length: 1_500 }, (__, line) => sha256(`${file}.${line}`));
  return { calls: [write(`${file}.txt`, lines.join("\n"))] };
});

describe.runIf(process.getuid?.() === 0)("a disk that fills up in the middle of a turn", () => {
  it.each([
    // The state folder: what cannot be kept is not begun, and the turn ends.
    ["the state folder's", "home", 1, "the disk is full"],
    // The project's: the model is told, call by call, and the run is not green.
    ["the project's", "project", 64, "no space is left on the disk; nothing was changed"],
  ] as const)(
    "%s: is told, nothing is lost, and it goes on when there is room",
    async (_, full, code, says) => {
      const [project, home] = [new Project(), new Project()];
      const scripts = new Project({
        "full.json": JSON.stringify([...filling, done]),
        "again.json": JSON.stringify([{ calls: [write("again.txt", "again\n")] }, done]),
      });
      const disk = { project, home }[full].folder;
      const mount = (...options: readonly string[]) => execFileSync("mount", [...options, disk]);
      mount("-t", "tmpfs", "-o", "size=640k,mode=700", "tmpfs");
      try {
        const env = { HOLDFAST_HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
        const run = (args: readonly string[], script: string) =>
          runHoldfast(
            ["-p", "Go.", "--approval-mode", "yolo", "--script", join(scripts.folder, script), ...args],
            { cwd: project.folder, env },
          );
        const ran = await run(["-o", "stream-json", "--session-id", "full"], "full.json");
        expect(ran.stdout + ran.stderr).toContain(says);
        expect(ran.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
        expect(ran.code, ran.stderr).toBe(code);
        const texts = filling.flatMap(({ calls: [made] }) => (made === undefined ? [] : [made.args]));
        const kept = texts.filter(({ file_path: name }) => project.has(name));
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.length).toBeLessThan(texts.length);
        for (const { file_path: name, content } of kept) expect(project.text(name)).toBe(content);
        mount("-o", "remount,size=8m");
        const again = await run(["-c"], "again.json");
        expect(again, again.stderr).toMatchObject({ code: 0, stdout: "Done.\n" });
        expect(again.stderr).not.toContain("disk");
        expect(project.text("again.txt")).toBe("again\n");
        const verified = await runHoldfast(["sessions", "verify", "full"], { cwd: project.folder, env });
        expect(verified.code, verified.stdout + verified.stderr).toBe(0);
      } finally {
        execFileSync("umount", [disk]);
      }
    },
    30_000,
  );
});
