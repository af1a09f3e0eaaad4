import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { isThere } from "../addon-there.js";
import { call, done, linesOf, provided, scripted, shell } from "./provided.js";

const read = { calls: [call("read_file", { file_path: "a.ts" })] };
const change = (from: string) => {
  const edits = [{ old_string: from, new_string: "two" }];
  return { calls: [call("edit_file", { file_path: "a.ts", base_content_sha256: "{{sha256:a.ts}}", edits })] };
};
const edit = change("one");
const command = shell("echo ran > ran.txt");
const yolo = ["--approval-mode", "yolo"];
const files = { "a.ts": "const one = 1;\n" };

const opened = (
  script: readonly object[],
  settings: object = {},
  more: Readonly<Record<string, string>> = {},
) => scripted(script, { settings, files: { ...files, ...more } });

describe("the agent without a screen", () => {
  it("does what it is asked, and prints the last words alone", async () => {
    const { run, project } = opened([read, edit, command, { text: "Look." }]);
    const ran = await run(["-p", "Call it two", ...yolo, "--sandbox", "off"], { process: true });
    expect(ran).toMatchObject({ code: 0, stdout: "Look.\n", stderr: "" });
    expect([project.text("a.ts"), project.text("ran.txt")]).toEqual(["const two = 1;\n", "ran\n"]);
  });

  it("carries out no tool that the settings leave out, though the model calls it", async () => {
    const settings = { tools: { excluded: ["edit_file", "run_shell_command"] } };
    const { run, project } = opened([read, edit, command, done], settings);
    const ran = await run(["-p", "Call it two", ...yolo, "-o", "json"]);
    const failed = { calls: 1, failed: 1 };
    expect(JSON.parse(ran.stdout).tools).toMatchObject({ edit_file: failed, run_shell_command: failed });
    expect([project.text("a.ts"), project.has("ran.txt")]).toEqual(["const one = 1;\n", false]);
  });

  it("gives a task to a sub-agent, and offers none where the settings exclude tasks", async () => {
    const start = call("task_start", { name: "Rename", goal: "Call it two.", agent: {} });
    const end = { calls: [call("task_complete", { summary: "It is two." })] };
    const script = [{ calls: [start] }, read, edit, end, { text: "All done.", expects: ["It is two."] }];
    const { run, project } = opened(script);
    const ran = await run(["-p", "Let somebody rename it.", ...yolo, "-o", "stream-json"]);
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(project.text("a.ts")).toBe("const two = 1;\n");
    const nested = linesOf(ran).filter(
      ({ type, task_id: task }) => type === "tool_use" && task !== undefined,
    );
    expect(nested.map(({ tool_name: name }) => name)).toEqual(["read_file", "edit_file", "task_complete"]);
    const offered = ["-p", "/tools conversation"];
    expect((await run(offered)).stdout).toContain('"agent"');
    expect((await opened(script, { tools: { excluded: ["task_start"] } }).run(offered)).stdout).not.toContain(
      '"agent"',
    );
  });

  it("keeps the variable of a key from a command, whatever its name", async () => {
    const providers = { corp: { baseUrl: "http://127.0.0.1:1/v1", keyEnv: "CORP_LLM" } };
    const { run, project } = opened([shell("env > env.txt"), done], { model: { providers } });
    const env = { CORP_LLM: "sk-corp", CORP_OTHER: "seen" };
    expect((await run(["-p", "Print it", ...yolo], { env })).code).toBe(0);
    expect(project.text("env.txt")).toContain("CORP_OTHER=seen");
    expect(project.text("env.txt")).not.toContain("sk-corp");
  });

  it.skipIf(!isThere("mcp-client"))(
    "puts a resource of an MCP server before the model where @ names it",
    async () => {
      const server = `let t="";process.stdin.on("data",(d)=>{t+=d;for(let i;(i=t.indexOf("\\n"))>=0;){const m=JSON.parse(t.slice(0,i));t=t.slice(i+1);
      const answer=(result)=>console.log(JSON.stringify({jsonrpc:"2.0",id:m.id,result}));
      if(m.method==="initialize")answer({protocolVersion:m.params.protocolVersion,capabilities:{tools:{},resources:{}},serverInfo:{name:"s",version:"1"}});
      if(m.method==="tools/list")answer({tools:[]});
      if(m.method==="resources/read"){if(m.params.uri==="note://1:20")answer({contents:[{uri:m.params.uri,text:"Totals are in cents."}]});
        else console.log(JSON.stringify({jsonrpc:"2.0",id:m.id,error:{code:-32002,message:"no such note"}}));}}});`;
      const mcpServers = { notes: { command: process.execPath, args: ["-e", server] } };
      const script = [{ text: "In cents.", expects: ["@notes:note://1:20:", "Totals are in cents."] }];
      const { run } = opened(script, { mcpServers });
      const ran = await run(["-p", "Read @notes:note://1:20 and say, not @notes:note://2."]);
      expect(ran).toMatchObject({
        code: 0,
        stdout: "In cents.\n",
        stderr: expect.stringContaining("no such note"),
      });
    },
  );

  it("is never green for work that was not done", async () => {
    const { run, project } = opened([read, edit, command, done]);
    const ran = await run(["-p", "Call it two"]);
    expect(ran.code).toBe(64);
    expect(ran.stderr).toContain("Not done: edit_file (denied).");
    expect(ran.stderr).toContain("Not done: run_shell_command (denied).");
    expect([project.text("a.ts"), project.has("ran.txt")]).toEqual(["const one = 1;\n", false]);
    const twice = await opened([read, change("o"), done]).run(["-p", "x", ...yolo, "-o", "json"]);
    expect(twice.code).toBe(64);
    const undone = [{ name: "edit_file", code: "occurrence_mismatch" }];
    expect(JSON.parse(twice.stdout)).toMatchObject({ exit_code: 64, undone });
    expect((await opened([read, change("o"), edit, done]).run(["-p", "x", ...yolo])).code).toBe(0);
  });

  it("takes the prompt from standard input, before the one of the flag", async () => {
    const { run, play } = opened([{ ...done, expects: ["the diff\n\nReview this."] }]);
    expect(await run(["agent", "Review this."], { input: "the diff" })).toMatchObject({
      code: 0,
      stdout: "Done.\n",
    });
    play([{ ...done, expects: ["const one = 1;", "See @a.ts."] }]);
    expect(await run(["agent"], { input: "See @a.ts." })).toMatchObject({ code: 0, stdout: "Done.\n" });
    const message = "there is nothing to do: the prompt is empty.";
    expect(await run(["agent"], { input: "  " })).toMatchObject({
      code: 42,
      stderr: `holdfast: ${message}\n`,
    });
    for (const format of ["json", "stream-json"]) {
      const { code, stdout } = await run(["-p", " ", "-o", format]);
      expect([code, JSON.parse(stdout)]).toMatchObject([
        42,
        { status: "error", exit_code: 42, error: { message } },
      ]);
    }
  });

  it("takes what is piped in beside a prompt as words: neither a diff nor an @ in it names a file", async () => {
    const piped = "@@ -1 +1 @@\n-@a.ts\n+see @.env and @a.ts";
    const { run } = opened(
      [{ text: "Read.", expects: [`${piped}\n\nReview this with @a.ts.`] }],
      {},
      { ".env": "TOKEN=1\n" },
    );
    const ran = await run(["-p", "Review this with @a.ts."], { input: piped });
    expect(ran).toMatchObject({ code: 0, stdout: "Read.\n", stderr: "" });
    const shown = await run(["-c", "-p", "/history view", "-o", "json"]);
    expect(JSON.parse(shown.stdout).text.match(/file_content|a\.ts v/g) ?? []).not.toContain(".env");
    expect(shown.stdout).not.toContain("TOKEN=1");
  });

  it("puts what @ names before the model, and tells what is nowhere", async () => {
    const { run } = opened([{ ...done, expects: ["const one = 1;", "What is @a.ts and @gone.ts?"] }]);
    const ran = await run(["-p", "What is @a.ts and @gone.ts?"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Done.\n", stderr: expect.stringContaining("@gone.ts: ") });
    expect(ran.stderr).not.toContain("@a.ts: ");
  });

  it("goes on with the last session of the folder, forks it, and keeps none where it is told so", async () => {
    const { run, play, bare } = opened([]);
    const said = async (answer: object, ...args: readonly string[]) => {
      play([answer]);
      return JSON.parse((await run([...args, "-o", "json"])).stdout);
    };
    const first = await said({ text: "First." }, "-p", "One.");
    const second = await said({ text: "Second.", expects: ["First."] }, "-p", "Two.", "-c");
    expect(second).toMatchObject({ session_id: first.session_id, response: "Second." });
    const third = { text: "Third.", expects: ["Second."] };
    const forked = await said(third, "-p", "Three.", "-r", first.session_id, "--fork");
    expect(forked.response).toBe("Third.");
    expect(forked.session_id).not.toBe(first.session_id);
    const alone = await said({ text: "Alone." }, "-p", "Four.", "--ephemeral");
    const listed = await bare.run(["sessions", "list", "--json"]);
    expect(listed.stdout).toContain(forked.session_id);
    expect(listed.stdout).not.toContain(alone.session_id);
    expect((await said(done, "-p", "Five.", "--session-id", "my-own")).session_id).toBe("my-own");
  });

  it("says what is wrong with settings, all at once, and does nothing", async () => {
    const wrong = '{\n  "modell": {},\n  "approval": { "mode": "mad" }\n}\n';
    const at = opened([done]);
    at.home.put("settings.jsonc", wrong);
    const { code, stderr } = await at.run(["-p", "Go."]);
    expect(code).toBe(52);
    for (const line of ["settings.jsonc:2:", "settings.jsonc:3:"]) expect(stderr).toContain(line);
    const context = { compactAtTokens: 1_000, triggerTokens: 5_000 };
    const refused = await opened([done], { context }).run(["-p", "Go."]);
    expect(refused.code).toBe(52);
    expect(refused.stderr).toContain("context.compactAtTokens (1000) is below the trigger");
  });

  it("lets a project that is not trusted widen nothing, and says so", async () => {
    const mcpServers = { x: { command: "touch", args: ["started"] } };
    const settings = JSON.stringify({ approval: { mode: "yolo" }, mcpServers });
    const { run, project } = opened([command, done], {}, { ".holdfast/settings.jsonc": settings });
    const ran = await run(["-p", "Go."]);
    expect(ran.code).toBe(64);
    for (const words of ["Of it do not count: approval.mode, mcpServers."])
      expect(ran.stderr).toContain(words);
    expect([project.has("ran.txt"), project.has("started")]).toEqual([false, false]);
  });

  it.each<readonly [readonly string[], number, string]>([
    [["--fork"], 2, "--fork goes with"],
    [["--ephemeral", "-c"], 2, "--ephemeral"],
    [["-r", "nobody"], 42, "unknown_session"],
    [["-c"], 42, "unknown_session"],
    [["--max-cost", "1"], 2, "prices"],
    [["--max-cost", "none"], 2, "amount"],
    [["--mcp-config", "none.json"], 52, "none.json"],
  ])("%j ends with %i", async (args, code, words) => {
    const ran = await opened([done]).run(["-p", "x", ...args]);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(words) });
  });

  it.each<readonly [string, number, string]>([
    ["claude-opus-5", 41, "ANTHROPIC_API_KEY"],
    ["nobody", 52, "There is no model"],
  ])("without a model, --model %s ends with %i", async (name, code, words) => {
    const ran = await opened([]).bare.run(["-p", "x", "--model", name]);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(words) });
  });
});

