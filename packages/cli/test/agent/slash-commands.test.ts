import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program, runHoldfast } from "../process.js";

const write = { calls: [{ name: "write_file", args: { file_path: "new.txt", content: "new\n" } }] };

function scripted(script: readonly object[]) {
  const project = new Project({ "a.ts": "const one = 1;\n" });
  const outside = new Project({ "script.json": JSON.stringify(script) });
  const env = { HOLDFAST_STATE_DIR: join(outside.folder, "state") };
  const flags = ["--script", join(outside.folder, "script.json"), "--approval-mode", "yolo"];
  const run = (args: readonly string[], input = "") =>
    runHoldfast([...args, ...flags], { cwd: project.folder, env, input });
  return { project, env, flags, run };
}

describe("a slash command as the prompt", () => {
  it("is done in the session that is gone on with, and told in each format", async () => {
    const { run, project } = scripted([write, { text: "Written." }]);
    expect((await run(["-p", "Write it."])).code).toBe(0);
    const asked = await run(["-c", "-p", "/history rewind"]);
    expect([asked.code, asked.stdout]).toEqual([64, ""]);
    expect(asked.stderr).toContain("/history rewind --files restore");
    expect(existsSync(join(project.folder, "new.txt"))).toBe(true);
    const json = await run(["-c", "-p", "/diff", "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      command: "diff",
      kind: "told",
      status: "success",
      exit_code: 0,
    });
    const stream = await run(["-c", "-p", "/task list", "-o", "stream-json"]);
    const types = stream.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type);
    expect(types).toEqual(["init", "message", "command", "result"]);
    expect((await run(["-c", "-p", "/history rewind --files restore"])).code).toBe(0);
    expect(existsSync(join(project.folder, "new.txt"))).toBe(false);
    expect((await run(["-c", "-p", "/undoo"])).code).toBe(2);
    expect((await run(["-c", "-p", "/export here.yaml"])).code).toBe(0);
    expect(readFileSync(join(project.folder, "here.yaml"), "utf8")).toContain("Write it.");
    expect((await run(["-c", "-p", "/export here.yaml"])).stderr).toContain("exist");
    expect((await run(["-c", "-p", "/export page.html"])).code).toBe(0);
    expect(readFileSync(join(project.folder, "page.html"), "utf8")).toContain("<html");
  });

  it("needs no model where it asks none, and is told that there is none where it does", async () => {
    const { run: withModel, project, env } = scripted([write, { text: "Written." }]);
    expect((await withModel(["-p", "Write it."])).code).toBe(0);
    const run = (prompt: string, ...flags: readonly string[]) =>
      runHoldfast(["-c", "-p", prompt, ...flags], { cwd: project.folder, env });
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
    expect(await run("/frob")).toMatchObject({
      code: 2,
      stderr: "There is no command /frob. /help lists them.\n",
    });
    for (const prompt of ["/compact", "/history summarize_branch", "/task start B --compress"]) {
      const { code, stderr } = await run(prompt);
      expect({ prompt, code }).toEqual({ prompt, code: 41 });
      expect(stderr).toContain("No model is configured.");
    }
    expect(JSON.parse((await run("/history summarize_branch", "-o", "json")).stdout)).toMatchObject({
      status: "error",
      exit_code: 41,
    });
    expect((await run("/home/me/notes say it")).code).toBe(41);
    expect((await run("/task list", "--model", "nobody")).code).toBe(0);
    expect((await run("/task list", "--script", "none.json")).code).toBe(52);
  });

  it("is words for the model where it was piped in, and no command of the shell is run", async () => {
    const { run, project } = scripted([{ text: "Words." }]);
    expect((await run(["agent"], "/undo")).stdout).toBe("Words.\n");
    expect((await run(["-p", "!touch ran.txt"])).stdout).toBe("Words.\n");
    expect((await run(["-p", "see above"], "!touch ran.txt")).stdout).toBe("Words.\n");
    expect(existsSync(join(project.folder, "ran.txt"))).toBe(false);
  });
});

it("reads the files that @ names in what is piped in alone: that is the prompt", async () => {
  const { run } = scripted([{ text: "Read.", expects: ["const one = 1;", "See @a.ts."] }]);
  expect(await run(["agent"], "See @a.ts.")).toMatchObject({ code: 0, stdout: "Read.\n" });
});

describe("what is piped in beside a prompt", () => {
  it("is words: neither a diff nor an @ in it names a file", async () => {
    const words = "@@ -1 +1 @@\n-@a.ts\n+see @.env and @a.ts\n\nReview this with @a.ts.";
    const { run, project } = scripted([{ text: "Read.", expects: [words] }]);
    writeFileSync(join(project.folder, ".env"), "TOKEN=1\n");
    const piped = "@@ -1 +1 @@\n-@a.ts\n+see @.env and @a.ts";
    const ran = await run(["-p", "Review this with @a.ts."], piped);
    expect(ran).toMatchObject({ code: 0, stdout: "Read.\n", stderr: "" });
    const shown = await run(["-c", "-p", "/history view", "-o", "json"]);
    expect(JSON.parse(shown.stdout).text.match(/file_content|a\.ts v/g) ?? []).not.toContain(".env");
    expect(shown.stdout).not.toContain("TOKEN=1");
  });
});

describe.runIf(process.platform === "linux")("line by line in a terminal", () => {
  it("commands, turns and another session in one run", async () => {
    const { project, env, flags } = scripted([write, { text: "Written." }, { text: "Again." }]);
    const command = [process.execPath, program, "agent", ...flags].map((part) => `'${part}'`).join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? "", HOME: new Project().folder, TERM: "xterm", ...env },
    });
    onTestFinished(() => endProcess(child));
    let shown = "";
    child.stdout.on("data", (data) => {
      shown += data;
    });
    const until = async (words: string, from: number) => {
      for (let waits = 0; !shown.slice(from).includes(words); waits += 1) {
        if (waits > 1_500) throw new Error(`never shown: ${words}\n${shown}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const say = async (line: string, answer: string) => {
      const from = shown.length;
      child.stdin.write(`${line}\r`);
      await until(answer, from);
      await until("> ", shown.indexOf(answer, from));
    };
    await until("> ", 0);
    await say("/mode", "The mode is yolo.");
    await say("Write it.", "Written.");
    await say("!cat new.txt", "The command has run.");
    const from = shown.length;
    child.stdin.write("/history rewind\r");
    await until("or nothing:", from);
    await say("restore", "put back");
    expect(existsSync(join(project.folder, "new.txt"))).toBe(false);
    await say("/history label rewound", "labelled");
    await say("/fork", "scripted/script");
    await say("/history view", "rewound");
    await say("/clear", "scripted/script");
    await say("/diff", "No file is different.");
    await say("/resume", "Write it.");
    await say("/resume nope", "nope");
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.stdin.write("/quit\r");
    expect(await ended).toBe(0);
  });

  it("leaves a file alone that is in the way of an export", async () => {
    const { project, run } = scripted([{ text: "Hi." }]);
    writeFileSync(join(project.folder, "mine.yaml"), "mine\n");
    expect((await run(["-p", "/export mine.yaml"])).code).toBe(1);
    expect(readFileSync(join(project.folder, "mine.yaml"), "utf8")).toBe("mine\n");
  });
});
