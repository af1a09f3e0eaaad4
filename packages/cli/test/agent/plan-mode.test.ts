import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, done, linesOf, scripted, shell, write } from "./provided.js";
import { inTerminal } from "./terminal.js";

const plan = "1. Write one into b.txt.";
const handIn = { calls: [call("exit_plan_mode", { plan })] };
const planned = ["-p", "Plan it.", "--approval-mode", "plan"];

describe("plan mode", () => {
  const script = [
    { text: "I try.", calls: [write("b.txt", "one\n")] },
    shell("touch c.txt"),
    shell("ls"),
    handIn,
  ];

  it("ends with the plan as the answer of -p, and with success, in each format", async () => {
    const ground = scripted(script, { files: { "a.txt": "a\n" } });
    expect(await ground.run(planned)).toMatchObject({ code: 0, stdout: `${plan}\n` });
    const json = await ground.run([...planned, "-o", "json"]);
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ response: plan, status: "success", undone: [] });
    const lines = linesOf(await ground.run([...planned, "-o", "stream-json"]));
    expect(lines.filter(({ type }) => type === "message").at(-1)).toMatchObject({ content: plan });
    const results = lines.filter(({ type }) => type === "tool_result");
    expect(results.map(({ status }) => status)).toEqual(["error", "error", "success", "success"]);
    expect(results[2]?.output).toContain("a.txt");
    expect(["b.txt", "c.txt"].map((name) => ground.project.has(name))).toEqual([false, false]);
  });

  it("begins the work at a terminal once a person approves, in the mode of the answer", async () => {
    const ground = scripted([handIn, { calls: [write("b.txt", "one\n")] }, done]);
    const flags = ["--approval-mode", "plan", "--script", join(ground.home.folder, "script.json")];
    const seen = inTerminal(ground, flags);
    await seen.until("plan");
    seen.type("Plan it.");
    await seen.until(plan);
    await seen.until("y[o]lo, [e]dit, [n]o:");
    await new Promise((resolve) => setTimeout(resolve, 800));
    seen.type("a");
    await seen.until("Done.");
    expect(ground.project.text("b.txt")).toBe("one\n");
    await seen.until("auto-edit");
    seen.type("/quit");
    expect(await seen.ended).toBe(0);
  });
});
