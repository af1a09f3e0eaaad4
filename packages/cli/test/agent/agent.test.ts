import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Project, runHoldfast } from "../process.js";

const read = { calls: [{ name: "read_file", args: { file_path: "a.ts" } }] };
const edit = {
  calls: [
    {
      name: "edit_file",
      args: {
        file_path: "a.ts",
        base_content_sha256: "{{sha256:a.ts}}",
        edits: [{ old_string: "one", new_string: "two" }],
      },
    },
  ],
};
const command = { calls: [{ name: "run_shell_command", args: { command: "echo ran > ran.txt" } }] };
const done = { text: "Done." };

function projectWith(script: readonly object[], files: Readonly<Record<string, string>> = {}) {
  const project = new Project({ "a.ts": "const one = 1;\n", ...files });
  const outside = new Project({ "script.json": JSON.stringify(script) });
  const run = (args: readonly string[], input = "", env: Readonly<Record<string, string>> = {}) =>
    runHoldfast([...args, "--script", join(outside.folder, "script.json")], {
      cwd: project.folder,
      input,
      env,
    });
  const text = (name: string) => readFileSync(join(project.folder, name), "utf8");
  return { project, outside, run, text };
}

describe("the agent without a screen", () => {
  it("does what it is asked, and prints the last words alone", async () => {
    const { run, text } = projectWith([read, edit, command, { text: "Look." }, done]);
    const ran = await run(["-p", "Call it two", "--approval-mode", "yolo"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Look.\n", stderr: "" });
    expect(text("a.ts")).toBe("const two = 1;\n");
    expect(text("ran.txt")).toBe("ran\n");
  });

  it("carries out no tool that the settings leave out, though the model calls it", async () => {
    const settings = { tools: { excluded: ["edit_file", "run_shell_command"] } };
    const { run, text, project } = projectWith([read, edit, command, done]);
    const home = new Project({ "settings.jsonc": JSON.stringify(settings) });
    const ran = await run(["-p", "Call it two", "--approval-mode", "yolo", "-o", "json"], "", {
      HOLDFAST_HOME: home.folder,
    });
    expect(JSON.parse(ran.stdout).tools).toMatchObject({
      edit_file: { calls: 1, failed: 1 },
      run_shell_command: { calls: 1, failed: 1 },
    });
    expect(text("a.ts")).toBe("const one = 1;\n");
    expect(existsSync(join(project.folder, "ran.txt"))).toBe(false);
  });

  it("gives a task to a sub-agent where the settings allow it, and offers none where they do not", async () => {
    const start = { name: "task_start", args: { name: "Rename", goal: "Call it two.", agent: {} } };
    const end = { calls: [{ name: "task_complete", args: { summary: "It is two." } }] };
    const script = [{ calls: [start] }, read, edit, end, { text: "All done.", expects: ["It is two."] }];
    const allowed = projectWith(script);
    const home = new Project({ "settings.jsonc": '{ "subAgents": { "maxSteps": 5 } }' });
    const args = ["-p", "Let somebody rename it.", "--approval-mode", "yolo", "-o", "stream-json"];
    const ran = await allowed.run(args, "", { HOLDFAST_HOME: home.folder });
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(allowed.text("a.ts")).toBe("const two = 1;\n");
    const lines = ran.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const nested = lines.filter(({ type, task_id: task }) => type === "tool_use" && task !== undefined);
    expect(nested.map(({ tool_name: name }) => name)).toEqual(["read_file", "edit_file", "task_complete"]);
    const offered = async (env: Readonly<Record<string, string>>) =>
      (await allowed.run(["-p", "/tools task_start"], "", env)).stdout.includes('"agent"');
    expect([await offered({ HOLDFAST_HOME: home.folder }), await offered({})]).toEqual([true, false]);
  });

  it("keeps the variable of a key from a command, whatever its name", async () => {
    const printed = { calls: [{ name: "run_shell_command", args: { command: "env > env.txt" } }] };
    const { run, text, project } = projectWith([printed, done]);
    const settings = {
      model: { providers: { corp: { baseUrl: "http://127.0.0.1:1/v1", keyEnv: "CORP_LLM" } } },
    };
    project.put("own/settings.jsonc", JSON.stringify(settings));
    const env = { HOLDFAST_HOME: join(project.folder, "own"), CORP_LLM: "sk-corp", CORP_OTHER: "seen" };
    expect((await run(["-p", "Print it", "--approval-mode", "yolo"], "", env)).code).toBe(0);
    expect(text("env.txt")).toContain("CORP_OTHER=seen");
    expect(text("env.txt")).not.toContain("sk-corp");
  });

  it("takes thresholds of the context from the settings, and none that contradict each other", async () => {
    const { run } = projectWith([done]);
    const withContext = (context: object) => {
      const home = new Project({ "settings.jsonc": JSON.stringify({ context }) });
      return run(["-p", "Go."], "", { HOLDFAST_HOME: home.folder });
    };
    expect(await withContext({ triggerTokens: 50_000, keep: 3, compaction: false })).toMatchObject({
      code: 0,
    });
    const wrong = await withContext({ compactAtTokens: 1_000, compactTailTokens: 5_000 });
    expect(wrong.code).toBe(52);
    expect(wrong.stderr).toContain(
      "context.compactAtTokens (1000) has to be above context.compactTailTokens (5000)",
    );
  });

  it("puts a resource of an MCP server before the model where @ names it", async () => {
    const server = `let t="";process.stdin.on("data",(d)=>{t+=d;for(let i;(i=t.indexOf("\\n"))>=0;){const m=JSON.parse(t.slice(0,i));t=t.slice(i+1);
      const answer=(result)=>console.log(JSON.stringify({jsonrpc:"2.0",id:m.id,result}));
      if(m.method==="initialize")answer({protocolVersion:m.params.protocolVersion,capabilities:{tools:{},resources:{}},serverInfo:{name:"s",version:"1"}});
      if(m.method==="tools/list")answer({tools:[]});
      if(m.method==="resources/read"){if(m.params.uri==="note://1:20")answer({contents:[{uri:m.params.uri,text:"Totals are in cents."}]});
        else console.log(JSON.stringify({jsonrpc:"2.0",id:m.id,error:{code:-32002,message:"no such note"}}));}}});`;
    const mcpServers = { notes: { command: process.execPath, args: ["-e", server] } };
    const home = new Project({ "settings.jsonc": JSON.stringify({ mcpServers }) });
    const script = [{ text: "In cents.", expects: ["@notes:note://1:20:", "Totals are in cents."] }];
    const { run } = projectWith(script);
    const env = { HOLDFAST_HOME: home.folder };
    const ran = await run(["-p", "Read @notes:note://1:20 and say."], "", env);
    expect(ran).toMatchObject({ code: 0, stdout: "In cents.\n", stderr: "" });
    const missing = projectWith([done]);
    const told = await missing.run(["-p", "Read @notes:note://2"], "", env);
    expect(told.stderr).toContain("no such note");
  });

  it("is never green for work that was not done", async () => {
    const { run, text, project } = projectWith([read, edit, command, done]);
    const ran = await run(["-p", "Call it two"]);
    expect(ran.code).toBe(64);
    expect(ran.stderr).toContain("Not done: edit_file (denied).");
    expect(ran.stderr).toContain("Not done: run_shell_command (denied).");
    expect(text("a.ts")).toBe("const one = 1;\n");
    expect(existsSync(join(project.folder, "ran.txt"))).toBe(false);
  });

  it("is not green where an old text was not found, or stood there twice", async () => {
    const [call] = edit.calls;
    const edits = [{ old_string: "o", new_string: "two" }];
    const twice = { calls: [{ ...call, args: { ...call?.args, edits } }] };
    const { run } = projectWith([read, twice, done]);
    const ran = await run(["-p", "x", "--approval-mode", "auto-edit", "-o", "json"]);
    expect(ran.code).toBe(64);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      exit_code: 64,
      undone: [{ name: "edit_file", code: "occurrence_mismatch" }],
    });
    const mended = projectWith([read, twice, edit, done]);
    expect((await mended.run(["-p", "x", "--approval-mode", "auto-edit"])).code).toBe(0);
  });

  it("takes the prompt from standard input, before the one of the flag", async () => {
    const { run } = projectWith([{ ...done, expects: ["the diff\n\nReview this."] }]);
    expect(await run(["agent", "Review this."], "the diff")).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect((await run(["agent"], "  ")).code).toBe(42);
  });

  it("puts what @ names before the model, and tells what is nowhere", async () => {
    const { run } = projectWith([{ ...done, expects: ["const one = 1;", "What is @a.ts and @gone.ts?"] }]);
    const ran = await run(["-p", "What is @a.ts and @gone.ts?"]);
    expect(ran).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(ran.stderr).toContain("@gone.ts: ");
    expect(ran.stderr).not.toContain("@a.ts: ");
  });

  it("goes on with the last session of the folder, forks it, and keeps none where it is told so", async () => {
    const { run, outside } = projectWith([{ text: "First." }]);
    const first = JSON.parse((await run(["-p", "One.", "-o", "json"])).stdout);
    outside.put("script.json", JSON.stringify([{ text: "Second.", expects: ["First."] }]));
    const second = JSON.parse((await run(["-p", "Two.", "-c", "-o", "json"])).stdout);
    expect(second).toMatchObject({ session_id: first.session_id, response: "Second." });
    outside.put("script.json", JSON.stringify([{ text: "Third.", expects: ["Second."] }]));
    const forked = JSON.parse(
      (await run(["-p", "Three.", "-r", first.session_id, "--fork", "-o", "json"])).stdout,
    );
    expect(forked.response).toBe("Third.");
    expect(forked.session_id).not.toBe(first.session_id);
    outside.put("script.json", JSON.stringify([{ text: "Alone." }]));
    const alone = JSON.parse((await run(["-p", "Four.", "--ephemeral", "-o", "json"])).stdout);
    const listed = await runHoldfast(["sessions", "list", "--json"]);
    expect(listed.stdout).toContain(forked.session_id);
    expect(listed.stdout).not.toContain(alone.session_id);
    const named = await run(["-p", "Five.", "--session-id", "my-own", "-o", "json"]);
    expect(JSON.parse(named.stdout).session_id).toBe("my-own");
  });

  it("says what is wrong with settings, all at once, and does nothing", async () => {
    const { run } = projectWith([done], {
      ".holdfast/settings.jsonc": '{\n  "modell": {},\n  "approval": { "mode": "mad" }\n}\n',
    });
    const ran = await run(["-p", "Go."]);
    expect(ran.code).toBe(52);
    expect(ran.stderr).toContain("settings.jsonc:2:");
    expect(ran.stderr).toContain("settings.jsonc:3:");
  });

  it("lets a project that is not trusted widen nothing, and says so", async () => {
    const { run, project } = projectWith([command, done], {
      ".holdfast/settings.jsonc":
        '{ "approval": { "mode": "yolo" }, "mcpServers": { "x": { "command": "touch", "args": ["started"] } } }',
    });
    const ran = await run(["-p", "Go."]);
    expect(ran.code).toBe(64);
    expect(ran.stderr).toContain("approval.mode does not count");
    expect(ran.stderr).toContain("mcpServers");
    expect(existsSync(join(project.folder, "ran.txt"))).toBe(false);
    expect(existsSync(join(project.folder, "started"))).toBe(false);
  });

  it.each<readonly [readonly string[], number, string]>([
    [["-p", "x", "--fork"], 2, "--fork goes with"],
    [["-p", "x", "--ephemeral", "-c"], 2, "--ephemeral"],
    [["-p", "x", "-r", "nobody"], 42, "unknown_session"],
    [["-p", "x", "-c"], 42, "unknown_session"],
    [["-p", "x", "--max-cost", "1"], 2, "prices"],
    [["-p", "x", "--max-cost", "none"], 2, "amount"],
    [["-p", "x", "--mcp-config", "none.json"], 52, "none.json"],
  ])("%j ends with %i", async (args, code, words) => {
    const ran = await projectWith([done]).run(args);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(words);
  });

  it.each<readonly [readonly string[], number, string]>([
    [["--model", "claude-opus-5"], 41, "ANTHROPIC_API_KEY"],
    [["--model", "nobody"], 52, "There is no model"],
  ])("without a model %j ends with %i", async (args, code, words) => {
    const ran = await runHoldfast(["-p", "x", ...args], { cwd: new Project({}).folder });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(words);
  });
});

