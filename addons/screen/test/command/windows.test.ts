import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { call, type Scripted, scripted } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow, steady, type Window } from "./tmux.js";

const code = `${Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;
const edits = [3, 15, 28].map((line) => ({ old_string: `line ${line}\n`, new_string: `LINE ${line}\n` }));
const edit = (more: object) =>
  call("edit_file", { file_path: "a.txt", base_content_sha256: "{{sha256:a.txt}}", ...more });
const read = { calls: [call("read_file", { file_path: "a.txt" })] };
const answers: readonly object[] = [
  read,
  { calls: [edit({ edits })] },
  { text: "Some of it is changed." },
  read,
  { calls: [edit({ edits: [{ old_string: "line 1\n", new_string: "first\n" }] })] },
  { text: "The first line, too." },
  { text: "Another way." },
];

/** One conversation: each case goes on where the one before it ended. */
describe.runIf(hasTmux)("questions and windows", () => {
  let at: Scripted;
  let window: Window;
  const idle = /\n>$/u;
  const kept = (name: string) => expect(steady(window.screen())).toMatchFileSnapshot(`screens/${name}.txt`);
  beforeAll(async () => {
    at = scripted(answers, { files: { "a.txt": code } });
    window = openWindow(at, { columns: 100, rows: 34 });
    window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "ask"]);
    await window.until(idle);
  });

  it("makes one of three changes, by its number", async () => {
    await window.say("Change three lines.", "(1-3)");
    await kept("hunks");
    window.type("2");
    window.keys("Enter");
    await window.until("Some of it is changed.");
    expect(at.project.text("a.txt")).toBe(code.replace("line 15\n", "LINE 15\n"));
  });

  it("shows in the tree what a rewind does to each file, and does it", async () => {
    await window.until(idle);
    await window.say("And the first.", /\[y\]es[^\n]*:$/u);
    window.type("y");
    window.keys("Enter");
    await window.until("The first line, too.");
    await window.until(idle);
    window.keys("Escape", "Escape");
    await window.until("you are here");
    await kept("tree");
    window.type("e");
    await window.until("Esc back");
    await kept("plan");
    // A key counts a while after the plan was shown.
    await wait(400);
    window.type("r");
    await window.until(/Went back[\s\S]*> And the first\.$/u);
    expect(at.project.text("a.txt")).toBe(code.replace("line 15\n", "LINE 15\n"));
  });

  it("goes on from an edited prompt, and compares the two branches", async () => {
    window.keys("C-u");
    await window.say("Or otherwise?", "Another way.");
    await window.until(idle);
    await window.say("/history view", "you are here");
    window.type("d");
    await window.until("Marked.");
    window.type("/");
    window.type("first line, too");
    window.keys("Enter");
    await window.until(/▸ .*first line, too/u);
    window.type("d");
    await window.until("Files, from the first to the second");
    await kept("compared");
    window.keys("Escape", "Escape");
    await window.until(idle);
  });

  it("shows the states of a file and puts it back, and what fills the prompt", async () => {
    await window.say("/changes", "q close  d compare");
    window.keys("Enter");
    await window.until("+LINE 15");
    window.keys("Escape");
    await window.until("q close  d compare");
    window.type("k");
    window.type("r");
    await window.until("is back to");
    await window.until(idle);
    expect(at.project.text("a.txt")).toBe(code);
    await window.say("/context", "By kind");
    window.keys("Escape");
    await window.until(idle);
  });

  it("shows all of a window again when that has another size", async () => {
    await window.say("/history view", "you are here");
    window.resize(60, 12);
    await window.until(/^History [\s\S]*you are here[\s\S]*\nq close/u);
    window.keys("Escape");
    await window.until(idle);
  });
});
