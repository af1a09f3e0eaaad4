import { chmodSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { call, type Scripted, scripted, write } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow, steady, type Window } from "./tmux.js";

const code = "export function area(width: number, height: number) {\n  return width * height;\n}\n";
const edit = (from: string, to: string) =>
  call("edit_file", {
    file_path: "area.ts",
    base_content_sha256: "{{sha256:area.ts}}",
    edits: [{ old_string: from, new_string: to }],
  });
const read = call("read_file", { file_path: "area.ts" });
const family = "👩‍👩‍👧";
const answers: readonly object[] = [
  { calls: [read] },
  { calls: [edit("width * height", "Math.abs(width * height)")] },
  { text: "Edited by you.", expects: ["The user edited this text before it was written.", "abs(height)"] },
  { calls: [write("../outside.txt", "x\n")] },
  { text: "It is outside.", expects: ["outside_workspace"] },
  { calls: [edit("Math.abs(width)", "Math.trunc(width)")] },
  { calls: [edit("Math.abs(height)", "Math.trunc(height)")], expects: ["not like this"] },
  { calls: [edit("Math.round(height)", "Math.trunc(height)")], expects: ["State Mismatch"] },
  { text: "Recovered." },
  { text: "Worked in the task." },
];

const writing = {
  text: [
    "שלום עולם and مرحبا, e\u0301 and n\u0303.",
    `| what | cells |\n|---|--:|\n| ${family} | 2 |\n| שלום | 4 |\n| e\u0301 | 1 |`,
  ].join("\n\n"),
};

const kept = (window: Window, name: string) =>
  expect(steady(window.screen())).toMatchFileSnapshot(`screens/${name}.txt`);

/** One conversation in a wide window: each case goes on where the one before it ended. */
describe.runIf(hasTmux)("a screen that is kept", () => {
  let at: Scripted;
  let window: Window;
  const idle = /\n>$/u;
  beforeAll(async () => {
    at = scripted(answers, { files: { "area.ts": code } });
    at.home.put("editor", `sed -i 's/Math.abs(width \\* height)/Math.abs(width) * Math.abs(height)/' "$1"\n`);
    const env = { ...at.env, EDITOR: `sh ${join(at.home.folder, "editor")}` };
    window = openWindow({ ...at, env }, { columns: 140, rows: 36 });
    window.start(["--script", join(at.home.folder, "script.json"), "--on-mismatch", "refuse"]);
    await window.until(idle);
  });
  const answer = (words: string) => {
    window.type(words);
    window.keys("Enter");
  };

  it("has both sides of a change beside each other, and the change that was edited", async () => {
    await window.say("Only positive areas.", "[y]es");
    await kept(window, "beside");
    window.type("e");
    await window.until(/Edited by you[\s\S]*\n>$/u);
    await kept(window, "edited");
    expect(at.project.text("area.ts")).toContain("Math.abs(width) * Math.abs(height)");
  });

  it("has a refusal, a no with words, and the recovery from a State Mismatch", async () => {
    await window.say("Write beside it.", /It is outside[\s\S]*\n>$/u);
    await kept(window, "refusal");
    await window.say("Truncate.", "[y]es");
    answer("n not like this");
    await window.until(/not like this[\s\S]*\[y\]es/u);
    at.project.put("area.ts", at.project.text("area.ts").replace("abs(height)", "round(height)"));
    answer("y");
    await window.until(/shown the new state[\s\S]*\[y\]es/u);
    answer("y");
    await window.until(/Recovered[\s\S]*\n>$/u);
    await kept(window, "mismatch");
  });

  it("has a task from its start to its end, and a fork", async () => {
    await window.say("/task start Round it", /\n>$/u);
    answer("Work.");
    await window.until(/Worked in the task[\s\S]* · Round it · [^\n]*\n>$/u);
    answer("/task complete It is round.");
    await window.until(/completed[\s\S]*\n>$/u);
    await kept(window, "task");
    // Another session plays the script from its beginning.
    at.play([writing]);
    await window.say("/fork", /copy of[\s\S]*\n>$/u);
    await kept(window, "fork");
  });

  it("has scripts that run from the right, combining marks and joined emoji", async () => {
    await window.say("Write.", /cells[\s\S]*\n>$/u);
    window.type(`שלום e\u0301 ${family}`);
    await window.until(`> שלום e\u0301 ${family}`);
    await kept(window, "writing");
    // A letter with its mark, and people who are joined, go at once.
    window.keys("BSpace", "BSpace", "BSpace");
    await window.until(/> שלום$/u);
  });
});

it.runIf(hasTmux)(
  "edits as vi does, with a key of the person's own and an image of the clipboard",
  async () => {
    const settings = { ui: { editing: "vi", keys: { "ctrl-t": "ctrl-r" } } };
    const at = scripted([{ text: "Seen.", expects: ["two TWO three @clipboard:1"] }], { settings });
    at.home.put("bin/xclip", "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n'\n");
    chmodSync(join(at.home.folder, "bin/xclip"), 0o755);
    const env = { ...at.env, PATH: `${join(at.home.folder, "bin")}:${process.env.PATH}` };
    const window = openWindow({ ...at, env }, { columns: 60, rows: 12 });
    window.start(["--script", join(at.home.folder, "script.json")]);
    await window.until(/\n>$/u);
    window.type("one two three");
    window.keys("Escape");
    await window.until("NORMAL");
    window.type("0dwwiTWO ");
    await window.until(/> two TWO three$/u);
    window.keys("Escape");
    await window.until("NORMAL");
    window.type("d2");
    await window.until("NORMAL d2");
    await kept(window, "vi");
    window.keys("Escape");
    await window.until(/NORMAL(?! d)/u);
    window.type("A ");
    window.keys("C-v");
    await window.until("two TWO three @clipboard:1");
    window.keys("Enter");
    await window.until(/Seen[\s\S]*\n>$/u);
    window.keys("C-t");
    window.type("TWO");
    await window.until("(history: TWO) two TWO three @clipboard:1");
  },
);
