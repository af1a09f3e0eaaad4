import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { done, scripted, shell, write } from "../../../../packages/cli/test/agent/provided.js";
import { until } from "../../../../test/until.js";
import { hasTmux, openWindow } from "./tmux.js";

const rules = [{ tool: "run_shell_command", decision: "allow" }];
const running = shell("touch begun; until test -e go; do sleep 0.1; done");
const idle = /^>$/m;
/** The end of the choices for a file that is written: they are shown once the question listens. */
const asked = "[e]dit:";

/** A window in which the model runs a command until there is `go`, and then wants to write a file. */
function working(around?: string) {
  const script = [running, { calls: [write("a.txt", "a\n")] }, done];
  const at = scripted(script, { settings: { approval: { rules } } });
  const window = openWindow(at, { columns: 80, rows: 24 });
  window.start(["--script", join(at.home.folder, "script.json")], around);
  const begun = async () => {
    await until(() => at.project.has("begun"));
  };
  return { window, begun, isWritten: () => at.project.has("a.txt"), go: () => at.project.put("go", "") };
}

describe.runIf(hasTmux)("a question that opens while a person types", () => {
  it("leaves the line what it was, and listens once that is sent", async () => {
    const { window, isWritten, go, begun } = working();
    await window.until(idle);
    window.type("Go.");
    window.keys("Enter");
    await begun();
    window.type("why not ");
    await window.untilAt("why not");
    go();
    await window.until("A question waits above");
    window.type("y");
    window.keys("Enter");
    await window.untilAt(asked);
    expect([isWritten(), window.screen().includes("why not y")]).toEqual([false, true]);
    window.type("y");
    window.keys("Enter");
    await window.until("Done.");
    expect(isWritten()).toBe(true);
  });

  it("is answered by no key that came at the same time; Ctrl-C clears the line, Esc ends the turn", async () => {
    const { window, isWritten, go, begun } = working();
    await window.until(idle);
    window.type("Go.");
    window.keys("Enter");
    await begun();
    window.type("y");
    await window.untilAt("y");
    go();
    await window.until("A question waits above");
    window.keys("C-c");
    await window.untilAt(asked);
    window.keys("Escape");
    await window.until("Cancelled");
    expect(isWritten()).toBe(false);
  });

  it("stays a line in a terminal that cannot move its cursor", async () => {
    const { window, isWritten, go, begun } = working("TERM=dumb %");
    await window.until("Ctrl-D leaves");
    window.type("Go.");
    window.keys("Enter");
    await begun();
    window.type("y");
    await window.untilAt("y");
    go();
    await window.untilAt(asked);
    window.keys("Enter");
    // It is asked again: the line was begun before.
    await window.until(/Do it\?[\s\S]*Do it\?/u);
    await window.untilAt(asked);
    expect(isWritten()).toBe(false);
    window.type("y");
    window.keys("Enter");
    await window.until("Done.");
    expect(isWritten()).toBe(true);
  });
});

describe.runIf(hasTmux)("a window that is too small for a question", () => {
  it("takes a no, but no yes until it is larger", async () => {
    const { window, isWritten, go, begun } = working();
    await window.until(idle);
    window.type("Go.");
    window.keys("Enter");
    await begun();
    window.resize(20, 5);
    go();
    await window.untilAt(asked);
    window.type("y");
    window.keys("Enter");
    // It is asked again, with the reason above it.
    await until(() => window.whole().replaceAll(/\s/gu, "").includes("toosmalltoshow"));
    await window.untilAt(asked);
    expect(isWritten()).toBe(false);
    window.resize(80, 24);
    await window.until("too small to show what is asked");
    await window.untilAt(asked);
    window.type("y");
    window.keys("Enter");
    // What was asked in the small window is asked once more in this one.
    await window.until(/too small[\s\S]*too small/u);
    await window.untilAt(asked);
    window.type("y");
    window.keys("Enter");
    await window.until("Done.");
    expect(isWritten()).toBe(true);
  });
});

describe.runIf(hasTmux)("a terminal that speaks kitty's protocol, with a Cyrillic layout", () => {
  it("ends a turn by Ctrl and the key at the place of C", async () => {
    const { window, begun } = working();
    await window.until(idle);
    window.type("Go.");
    window.keys("Enter");
    await begun();
    window.bytes("1b 5b 31 30 38 39 3a 3a 39 39 3b 35 75");
    await window.until("Cancelled");
  });
});
