import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { call, type Scripted, scripted, shell } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow, type Window } from "./tmux.js";

const markdown = [
  "# What is wrong",
  "The *first* line is **long**: 日本語 and e\u0301, שלום, 🙂 and `code`.",
  "- one\n- two",
  "```ts\nconst one = 1;\n```",
  "| name | lines |\n|---|--:|\n| a.ts | 12 |",
  "The end.",
].join("\n\n");
const evil = "evil\u001b[2Jname.txt";

const answers: readonly object[] = [
  { text: markdown },
  { thought: "word ".repeat(40), calls: [call("run_shell_command", { command: "seq 10000" })] },
  { text: "Counted." },
  { calls: [call("read_file", { file_path: evil })] },
  { text: "Read." },
  { text: "Seen." },
];

/** One conversation in a window of 80×24: each case goes on where the one before it ended. */
describe.runIf(hasTmux)("the screen", () => {
  let at: Scripted;
  let window: Window;
  const idle = /\n>$/u;
  beforeAll(async () => {
    at = scripted(answers, {
      files: {
        [evil]: "text \u001b]0;title\u0007\n",
        "gamma.txt": "three\n",
        "src/alpha.ts": "",
        "src/beta.ts": "",
      },
    });
    window = openWindow(at, { columns: 80, rows: 24 });
    window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "ask"]);
    await window.until(idle);
  });
  const say = async (words: string, shown: string | RegExp) => {
    await window.say(words, shown);
    await window.until(idle);
  };

  it("draws an answer as Markdown", async () => {
    await say("Show it.", "The end.");
    const shown = window.screen().replace(/\d+\.\d s/u, "N s");
    await expect(`${shown}\n`).toMatchFileSnapshot("screens/markdown.txt");
  });

  it("goes through the modes with Shift-Tab", async () => {
    for (const mode of ["auto-edit", "yolo"]) {
      window.keys("BTab");
      await window.until(` · ${mode} · `);
    }
  });

  it("lists the keys, and leaves nothing behind", async () => {
    window.type("?");
    await window.until(/^Keys\nEnter /u);
    window.keys("q");
    await window.until(/\n>$/u);
    expect(window.screen()).not.toContain("Ctrl+R");
  });

  it("shows an output of 10,000 lines in three, and whole on demand", async () => {
    await say("Count.", "Counted.");
    expect(window.screen().match(/^ {2}(9998|9999|10000)$/gmu)).toHaveLength(3);
    window.keys("C-o");
    await window.until(/^\$ seq 10000/u);
    window.type("/9998");
    window.keys("Enter");
    await window.until(/^9998$/mu);
    window.type("[");
    await window.until(/^Thought/u);
    window.keys("Escape");
    await window.until(idle);
  });

  it("shows escape sequences of names and texts as what they are", async () => {
    await say("Read it.", "Read.");
    expect(window.screen()).toContain("read ✗ evil\\u001b[2Jname.txt: ");
  });

  it("shows what a command of the person prints as it comes", async () => {
    await window.say(
      "!echo first; until test -e go; do sleep 0.1; done",
      /\$ echo first.* \d s\n {2}first\n/u,
    );
    at.project.put("go", "");
    await window.until("The command has run.");
    await window.until(idle);
  });

  it("says how many files of the prompt are other by now", async () => {
    await say("Look at @gamma.txt.", "Seen.");
    at.project.put("gamma.txt", "changed by another\n");
    await say("/todos", / · 1 read file changed · /u);
    at.project.put("gamma.txt", "three\n");
    await say("/todos", / · yolo · \? for help/u);
  });

  it("offers what a name may become, and takes what is chosen", async () => {
    window.type("@src/");
    await window.until(/> @src\/\n {2}@src\/alpha\.ts\n {2}@src\/beta\.ts$/u);
    window.keys("Down", "Down");
    await window.until(/> @src\/\n.*\n> @src\/beta\.ts$/u);
    window.keys("Enter");
    await window.until(/for help ─*\n> @src\/beta\.ts$/u);
    window.keys("C-c");
    await window.until(idle);
  });
});