describe("the agent and a provider", () => {
  it("refuses an effort that the model does not take, and sends what it takes", async () => {
    const { run, server } = await provided(anthropicWire, [done], {});
    const bare = opened([]).bare;
    const env = { OPENAI_API_KEY: "sk-none" };
    const none = await bare.run(["-p", "x", "--model", "gpt-4o", "--effort", "max"], { env });
    expect(none).toMatchObject({ code: 52, stderr: expect.stringContaining("for this effort: off") });
    expect(await run(["-p", "x", "--effort", "low"])).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(server.requests[0]?.body).toMatchObject({ output_config: { effort: "low" } });
  });

  const secret = "gateway-secret-1";

  it("sends what the settings name, with the key of a variable and headers, and shows neither anywhere", async () => {
    const script = [read, { text: "It is one." }];
    const { run, server, home, env } = await provided(anthropicWire, script, files);
    const mine = {
      ...{ kind: "anthropic", baseUrl: server.url, keyEnv: "LOOPBACK_KEY" },
      headers: { "X-Gateway": secret },
    };
    home.put("settings.jsonc", JSON.stringify({ model: { name: "mine/m", providers: { mine } } }));
    const [debug, record] = ["debug.jsonl", "record.jsonl"].map((name) => join(home.folder, name)) as [
      string,
      string,
    ];
    const ran = await run(["-p", "What is it?", "--debug", debug, "--record", record, "-o", "json"]);
    expect(JSON.parse(ran.stdout), ran.stderr).toMatchObject({ response: "It is one.", model: "mine/m" });
    expect(server.refused).toEqual([]);
    expect(server.requests[0]?.headers).toMatchObject({ "x-gateway": secret });
    expect(server.requests[1]?.text).toContain("const one = 1;");
    const written = readFileSync(debug, "utf8");
    const sent = written
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).body);
    expect(server.requests.map(({ body }) => body)).toMatchObject(sent);
    const listed = await run(["config", "list"]);
    expect(listed.stdout).toContain("X-Gateway");
    const doctor = await run(["doctor"]);
    const shown = [ran.stdout, ran.stderr, listed.stdout, doctor.stdout, doctor.stderr, written];
    for (const text of [...shown, readFileSync(record, "utf8")])
      for (const hidden of [secret, env.LOOPBACK_KEY ?? ""]) expect(text).not.toContain(hidden);
  });

  it("refuses headers that cannot be sent, without their values", async () => {
    const headers = { "X Gateway": secret, "X-Two": "gateway-secret-2\nX-Three: 3" };
    const providers = { mine: { baseUrl: "http://127.0.0.1:1/v1", headers } };
    const ran = await opened([], { model: { name: "mine/m", providers } }).bare.run(["-p", "Go."]);
    expect(ran).toMatchObject({ code: 52, stderr: expect.stringContaining("must be one line") });
    expect(ran.stderr).not.toContain("gateway-secret");
  });

  it("tells a wrong key in plain words, with an exit code, and goes on with the session once it is right", async () => {
    const { run, server } = await provided(anthropicWire, [done]);
    const env = { LOOPBACK_KEY: "sk-wrong-12345" };
    const ran = await run(["-p", "Go.", "-o", "stream-json", "--session-id", "wrong"], { env });
    const said = ran.stdout + ran.stderr;
    expect(ran.code, said).toBe(41);
    expect(said).toContain("LOOPBACK_KEY");
    expect(said).not.toContain(env.LOOPBACK_KEY);
    expect(server.left).toBe(1);
    expect(await run(["-r", "wrong", "-p", "Go on."])).toMatchObject({ code: 0, stdout: "Done.\n" });
  });
});

describe("a recording", () => {
  it("is written by --record, and played by --replay on another folder with the same files", async () => {
    const { run, home } = opened([read, edit, done]);
    const path = join(home.folder, "run.jsonl");
    expect(await run(["-p", "Call it two", "--record", path, ...yolo])).toMatchObject({ code: 0 });
    const { bare: other } = opened([]);
    const replay = (prompt: string) => other.run(["-p", prompt, "--replay", path, ...yolo]);
    expect(await replay("Call it three")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The recording does not fit at request 1"),
    });
    expect(await replay("Call it two")).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(other.project.text("a.ts")).toBe("const two = 1;\n");
    const twice = await run(["-p", "Call it two", "--record", path]);
    expect(twice).toMatchObject({ code: 52, stderr: expect.stringContaining("cannot be written") });
  });
});