describe("the agent and a provider", () => {
  let server: Server;
  let url = "";
  const bodies: { readonly headers: string; readonly body: Record<string, unknown> }[] = [];
  let answers: readonly object[][] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        bodies.push({
          headers: JSON.stringify(request.headers),
          body: JSON.parse(Buffer.concat(parts).toString()),
        });
        const [next = [], ...rest] = answers;
        answers = rest;
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const chunk of next) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
        response.end("data: [DONE]\n\n");
      });
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => server.close());

  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 0,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  });

  it("sends what the settings name, with the key that a variable holds, and writes requests without it", async () => {
    const project = new Project({ "a.ts": "const one = 1;\n" });
    const home = new Project({
      "settings.jsonc": JSON.stringify({
        model: { name: "mine/m", providers: { mine: { baseUrl: url, keyEnv: "MY_KEY" } } },
      }),
    });
    const args = JSON.stringify({ file_path: "a.ts" });
    const call = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "read_file", arguments: args },
    };
    answers = [
      [chunk({ role: "assistant", tool_calls: [call] }), chunk({}, "tool_calls")],
      [chunk({ role: "assistant", content: "It is one." }), chunk({}, "stop")],
    ];
    const debug = join(home.folder, "debug.jsonl");
    const ran = await runHoldfast(["-p", "What is it?", "--debug", debug], {
      cwd: project.folder,
      env: { HOLDFAST_HOME: home.folder, MY_KEY: "sk-secret-1" },
    });
    expect(ran).toMatchObject({ code: 0, stdout: "It is one.\n", stderr: "" });
    expect(bodies).toHaveLength(2);
    expect(bodies[0]?.headers).toContain("sk-secret-1");
    expect(JSON.stringify(bodies[1]?.body)).toContain("const one = 1;");
    const written = readFileSync(debug, "utf8");
    expect(written).not.toContain("sk-secret-1");
    const sent = written
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).body);
    expect(sent).toHaveLength(2);
    expect(bodies[1]?.body).toMatchObject(sent[1]);
  });
});

describe("a recording", () => {
  it("is written by --record, and played by --replay on another folder with the same files", async () => {
    const { run, outside } = projectWith([read, edit, done]);
    const path = join(outside.folder, "run.jsonl");
    const yes = ["--approval-mode", "yolo"];
    expect(await run(["-p", "Call it two", "--record", path, ...yes])).toMatchObject({ code: 0 });
    const other = new Project({ "a.ts": "const one = 1;\n" });
    const replay = (prompt: string) =>
      runHoldfast(["-p", prompt, "--replay", path, ...yes], { cwd: other.folder });
    expect(await replay("Call it three")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The recording does not fit at request 1"),
    });
    expect(await replay("Call it two")).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(readFileSync(join(other.folder, "a.ts"), "utf8")).toBe("const two = 1;\n");
    const twice = await run(["-p", "Call it two", "--record", path]);
    expect(twice).toMatchObject({ code: 52, stderr: expect.stringContaining("cannot be written") });
  });
});
