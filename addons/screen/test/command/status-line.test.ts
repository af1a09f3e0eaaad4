import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scripted } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow } from "./tmux.js";

function opened(statusLine: string) {
  const at = scripted([{ text: "Said." }], { settings: { ui: { statusLine } } });
  const window = openWindow(at, { columns: 60, rows: 12 });
  window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "ask"]);
  return { at, window };
}

describe.runIf(hasTmux)("a status line of one's own", () => {
  it("is what its command prints first, told of the state of things as commands of Claude Code are", async () => {
    const words = String.raw`cat > "$HOME/told.json"; printf '\033[31mmine\033[0m at %s\nmore' "$(basename "$PWD")"`;
    const { at, window } = opened(words);
    await window.until(/^mine at \S+ · \? for help ─*\n>$/mu);
    window.type("Say it.");
    window.keys("Enter");
    await window.until(/Said\.[\s\S]*\n>$/u);
    expect(window.screen()).not.toContain("more");
    const told = JSON.parse(at.home.text("told.json"));
    expect(told).toMatchObject({ hook_event_name: "Status", mode: "ask", cost: { total_cost_usd: 0 } });
    expect(told.model.id).toBe("script");
    expect(told.cwd).toBe(at.project.folder);
  });

  it.each(["exit 3", "sleep 60", "true"])(
    "is the usual one where its command says nothing: %s",
    async (one) => {
      const { window } = opened(one);
      await window.until(/scripted\/script · ask/u);
      window.keys("C-d");
      await window.until(/\$ ?$/u);
    },
  );
});
