import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Project } from "../process.js";
import { inTerminal } from "./terminal.js";

const write = (...names: readonly string[]) => ({
  calls: names.map((name) => ({ name: "write_file", args: { file_path: name, content: `${name}\n` } })),
});
const run = (args: object) => ({ calls: [{ name: "run_shell_command", args }] });
const done = { text: "Done." };

async function talking(script: readonly object[], mode = "ask") {
  const project = new Project();
  const outside = new Project({ "script.json": JSON.stringify(script) });
  const env = { HOLDFAST_STATE_DIR: join(outside.folder, "state"), HOME: outside.folder };
  const flags = ["--script", join(outside.folder, "script.json"), "--approval-mode", mode];
  const seen = inTerminal({ project, env }, flags);
  await seen.until("> ");
  const leaves = async () => {
    seen.type("/quit");
    return seen.ended;
  };
  return { project, seen, leaves };
}

describe.runIf(process.platform === "linux")("questions in a terminal", () => {
  it("are asked one at a time, and each answer is for the diff on screen", async () => {
    const { project, seen, leaves } = await talking([write("w1.txt", "w2.txt"), done]);
    seen.type("Go.");
    await seen.until("[y]es");
    const [first, second] = seen.text().includes("--- w1.txt") ? ["w1.txt", "w2.txt"] : ["w2.txt", "w1.txt"];
    expect(seen.text()).not.toContain(`--- ${second}`);
    seen.type("y");
    await seen.until(`--- ${second}`);
    await seen.until("[y]es");
    seen.type("n");
    await seen.until("Done.");
    expect([first, second].map((name) => project.has(name))).toEqual([true, false]);
    expect(await leaves()).toBe(0);
  });

  it("are ended by Ctrl-C with the turn, and the next line is a prompt", async () => {
    const { project, seen, leaves } = await talking([write("w1.txt"), done]);
    seen.type("Go.");
    await seen.until("[y]es");
    seen.press("\u0003");
    await seen.until("Cancelled.");
    await seen.until("> ");
    seen.type("y");
    await seen.until("Done.");
    expect(project.has("w1.txt")).toBe(false);
    expect(await leaves()).toBe(0);
  });

  it("allow by always one command, and say so", async () => {
    const touch = run({ command: "touch asked.txt" });
    const { project, seen, leaves } = await talking([
      run({ command: "true" }),
      run({ command: "true" }),
      touch,
      done,
    ]);
    seen.type("Go.");
    await seen.until("[a]lways (this very command, in this session)");
    seen.type("a");
    await seen.until("run_shell_command: touch asked.txt");
    await seen.until("[y]es");
    expect(project.has("asked.txt")).toBe(false);
    seen.type("abort");
    await seen.until("Done.");
    expect(project.has("asked.txt")).toBe(false);
    expect(await leaves()).toBe(0);
  });

  it("take no pasted line as an answer", async () => {
    const { project, seen, leaves } = await talking([write("w1.txt"), done, { text: "Again." }]);
    seen.type("Go.");
    await seen.until("[y]es");
    seen.press("y\rmore\r");
    await seen.until("[y]es");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(project.has("w1.txt")).toBe(false);
    seen.type("n");
    await seen.until("Done.");
    await seen.until("> y");
    await seen.until("Again.");
    await seen.until("> more");
    expect(project.has("w1.txt")).toBe(false);
    await seen.until("> ");
    expect(await leaves()).toBe(0);
  });
});

describe.runIf(process.platform === "linux")("lines that are pasted", () => {
  it("become one turn each, in their order", async () => {
    const script = [
      { text: "One.", expects: ["first"] },
      { text: "Two.", expects: ["second"] },
      { text: "Three.", expects: ["third"] },
    ];
    const { seen, leaves } = await talking(script);
    seen.press("first\rsecond\r\rthird\r");
    for (const answer of ["One.", "Two.", "Three."]) await seen.until(answer);
    await seen.until("> ");
    expect(await leaves()).toBe(0);
  });

  it("are given up with the turn that Ctrl-C ends", async () => {
    const { seen, leaves } = await talking([run({ command: "sleep 30" }), done], "yolo");
    seen.press("first\rsecond\r");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    seen.press("\u0003");
    await seen.until("1 further line given up.");
    await seen.until("Cancelled.");
    expect(await leaves()).toBe(0);
  });
});
