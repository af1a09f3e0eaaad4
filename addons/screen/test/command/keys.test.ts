import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scripted } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow } from "./tmux.js";

describe("keys that a person has put in the place of others", () => {
  it.runIf(hasTmux)("do what those do, in the tree, too, and Ctrl-C still leaves", async () => {
    const keys = { "ctrl-t": "ctrl-r", "ctrl-n": "down", "ctrl-p": "up", "ctrl-d": "", escape: "" };
    const at = scripted([{ text: "Said." }], { settings: { ui: { keys } } });
    const window = openWindow(at, { columns: 60, rows: 20 });
    window.start(["--script", join(at.home.folder, "script.json")]);
    await window.until(/\n>$/u);
    window.type("?");
    await window.until(/ctrl-t does what ctrl-r does.*[\s\S]*ctrl-d does nothing/u);
    window.type("q");
    await window.until(/\n>$/u);
    window.type("Find me again.");
    window.keys("Enter");
    await window.until(/Said\.[\s\S]*\n>$/u);
    window.keys("C-t");
    window.type("again");
    await window.until("(history: again) Find me again.");
    window.keys("Enter");
    await window.until(/> Find me again\.[\s\S]*> Find me again\./u);
    await window.until(/\n>$/u);
    window.type("/history view");
    window.keys("Enter");
    await window.until(/▸.*you are here/u);
    window.keys("C-p");
    await window.until(/▸ (?!.*you are here)/u);
    window.keys("C-c");
    await window.until(/\n>$/u);
    window.keys("C-d", "C-c");
    await window.until("Ctrl-C once more leaves.");
    // On a slow machine the first of them comes too late, and counts again.
    window.keys("C-c", "C-c");
    await window.until(/\$$/u);
  });

  it.each([
    ["ctrl-c", "", "Ctrl-C stays what it is"],
    ["ctrl-c", "ctrl-d", "Ctrl-C stays what it is"],
    ["Ctrl+T", "ctrl-r", '"Ctrl+T" is no key'],
    ["ctrl-t", "shift-ctrl-x", '"shift-ctrl-x" is no key'],
    ["t", "ctrl-r", '"t" is no key'],
  ])("are refused where %j stands for %j", async (key, by, says) => {
    const at = scripted([{ text: "Said." }], { settings: { ui: { keys: { [key]: by } } } });
    const { code, stderr } = await at.run(["-p", "Hello."]);
    expect([code, stderr]).toEqual([52, expect.stringContaining(says)]);
  });
});
