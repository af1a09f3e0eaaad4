import { describe, expect, it } from "vitest";
import {
  anthropicWire,
  type ReceivedRequest,
  type ServedAnswer,
  wires,
} from "../../../agent/test/loopback/index.js";
import { call, provided } from "./provided.js";

const names = ["A", "B", "C"];
const starts = names.map((name) =>
  call("task_start", { name, goal: `GOAL-${name}`, context: "clear", agent: {} }),
);

/** The main agent delegates three goals at once; each sub-agent reads the file and completes. @param held goals that never come to their end. */
function answers(held: readonly string[] = []) {
  return ({ text }: ReceivedRequest): ServedAnswer | undefined => {
    const goals = names.filter((name) => text.includes(`GOAL-${name}`));
    const [goal = ""] = goals;
    if (text.includes("What is left?")) return { text: "Nothing." };
    if (goals.length !== 1) return goals.length === 0 ? { calls: starts } : { text: "All done." };
    if (!text.includes("lines of a.txt")) return { calls: [call("read_file", { file_path: "a.txt" })] };
    if (held.includes(goal)) return { fault: { kind: "hold" } };
    return { calls: [call("task_complete", { summary: `Finished ${goal}.` })] };
  };
}

const file = { "a.txt": "lines of a.txt\n" };

describe.each(wires)("sub-agents side by side over $name", (wire) => {
  it("each get their own answers, and their results come in the order of the calls", async () => {
    const ground = await provided(wire, [], file);
    ground.server.answer = answers();
    const ran = await ground.run(["-p", "Do it.", "--approval-mode", "yolo", "-o", "json"]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ground.server.refused).toEqual([]);
    const last = ground.server.requests.find(({ text }) => text.includes("Finished C."))?.text ?? "";
    const places = names.map((name) => last.indexOf(`Finished ${name}.`));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });
});

describe("a program that is killed while sub-agents work", () => {
  it("goes on from there: one result is kept, the others are told as unknown, and the session is sound", async () => {
    const ground = await provided(anthropicWire, [], file);
    ground.server.answer = answers(["B", "C"]);
    const held = ground.server.held().then(() => ground.server.held());
    const busy = ground.begin(["-p", "Do it.", "--approval-mode", "yolo"]);
    const ended = new Promise((over) => busy.once("exit", over));
    await held;
    busy.kill("SIGKILL");
    await ended;
    const again = await ground.run(["-c", "-p", "What is left?"]);
    expect(again, again.stderr).toMatchObject({ code: 0, stdout: "Nothing.\n" });
    expect(ground.server.refused).toEqual([]);
    const last = ground.server.requests.at(-1)?.text ?? "";
    expect(last).toMatch(/[Ii]nterrupted/u);
    const listed = JSON.parse((await ground.run(["sessions", "list", "--json"])).stdout);
    const checked = await ground.run(["sessions", "verify", listed.sessions[0].id]);
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
  });
});

describe("an agent that somebody has written down", () => {
  it("is offered by its name, and is told its words and has its tools", async () => {
    const agent = { name: "reviewer" };
    const ground = await provided(
      anthropicWire,
      [
        { calls: [call("task_start", { name: "review", goal: "Look at a.txt.", context: "clear", agent })] },
        { calls: [call("write_file", { file_path: "b.txt", content: "b" })] },
        { calls: [call("task_complete", { summary: "It is fine." })] },
        { text: "Reviewed." },
      ],
      file,
    );
    const words =
      "---\nname: reviewer\ndescription: Reviews a change.\ntools: Read, search_files, WebSearch\n---\nBe strict.\n";
    ground.home.put("agents/reviewer.md", words);
    const ran = await ground.run(["-p", "Review it.", "--approval-mode", "yolo"]);
    expect(ran, ran.stderr).toMatchObject({ stdout: "Reviewed.\n" });
    expect(ground.server.refused).toEqual([]);
    const [first, second, third] = ground.server.requests.map(({ text }) => text);
    expect(first).toContain("reviewer: Reviews a change.");
    expect(first).not.toContain("Be strict.");
    expect(second).toContain("Be strict.");
    expect(second).toContain('"name":"read_file"');
    expect(second).not.toContain('"name":"edit_file"');
    expect(third).toMatch(/write_file.*no tool|no tool.*write_file/su);
    expect(ground.project.has("b.txt")).toBe(false);
  });

  it("has every tool where its file says so, as files for Claude Code do", async () => {
    const start = { name: "any", goal: "Write b.txt.", context: "clear", agent: { name: "any" } };
    const ground = await provided(anthropicWire, [
      { calls: [call("task_start", start)] },
      { calls: [call("write_file", { file_path: "b.txt", content: "b" })] },
      { calls: [call("task_complete", { summary: "Written." })] },
      { text: "Done." },
    ]);
    ground.home.put("agents/any.md", "---\nname: any\ndescription: Does all.\ntools: *\n---\nDo it.\n");
    expect(await ground.run(["-p", "Go.", "--approval-mode", "yolo"])).toMatchObject({ stdout: "Done.\n" });
    expect(ground.project.text("b.txt")).toBe("b");
  });
});
