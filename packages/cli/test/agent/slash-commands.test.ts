import { describe, expect, it } from "vitest";
import { isThere } from "../addon-there.js";
import { done, linesOf, scripted, write } from "./provided.js";

const writing = [{ calls: [write("new.txt", "new\n")] }, { text: "Written." }];
const yolo = ["--approval-mode", "yolo"];

/** A session in which a file was written. */
async function written() {
  const at = scripted(writing);
  expect((await at.run(["-p", "Write it.", ...yolo])).code).toBe(0);
  return at;
}

describe("a slash command as the prompt", () => {
  it("is done in the session that is gone on with, and told in each format", async () => {
    const { run, project } = await written();
    const asked = await run(["-c", "-p", "/history rewind"]);
    expect(asked).toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringContaining("/history rewind --files restore"),
    });
    expect(project.has("new.txt")).toBe(true);
    const json = await run(["-c", "-p", "/diff", "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      command: "diff",
      kind: "told",
      status: "success",
      exit_code: 0,
    });
    const stream = await run(["-c", "-p", "/task list", "-o", "stream-json"]);
    expect(linesOf(stream).map(({ type }) => type)).toEqual(["init", "message", "command", "result"]);
    expect((await run(["-c", "-p", "/history rewind --files restore"])).code).toBe(0);
    expect(project.has("new.txt")).toBe(false);
    expect((await run(["-c", "-p", "/export here.yaml"])).code).toBe(0);
    expect(project.text("here.yaml")).toContain("Write it.");
    project.put("mine.yaml", "mine\n");
    const inTheWay = await run(["-c", "-p", "/export mine.yaml"]);
    expect(inTheWay).toMatchObject({ code: 1, stderr: expect.stringContaining("exist") });
    expect(project.text("mine.yaml")).toBe("mine\n");
    if (!isThere("page")) return;
    expect((await run(["-c", "-p", "/export page.html"])).code).toBe(0);
    expect(project.text("page.html")).toContain("<html");
  });

  it("needs no model where it asks none, and is told that there is none where it does", async () => {
    const { bare } = await written();
    const run = (prompt: string, ...flags: readonly string[]) => bare.run(["-c", "-p", prompt, ...flags]);
    for (const [prompt, words] of [
      ["/task list", "task"],
      ["/diff", "new.txt"],
      ["/history view", "Written."],
      ["/help task", "/task start"],
      ["/context", "new.txt"],
      ["/model", "The model is none."],
      ["/task start A", "A"],
      ["/task complete Did it.", "Task completed"],
      ["/settings", "approval.mode"],
      ["/export", "Write it."],
      ["/undo", "new.txt"],
    ] as const) {
      const { code, stdout, stderr } = await run(prompt);
      expect({ prompt, code, stderr }).toEqual({ prompt, code: 0, stderr: "" });
      expect(stdout).toContain(words);
    }
    const unknown = "There is no command /frob. /help lists them.\n";
    expect(await run("/frob")).toMatchObject({ code: 2, stderr: unknown });
    for (const prompt of ["/compact", "/history summarize_branch", "/task start B --compress"]) {
      const { code, stderr } = await run(prompt);
      expect({ prompt, code }).toEqual({ prompt, code: 41 });
      expect(stderr).toContain("No model is configured.");
    }
    const json = await run("/history summarize_branch", "-o", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({ status: "error", exit_code: 41 });
    expect((await run("/home/me/notes say it")).code).toBe(41);
    expect((await run("/task list", "--model", "nobody")).code).toBe(0);
    expect((await run("/task list", "--script", "none.json")).code).toBe(52);
  });

  it("is words for the model where it was piped in, and no command of the shell is run", async () => {
    const { run, project } = scripted([done]);
    for (const [args, input] of [
      [["agent"], "/undo"],
      [["-p", "!touch ran.txt"], ""],
      [["-p", "see above"], "!touch ran.txt"],
    ] as const)
      expect((await run([...args, ...yolo], { input })).stdout).toBe("Done.\n");
    expect(project.has("ran.txt")).toBe(false);
  });
});

describe("what the model and the project may do", () => {
  const say = async (at: Awaited<ReturnType<typeof written>>, prompt: string) => at.run(["-c", "-p", prompt]);

  it("/permissions shows rules with their sources, and a new rule counts at once and later", async () => {
    const at = await written();
    const added = await say(at, "/permissions deny git push");
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("counts from now on") });
    expect((await say(at, "/permissions ask --tool delete_file --path src/**")).code).toBe(0);
    const { stdout } = await say(at, "/permissions");
    const [first, second] = stdout.split("\n").filter((line) => line.startsWith("approval.rules"));
    expect(first).toContain('"path":"src/**"');
    expect(second).toContain('"command":"git push"');
    at.play([{ calls: [{ name: "run_shell_command", args: { command: "git push origin" } }] }, done]);
    expect((await at.run(["-c", "-p", "Push.", ...yolo])).code).toBe(64);
    for (const wrong of [
      "/permissions deny",
      "/permissions maybe x",
      "/permissions deny a && b",
      "/permissions --tool x",
    ])
      expect((await say(at, wrong)).code).toBe(2);
    expect((await say(at, "/permissions")).stdout).toBe(stdout);
  });

  it("/trust says what it switches on, keeps the answer and takes it back", async () => {
    const at = scripted([done], {
      files: { ".mcp.json": '{"mcpServers":{"x":{"command":"nothing-here"}}}' },
    });
    expect((await at.run(["-p", "Go."])).code).toBe(0);
    const says = async (prompt: string) => (await say(at, prompt)).stdout;
    expect(await says("/trust")).toMatch(/is not trusted as it is now\.[\s\S]*mcpServers = /);
    expect(await says("/mcp")).toContain("There is none.");
    expect(await says("/trust yes")).toContain(
      "is trusted as it is now. That counts from the next session on",
    );
    expect(await says("/mcp")).toMatch(/^x {2}failed$/m);
    expect(await says("/mcp --retry")).toMatch(/^x {2}failed$/m);
    expect(await says("/mcp x")).toMatch(/^x {2}failed$/m);
    expect(await say(at, "/mcp y")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There are: x."),
    });
    expect(await says("/trust no")).toContain("is not trusted as it is now.");
    expect((await say(at, "/trust perhaps")).code).toBe(2);
  });

  it("/hooks lists each with its source", async () => {
    const at = scripted([done], {
      settings: { hooks: { turnEnd: [{ command: "one" }, { command: "two" }] } },
    });
    expect((await at.run(["-p", "Go."])).code).toBe(0);
    const lines = (await say(at, "/hooks")).stdout
      .split("\n")
      .filter((line) => line.startsWith("hooks.turnEnd"));
    expect(lines).toHaveLength(2);
  });

  it("/init and /review are prompts, unless the person has ones of that name", async () => {
    const at = scripted([{ ...done, expects: ["write AGENTS.md in its root"] }]);
    expect((await at.run(["-p", "/init"])).code).toBe(0);
    at.play([{ ...done, expects: ["Review this change: the parser"] }]);
    expect((await at.run(["-p", "/review the parser"])).code).toBe(0);
    at.home.put("commands/review.md", "My own review.");
    at.play([{ ...done, expects: ["My own review."] }]);
    expect((await at.run(["-p", "/review"])).code).toBe(0);
  });
});
