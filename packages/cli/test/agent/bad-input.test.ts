import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRoot } from "../../../../test/tools.js";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { isThere } from "../addon-there.js";
import { type Finished, sha256 } from "../process.js";
import { call, done, provided, type Scripted, scripted, shell, write } from "./provided.js";

const read = (path: unknown) => ({ calls: [call("read_file", { file_path: path })] });
const yolo = ["--approval-mode", "yolo"];

/** Says what is wrong in plain words, ends with this code, and the tree of the session is valid. */
async function check(
  { bare }: Scripted,
  ran: Finished,
  code: number,
  ...says: readonly string[]
): Promise<void> {
  for (const words of says) expect(ran.stdout + ran.stderr).toContain(words);
  expect(ran.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(ran.code, ran.stderr).toBe(code);
  const verified = await bare.run(["sessions", "verify", "bad"]);
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
}

const go = ["-p", "Go.", ...yolo, "-o", "stream-json", "--session-id", "bad"];
const server = (program: string, times: object = {}) => ({
  command: process.execPath,
  args: ["-e", program],
  ...times,
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

describe.skipIf(!isThere("mcp-client"))("what a model, a command or a server does wrong", () => {
  it("costs that call, and the turn goes on", async () => {
    const mcpServers = {
      dead: server("process.exit(3)"),
      late: server("setInterval(() => {}, 1000)", { startTimeoutMs: 500 }),
      dying: server(serverThat("process.exit(1)")),
    };
    const script = [
      { calls: [write("first.txt", "first\n")] },
      { calls: [call("rm_rf")] },
      read(7),
      shell("kill -9 $$"),
      { calls: [call("dying__die")] },
      done,
    ];
    const at = scripted(script, { settings: { mcpServers } });
    await check(
      at,
      await at.run(go),
      0,
      "MCP server dead cannot be used",
      "MCP server late cannot be used: it did not answer within 0.5 s",
      "rm_rf",
      "file_path",
      "SIGKILL",
      "The MCP server dying ended",
    );
    expect(at.project.text("first.txt")).toBe("first\n");
  });

  it("is named where a server has not answered within five seconds, and the turn goes on", async () => {
    const at = scripted([done], {
      settings: { mcpServers: { silent: server("setInterval(() => {}, 1000)") } },
    });
    const ran = await at.run(go);
    await check(at, ran, 0, "MCP server silent: It has not answered yet");
    // It was ended with the run: it did not fail.
    expect(ran.stdout + ran.stderr).not.toContain("cannot be used");
  });

  it.each<readonly [string, readonly object[], number, string, object]>([
    [
      "calls with the same id",
      [{ calls: ["a.txt", "b.txt"].map((name) => ({ ...write(name, name), callId: "same" })) }, done],
      1,
      "A call same is open already",
      {},
    ],
    ["the same failing call again and again", Array(30).fill(read("nowhere.txt")), 53, "nowhere.txt", {}],
    // A call that was not done is no success.
    [
      "a server that hangs in a call",
      [{ calls: [call("bad__die")] }, done],
      64,
      "The MCP server bad did not answer within 0.5 s",
      { mcpServers: { bad: server(serverThat(""), { timeoutMs: 500 }) } },
    ],
  ])("%s ends the run with its own exit code", async (_, script, code, says, settings) => {
    const at = scripted(script, { settings });
    await check(at, await at.run(go), code, says);
  });
});

/** Texts that no compression makes small, 96 kB each. */
const filling = Array.from({ length: 12 }, (_, file) => {
  const lines = Array.from({ length: 1_500 }, (__, line) => sha256(`${file}.${line}`));
  return write(`${file}.txt`, lines.join("\n"));
});

describe.runIf(isRoot)("a disk that gets full in the middle of a turn", () => {
  it.each([
    // What cannot be kept is not begun, and the turn ends.
    ["state folder", 1, "the disk is full"],
    // The model is told, call by call, and the run is not green.
    ["project", 64, "no space is left on the disk; nothing was changed"],
  ] as const)(
    "of the %s is told, nothing is lost, and it goes on when there is room",
    async (full, code, says) => {
      const at = scripted([...filling.map((one) => ({ calls: [one] })), done]);
      at.home.put("state/.keep", "");
      const disk = full === "project" ? at.project.folder : join(at.home.folder, "state");
      const mount = (...options: readonly string[]) => execFileSync("mount", [...options, disk]);
      mount("-t", "tmpfs", "-o", "size=640k,mode=700", "tmpfs");
      try {
        const ran = await at.run(go);
        expect(ran.stdout + ran.stderr).toContain(says);
        expect(ran.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
        expect(ran.code, ran.stderr).toBe(code);
        const texts = filling.map(
          ({ args }) => args as { readonly file_path: string; readonly content: string },
        );
        const kept = texts.filter(({ file_path: name }) => at.project.has(name));
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.length).toBeLessThan(texts.length);
        for (const { file_path: name, content } of kept) expect(at.project.text(name)).toBe(content);
        mount("-o", "remount,size=8m");
        at.play([{ calls: [write("again.txt", "again\n")] }, done]);
        const again = await at.run(["-p", "Go.", "-c", ...yolo]);
        expect(again.stderr).not.toContain("disk");
        await check(at, again, 0, "Done.\n");
        expect(at.project.text("again.txt")).toBe("again\n");
      } finally {
        execFileSync("umount", [disk]);
      }
    },
  );
});

describe("a file of a run", () => {
  const files = { "a.ts": "const one = 1;\n" };

  it("that cannot be written is refused before anything is sent", async () => {
    const ran = await scripted([]).run(["-p", "Go.", "--debug", "no/such/folder/debug.jsonl"]);
    expect(ran.code).toBe(52);
    expect(ran.stderr).toContain("holdfast: The file of --debug cannot be written: ENOENT");
  });

  it.runIf(existsSync("/dev/full"))("that gets full is told once, and the turn goes on", async () => {
    const { run } = await provided(anthropicWire, [read("a.ts"), done], files);
    const ran = await run(["-p", "Go.", "--debug", "/dev/full"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(ran.stderr.match(/\/dev\/full ends here, the run goes on: ENOSPC/g)).toHaveLength(1);
  });

  it.skipIf(process.platform === "win32")("that goes away is told once, and the turn goes on", async () => {
    const script = [shell("rm recording.jsonl && mkdir recording.jsonl"), read("a.ts"), done];
    const ran = await scripted(script, { files }).run(["-p", "Go.", "--record", "recording.jsonl", ...yolo]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(ran.stderr.match(/recording.jsonl ends here, the run goes on: EISDIR/g)).toHaveLength(1);
  });
});
