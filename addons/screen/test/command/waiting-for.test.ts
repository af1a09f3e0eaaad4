import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, done, scripted } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow } from "./tmux.js";

describe.runIf(hasTmux)("what a turn waits for", () => {
  it("is a hook that takes long, named in the status line while it runs", async () => {
    const script = [{ calls: [call("read_file", { file_path: "a.txt" })] }, done];
    const settings = { hooks: { beforeTool: [{ command: "until test -e go; do sleep 0.1; done" }] } };
    const at = scripted(script, { files: { "a.txt": "a\n" }, settings });
    const window = openWindow(at, { columns: 140, rows: 20 });
    window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "yolo"]);
    await window.until(/\n>$/u);
    window.type("Read it.");
    window.keys("Enter");
    await window.until(/hook until test -e go; do sleep 0\.1; done: [1-9]\d* s/u);
    at.project.put("go", "");
    await window.until(/Done\.[\s\S]*\n>$/u);
    expect(window.screen()).not.toContain("hook until");
  });
});
