import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chatWire } from "../../../../packages/agent/test/loopback/index.js";
import { provided, type Scripted, scripted, shell } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow } from "./tmux.js";

const idle = /\n>$/u;
const scriptOf = ({ home }: Scripted) => ["--script", join(home.folder, "script.json")];

/** Whether a disk of its own can be mounted here, without being root. */
const hasOwnMounts = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** Throws where no code of ours catches it: at the signal, as a bug would. */
const crash = "process.on('SIGUSR2', () => { throw new Error('a bug \\u001b[2J'); });\n";

describe.runIf(hasTmux)("a terminal that goes wrong", () => {
  it("has its modes of before at every end, and what went wrong below the screen", async () => {
    const at = scripted([{ text: "Hi." }]);
    at.home.put("crash.cjs", crash);
    const window = openWindow(at, { columns: 80, rows: 24 });
    const around = (id: string) => `m=$(stty -g); %; echo "${id} $?"; test "$m" = "$(stty -g)" && echo same`;
    const start = async (id: string, around_ = around(id)) => {
      window.start(scriptOf(at), around_);
      await window.until(/for help[ ─]*\n>$/u);
    };
    const ended = (id: string, code: number) => window.until(`${id} ${code}\nsame\n$`);
    await start("Ctrl-D");
    window.keys("C-d");
    await ended("Ctrl-D", 0);
    await start("quit");
    window.type("/quit");
    window.keys("Enter");
    await ended("quit", 0);
    await start("Ctrl-C");
    window.keys("C-c");
    await window.until("once more");
    window.keys("C-c");
    await ended("Ctrl-C", 0);
    for (const [name, code] of [
      ["SIGTERM", 143],
      ["SIGHUP", 129],
    ] as const) {
      await start(name);
      window.signal(name);
      await ended(name, code);
    }
    for (const key of ["x", "?"]) {
      const env = `NODE_OPTIONS="--require ${join(at.home.folder, "crash.cjs")}"`;
      await start("bug", around("bug").replace("%", `${env} %`));
      window.type(key);
      await window.until(key === "x" ? /> x$/u : /^Keys/u);
      window.signal("SIGUSR2");
      await window.until("holdfast: internal error: a bug ?[2J\nbug 1\nsame\n$");
    }
    window.start(["-p", "Hi.", ...scriptOf(at)], around("print"));
    await ended("print", 0);
  });

  it("closes in mid-turn: the program ends without a core, and its session goes on", async () => {
    const at = scripted([shell("touch begun; sleep 60")]);
    const window = openWindow(at, { columns: 80, rows: 24 });
    // The shell stays, to say how the program ended.
    window.start([...scriptOf(at), "--approval-mode", "yolo"], `sh -c "trap : HUP; %; echo \\$? > ended"`);
    await window.until(idle);
    window.type("Wait long.");
    window.keys("Enter");
    await expect.poll(() => at.project.has("begun")).toBe(true);
    window.close();
    await expect.poll(() => at.project.has("ended") && at.project.text("ended")).toMatch(/^(7|129)\n$/u);
    const { stdout } = await at.bare.run(["sessions", "list", "--json"]);
    const verified = await at.bare.run(["sessions", "verify", JSON.parse(stdout).sessions[0].id]);
    expect(verified.code, verified.stdout).toBe(0);
    at.play([{ text: "Here again.", expects: ["Wait long."] }]);
    expect(await at.run(["-c", "-p", "Go on."])).toMatchObject({ code: 0, stdout: "Here again.\n" });
  });

  it("is stopped by SIGSTOP, and has any size while an answer streams", async () => {
    const text = `Begun ${"and more of it ".repeat(20)}ended.`;
    const at = await provided(chatWire, [{ text, fault: { kind: "slow", pauseMs: 10 } }]);
    const window = openWindow(at, { columns: 80, rows: 24 });
    window.record(join(at.home.folder, "written"));
    // No shell takes the terminal while the program is stopped.
    window.start([], 'sh -c "%; true"');
    await window.until(idle);
    window.type("Go.");
    window.keys("Enter");
    await window.until("Begun");
    window.signal("SIGSTOP");
    window.type("meanwhile");
    window.signal("SIGCONT");
    await window.until(/> Go\.\nBegun[\s\S]*\n> meanwhile$/u);
    for (const [columns, rows, shown] of [
      [40, 10, /> meanwhile$/u],
      [1, 1, /^e$/u],
      [3, 2, /e$/u],
      [33, 24, /> meanwhile$/u],
      [80, 24, /ended\.\n[\s\S]*> meanwhile$/u],
    ] as const) {
      window.resize(columns, rows);
      await window.until(shown);
    }
    const shown = window.whole().replace(/\s+/gu, "");
    // What a window of one row pushed off the screen stays there; the answer is whole, and once.
    expect(shown.split(text.replace(/\s+/gu, ""))).toHaveLength(2);
    expect(shown.match(/>Go\./gu)).toHaveLength(1);
    window.keys("C-c");
    await window.until(/1 request[\s\S]*\n>$/u);
    window.keys("C-d");
    await window.until(/\n\$$/u);
    // Each set of modes that was asked for is given back: terminals count that.
    const count = (mode: string) => at.home.text("written").split(`\u001b[${mode}`).length - 1;
    expect([count(">5u"), count("<u")]).toEqual([2, 2]);
  });

  it.runIf(hasOwnMounts)(
    "says that the disk is full, forgets no words, and goes on once there is room",
    async () => {
      const at = scripted([{ text: "One." }, { text: "Two.\n".repeat(900) }, { text: "Three." }]);
      at.home.put("state/.keep", "");
      const state = join(at.home.folder, "state");
      const window = openWindow(at, { columns: 80, rows: 24 });
      const mount = `mount -t tmpfs -o size=4m tmpfs ${state}`;
      window.start(
        scriptOf(at),
        `m=$(stty -g); unshare -rm sh -c "${mount} && %"; test "$m" = "$(stty -g)" && echo same`,
      );
      await window.until(idle);
      const say = async (words: string, shown: string | RegExp) => {
        window.keys("C-l");
        window.type(words);
        window.keys("Enter");
        await window.until(shown);
        await window.until(idle);
      };
      await say("First.", "One.");
      await say(`!cat /dev/zero > ${state}/full`, "No space");
      await say("Second.", /was kept in session \w+: the\s+disk is full\. Make some room and try again\./u);
      window.keys("Up");
      await window.until("> Second.");
      window.keys("C-c");
      await say(`!rm ${state}/full`, "rm");
      await say("Third.", "Three.");
      window.keys("C-d");
      await window.until("same\n$");
    },
  );
});