describe.runIf(hasTmux)("the commands of a turn", () => {
  const inBackground = (command: string) => shell(command, { background: true }).calls;

  it("show the last that they print, and all of it on demand", async () => {
    const at = scripted([shell("seq 10000; until test -e go; do sleep 0.05; done"), { text: "Over." }]);
    const window = openWindow(at, { columns: 80, rows: 24 });
    window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "yolo"]);
    await window.until(/\n>$/u);
    window.type("Go.");
    window.keys("Enter");
    await window.until(
      / s\n {2}… 9,995 lines before, Ctrl\+O\n {2}9996\n(?:.*\n){3} {2}10000\n.* for help ─*$/u,
    );
    window.resize(80, 10);
    await window.until(/ s\n {2}… 9,999 lines before, Ctrl\+O\n {2}10000\n/u);
    window.keys("C-o");
    await window.until(/^\$ seq 10000.*\n1\n2\n/u);
    window.type("/9998");
    window.keys("Enter");
    await window.until(/^9998$/mu);
    window.keys("q");
    at.project.put("go", "");
    await window.until("Over.");
  });

  it("leave no copy of the tail in the scrollback, cleared or in a window that became low", async () => {
    const at = scripted([shell("seq 20; until test -e go; do sleep 0.05; done"), { text: "Over." }]);
    const window = openWindow(at, { columns: 80, rows: 24 });
    window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "yolo"]);
    await window.until(/\n>$/u);
    window.type("Go.");
    window.keys("Enter");
    await window.until(/ {2}20\n.* for help ─*$/u);
    window.keys("C-l");
    await window.until(/^. \$ seq 20; .*\n.* before, Ctrl\+O\n/u);
    window.resize(80, 6);
    await window.until(/^. \$ seq 20; .*\n {2}20\n.* for help ─*$/u);
    expect(window.whole().match(/ for help ─*$/gmu)).toHaveLength(1);
    at.project.put("go", "");
    await window.until("Over.");
  });

  it("have a line each in the background, which ends with how they ended", async () => {
    const at = scripted([
      { calls: [...inBackground("exec sleep 600"), ...inBackground("sleep 0.6; echo oops; exit 3")] },
      { text: "Begun." },
    ]);
    const window = openWindow(at, { columns: 80, rows: 24 });
    window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "yolo"]);
    await window.until(/\n>$/u);
    window.type("Go.");
    window.keys("Enter");
    await window.until(/^In the background: c2 \$ sleep 0\.6; .* … ended after \d+ s, exit 3\.$/mu);
    await window.until(/\nbackground c1 \$ exec sleep 600 … runs for \d+ s\n.* for help ─*\n>$/u);
    window.type("/background");
    window.keys("Enter");
    await window.until(/^c2 \$ sleep 0\.6; .*\noops\n/u);
    window.keys("q");
    await window.until(/\n>$/u);
    window.type("/background c1 --kill");
    window.keys("Enter");
    await window.until(/\nc1 \$ exec sleep 600 … ended after \d+ s, killed\.\n\S+ · .* for help ─*\n>$/u);
  });
});

it.runIf(hasTmux)("draws nothing anew for those who hear the terminal", async () => {
  const { home, ...at } = scripted([{ ...shell("echo hi") }, { text: "Done.\nReally." }]);
  const window = openWindow(at, { columns: 80, rows: 24 });
  window.start(["--reading", "--script", join(home.folder, "script.json"), "--approval-mode", "yolo"]);
  await window.until(/\n>$/u);
  window.type("Go.");
  window.keys("Enter");
  await window.until(/> Go\.\n\$ echo hi … [^\n]*\n {2}hi\nDone\.\nReally\.\n2 requests[^\n]*\n>$/u);
});
