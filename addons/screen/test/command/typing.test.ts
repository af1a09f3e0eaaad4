import { statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { done, type Scripted, scripted, shell } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux, openWindow, type Window } from "./tmux.js";

const ok = (...expects: readonly string[]) => ({ text: `Got ${expects[0]?.length ?? 0}.`, expects });

const answers: readonly object[] = [
  ok("first\nsecond\nthird\nfourth"),
  ok("a\nb\nc\nd\ne"),
  // Steering: below the result of the first command, then one that waits for the end.
  shell("until test -e go; do sleep 0.1; done"),
  { ...shell("true"), expects: ["Use tabs."] },
  { text: "Steered." },
  ok("Afterwards."),
  // Ended by Ctrl-C.
  shell("sleep 100"),
  // After fg.
  ok("one\ntwo"),
  ok("the editor wrote this"),
  ok("last words"),
];

/** A prompt that waits, on the last line of the screen. */
const idle = /^>$/m;

/** One conversation in a window of tmux: each case goes on where the one before it ended. */
describe.runIf(hasTmux)("typing in a terminal", () => {
  let at: Scripted;
  let window: Window;
  const flags = () => ["--script", join(at.home.folder, "script.json"), "--approval-mode", "yolo"];
  beforeAll(async () => {
    at = scripted(answers);
    at.home.put("editor", 'printf "the editor wrote this\\n" > "$1"\n');
    const env = { ...at.env, EDITOR: `sh ${join(at.home.folder, "editor")}` };
    window = openWindow({ ...at, env });
    window.start(flags());
    await window.until(idle);
  });
  const clear = () => window.keys("C-l");

  it("makes one prompt of a paste of four lines", async () => {
    window.paste("first\nsecond\nthird\nfourth");
    await window.until("  fourth");
    expect(window.screen()).toContain("> first\n  second\n  third\n  fourth");
    expect(window.cursor().column).toBe(8);
    window.keys("Enter");
    await window.until("Got 25.");
  });

  it("breaks the line where a person asks for it", async () => {
    window.type("a\\");
    window.keys("Enter");
    window.type("b");
    window.keys("C-j");
    window.type("c");
    window.keys("M-Enter");
    window.type("d");
    // Shift-Enter, as kitty reports it.
    window.bytes("1b 5b 31 33 3b 32 75");
    window.type("e");
    await window.until("> a\n  b\n  c\n  d\n  e");
    window.keys("Enter");
    await window.until("Got 9.");
  });

  it("does nothing for an empty Enter, and puts a blank behind a command that is whole", async () => {
    clear();
    window.keys("Enter", "Enter");
    window.type("/his");
    window.keys("Tab");
    window.type("v");
    await window.until(/^> \/history v$/m);
    window.keys("Tab", "C-c");
    await window.until(idle);
  });

  it("shows what is typed during work, and sends it with the next request or after the turn", async () => {
    clear();
    window.type("Go.");
    window.keys("Enter");
    await window.until("> Go.");
    window.type("Use tabs.");
    window.keys("Enter");
    window.type("Afterwards.");
    window.keys("M-Enter");
    window.type("/mode");
    window.keys("Enter");
    window.type("half a li");
    await window.until(
      /step: Use tabs\.\n {2}after the turn: Afterwards\.\n {2}after the turn: \/mode\n.*\n> half a li$/,
    );
    at.project.put("go", "");
    await window.until(
      /> Go\.\n.*> Use tabs\.\n.*Steered\.\n.*> Afterwards\.\nGot 11\.\n.*> \/mode\n.*> half a li$/s,
    );
    window.keys("C-c");
    await window.until(idle);
  });

  it("has three meanings for Ctrl-C: clear, end the turn, leave", async () => {
    clear();
    window.type("Sleep.");
    window.keys("Enter");
    await window.until("> Sleep.");
    window.type("half");
    await window.until("> half");
    window.keys("C-c");
    await window.until(/> Sleep\.\n[^\n]*\$ sleep 100[^\n]*\n[^\n]*$/);
    window.type("for later");
    window.keys("Enter");
    await window.until("after this step: for later");
    window.keys("C-c");
    await window.until("Cancelled.");
    // What waited for the turn is the person's again.
    await window.until("> for later");
    window.keys("C-c");
    await window.until(idle);
    window.keys("C-c");
    await window.until("Ctrl-C once more leaves.");
    // A second one that comes later is another first one.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    window.keys("C-c");
    window.type("x");
    window.keys("BSpace");
  });

  it("stops for Ctrl-Z, and goes on with its modes", async () => {
    clear();
    window.type("kept");
    await window.until("> kept");
    window.keys("C-z");
    await window.until("Stopped");
    window.type("fg");
    window.keys("Enter");
    await window.until(/^> kept$/m);
    window.keys("C-c");
    window.paste("one\ntwo");
    await window.until("> one\n  two");
    window.keys("Enter");
    await window.until("Got 7.");
  });

  it("opens the editor on the text", async () => {
    window.type("draft");
    window.keys("C-g");
    await window.until("> the editor wrote this");
    window.keys("Enter");
    await window.until("Got 21.");
    await window.until(idle);
  });

  it("lives in a narrow window, with wide letters", async () => {
    window.resize(40, 12);
    clear();
    await window.until(idle);
    window.type("日本語".repeat(13));
    // 19 letters of two cells fit behind the sign and before the last column, then 18 in each line.
    await window.until(/語日本語$/m);
    const lines = window.screen().split("\n").slice(1);
    expect(lines.map((line) => [...line].length)).toEqual([20, 20, 5]);
    expect(window.cursor()).toEqual({ column: 8, row: 3 });
    window.keys("C-a", "C-k");
    await window.until(idle);
  });

  it("survives bytes that are none, a window of one cell, and a paste of 10 MB", async () => {
    window.bytes("ff fe 41");
    await window.until("> ��A");
    // The same within the marks of a paste, with a letter that is cut and half of a pair.
    window.bytes("1b 5b 32 30 30 7e ff c3 28 ed a0 80 42 1b 5b 32 30 31 7e");
    await window.until("> ��A��(���B");
    window.keys("C-c");
    window.resize(1, 1);
    window.type("abc");
    window.resize(90, 20);
    await window.until("> abc");
    window.paste(`${"0123456789".repeat(99)}\n`.repeat(10_500));
    await window.until("> abc[paste, 10,501 lines]");
    window.keys("C-c");
    await window.until(idle);
  });

  it("keeps its history over a restart, for this person alone", async () => {
    window.keys("C-d");
    await window.until(/^\$$/m);
    expect(statSync(join(at.home.folder, "state/holdfast/input/history-1.jsonl")).mode & 0o777).toBe(0o600);
    at.play([ok("last words")]);
    window.start(flags());
    await window.until(idle);
    window.keys("Up");
    await window.until("> the editor wrote this");
    window.keys("Up", "Up", "Up");
    await window.until("> for later");
    window.keys("C-c", "C-r");
    window.type("seco");
    await window.until("(history: seco) first\n  second");
    window.keys("Escape");
    await window.until("> first\n  second");
    window.keys("C-c");
    window.type("last words");
    window.keys("Enter");
    await window.until("Got 10.");
    window.keys("C-d");
    await window.until(/`holdfast -r \w{26}` goes on with this conversation\.\n\$$/m);
  });

  it("sends a line that was typed before it had started", async () => {
    at.play([ok("early words")]);
    window.start(flags(), "echo begun; sleep 0.5; %");
    await window.until(/^begun$/m);
    window.type("early words");
    window.keys("Enter");
    await window.until("Got 11.");
    window.keys("C-d");
    await window.until(/^\$$/m);
  });

  it("leaves the terminal as it was when a signal ends it", async () => {
    window.start(flags(), `sh -c "%; stty -a; cat -v"`.replace(/'/g, ""));
    await window.until(idle);
    window.signal("SIGTERM");
    await window.until(/ icanon .* echo /s);
    window.paste("plain\n");
    await window.until(/^plain\nplain$/m);
    window.keys("C-d");
    await window.until(/^\$$/m);
  });

  it("reads plain lines where the terminal cannot move its cursor", async () => {
    at.play([ok("plain words"), done]);
    window.keys("C-l");
    window.start(flags(), "TERM=dumb %");
    await window.until(idle);
    window.keys("Enter");
    window.type("plain words");
    window.keys("Enter");
    await window.until("Got 11.");
    window.keys("C-d");
    await window.until(/> \$$/m);
  });
});
