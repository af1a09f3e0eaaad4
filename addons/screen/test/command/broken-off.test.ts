import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, scripted, shell } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow } from "./tmux.js";

const idle = /\n>$/u;

describe.runIf(hasTmux)("a screen whose work is broken off", () => {
  it("ends a command by Ctrl-C, goes on after a kill -9, and is not opened twice", async () => {
    const at = scripted([shell("sleep 60"), shell("sleep 61")]);
    const script = ["--script", join(at.home.folder, "script.json"), "--approval-mode", "yolo"];
    const window = openWindow(at, { columns: 40, rows: 10 });
    window.start(script);
    await window.until(idle);
    window.type("Wait long.");
    window.keys("Enter");
    // It has begun: before, it is cancelled without having run.
    await window.until(/sleep 60 … [1-9]\d* s/u);
    window.keys("C-c");
    await window.until(/Cancelled[\s\S]*\n>$/u);
    await expect(`${window.screen().replaceAll(/\d+\.\d s/gu, "N s")}\n`).toMatchFileSnapshot(
      "screens/cancelled.txt",
    );
    window.type("Wait longer.");
    window.keys("Enter");
    await window.until("sleep 61");
    const other = await at.run(["-c", "-p", "Me, too."]);
    expect(other.code, other.stderr).toBe(7);
    expect(other.stderr).toContain("is being written by process");
    window.signal("SIGKILL");
    await window.until(/Killed[\s\S]*\$ ?$/u);
    window.keys("Enter");
    at.play([{ text: "Here again." }]);
    window.start(["-c", ...script], "reset; %");
    await window.until(idle);
    window.type("Go on.");
    window.keys("Enter");
    await window.until("Here again.");
    window.keys("C-d");
    const { stdout } = await at.bare.run(["sessions", "list", "--json"]);
    const verified = await at.bare.run(["sessions", "verify", JSON.parse(stdout).sessions[0].id]);
    expect(verified.code, verified.stdout).toBe(0);
  });

  it("is read in a second window while the first one writes, and goes on in it afterwards", async () => {
    const answers = [{ text: "**One** is said." }, shell("sleep 60"), { text: "Two is said." }];
    const at = scripted(answers);
    const script = ["--script", join(at.home.folder, "script.json"), "--approval-mode", "yolo"];
    const [first, second] = [openWindow(at), openWindow(at, { columns: 60, rows: 24 })];
    first.start(script);
    await first.until(idle);
    first.type("Say one.");
    first.keys("Enter");
    await first.until(/One is said[\s\S]*\n>$/u);
    first.type("Say two.");
    first.keys("Enter");
    await first.until("sleep 60");
    second.start(["-c", ...script]);
    await second.until(/> Say one\.\nOne is said\.\n[\s\S]*> Say two\./u);
    expect(second.screen()).toContain("is being written");
    const plain = openWindow({ ...at, env: { ...at.env, TERM: "dumb" } });
    plain.start(["-c", ...script]);
    await plain.until(/has ended\.\n> Say one\.\nOne is said\.\n> Say two\.\n>$/u);
    plain.close();
    second.type("Me, too.");
    second.keys("Enter");
    await second.until("writes: Me, too.");
    first.keys("C-c");
    await second.until("run_shell_command sleep 60 ✗");
    first.keys("C-d");
    await first.until(/\$ ?$/u);
    // A later session of the folder is not the one that is read.
    at.play([{ text: "Elsewhere." }]);
    expect((await at.run(["-p", "Where?"])).code).toBe(0);
    at.play([{ text: "Here I am." }]);
    second.type("And now?");
    second.keys("Enter");
    await second.until("Here I am.");
    expect(second.screen().match(/One is said/gu)).toHaveLength(1);
    await expect(
      `${second.screen().replaceAll(/\d+\.\d s|process \d+|01\w{24}/gu, "N")}\n`,
    ).toMatchFileSnapshot("screens/read-along.txt");
    expect(second.screen()).not.toContain("Elsewhere.");
    second.keys("C-d");
  });

  it("is shown with all that was said each time that it is opened, and in place of another one", async () => {
    const read = { calls: [call("read_file", { file_path: "a.txt" })] };
    const at = scripted([read, { text: "Once." }], { files: { "a.txt": "a\n" } });
    for (const words of ["Of one.", "Of two."]) await at.run(["-p", words]);
    const { stdout } = await at.bare.run(["sessions", "list", "--json"]);
    const [two = "", one = ""] = JSON.parse(stdout).sessions.map(({ id }: { readonly id: string }) => id);
    const script = ["--script", join(at.home.folder, "script.json")];
    const [window, other] = [openWindow(at), openWindow(at)];
    window.start(["-r", one, ...script]);
    await window.until(idle);
    await window.say("Once more?", /2 requests[\s\S]*\n>$/u);
    await window.say(`/resume ${two}`, /Of two\.[\s\S]*\n>$/u);
    const all =
      /> Of one\.\nread_file a\.txt → 1-1 v1\nOnce\.\n> Once more\?\nread_file a\.txt → 1-1 v1\nOnce\.\n[\s\S]*\n>$/u;
    await window.say(`/resume ${one}`, all);
    other.start(["-r", two, ...script]);
    await other.until(idle);
    await window.say(`/resume ${two}`, /> Of two\.[\s\S]*Once\.\n>$/u);
    window.type("Me, too.");
    window.keys("Enter");
    await window.until("writes: Me, too.");
    window.keys("C-d");
    other.keys("C-d");
  });
});
