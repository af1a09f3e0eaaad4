import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, scripted } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux } from "./on-screen.js";
import { openWindow } from "./tmux.js";

const code = `${Array.from({ length: 400 }, (_, at) => `line ${at + 1}`).join("\n")}\n`;
const edits = [3, 20].map((line) => ({ old_string: `line ${line}\n`, new_string: `LINE ${line}\n` }));
const base = { base_content_sha256: "{{sha256:a.txt}}" };
/** The model reads the beginning of a file, and changes it. */
const answers = [
  { calls: [call("read_file", { file_path: "a.txt", limit: 40 })] },
  { calls: [call("edit_file", { file_path: "a.txt", ...base, edits })] },
  { text: "Over." },
];

function opened(editor?: (file: string) => string) {
  const at = scripted(answers, { files: { "a.txt": code } });
  at.home.put("editor", editor?.(join(at.project.folder, "a.txt")) ?? "");
  const env = editor === undefined ? {} : { EDITOR: `sh ${join(at.home.folder, "editor")}` };
  const window = openWindow({ ...at, env: { ...at.env, ...env } }, { columns: 110, rows: 45 });
  window.start(["--script", join(at.home.folder, "script.json"), "--approval-mode", "ask"]);
  const answer = async (words: string, shown: string | RegExp) => {
    window.type(words);
    window.keys("Enter");
    await window.until(shown);
  };
  return { at, window, answer };
}

describe.runIf(hasTmux)("a person who changes what the model proposes", () => {
  it("is asked again where there is no editor, and takes one change of a file that was read in part", async () => {
    const { at, window, answer } = opened();
    await window.until(/\n>$/u);
    await answer("Change two lines.", /\(1-2\): *$/u);
    await answer("e", /No editor is named\.[\s\S]*\(1-2\): *$/u);
    await answer("2", "Over.");
    expect(at.project.text("a.txt")).toBe(code.replace("line 20\n", "LINE 20\n"));
  });

  it("is asked again after a number that no change has: a slip is no answer", async () => {
    const { at, window, answer } = opened();
    await window.until(/\n>$/u);
    await answer("Change two lines.", /\(1-2\): *$/u);
    await answer("1 3", /No parts have these numbers[\s\S]*\(1-2\): *$/u);
    await answer("1", "Over.");
    expect(at.project.text("a.txt")).toBe(code.replace("line 3\n", "LINE 3\n"));
  });

  it("writes another text in the editor", async () => {
    const { at, window, answer } = opened(() => 'sed -i s/LINE/ours/ "$1"\n');
    await window.until(/\n>$/u);
    await answer("Change two lines.", /\(1-2\): *$/u);
    await answer("e", "Over.");
    expect(at.project.text("a.txt")).toBe(code.replace(/line (3|20)\n/gu, "ours $1\n"));
  });

  it("is asked again after leaving the editor without a change: to look is no yes", async () => {
    const { at, window, answer } = opened(() => "true\n");
    await window.until(/\n>$/u);
    await answer("Change two lines.", /\(1-2\): *$/u);
    await answer("e", /Nothing was edited\.[\s\S]*\(1-2\): *$/u);
    expect(at.project.text("a.txt")).toBe(code);
    await answer("y", "Over.");
    expect(at.project.text("a.txt")).toBe(code.replace(/line (3|20)\n/gu, "LINE $1\n"));
  });

  it("writes nothing over a file that others changed while the editor was open", async () => {
    const { at, window, answer } = opened((file) => `echo other >> ${file}; echo mine >> "$1"\n`);
    await window.until(/\n>$/u);
    await answer("Change two lines.", /\(1-2\): *$/u);
    await answer("e", "a.txt changed since the model read it");
    await window.until("Over.");
    expect(at.project.text("a.txt")).toBe(`${code}other\n`);
  });
});
