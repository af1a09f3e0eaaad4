import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { done, resultsIn, scripted, shell } from "./provided.js";

const files = { "AGENTS.md": "Be good.\n", ".vscode/tasks.json": "{}\n", "a.txt": "a\n" };

/** What becomes of a command's work where nobody can be asked. */
async function ran(command: string, mode: string) {
  const at = scripted([shell(command), done], { files });
  const allowed = ["--approval-mode", mode, "-o", "stream-json"];
  const finished = await at.run(["-p", "Go.", ...allowed]);
  return { folder: at.project.folder, result: resultsIn(finished)[0], code: finished.code };
}

describe("files that run later, made or changed by a command", () => {
  it("are named and taken back in yolo, where nobody can be asked; other files stay", async () => {
    const command =
      "echo evil > AGENTS.md; echo evil > .vscode/tasks.json; mkdir -p x .github/workflows; echo use > x/.envrc; ln -s /etc/passwd .npmrc; echo on > .github/workflows/a.yml; echo b > a.txt";
    const { folder, result } = await ran(command, "yolo");
    const text = (path: string) => readFileSync(join(folder, path), "utf8");
    expect(result).toMatchObject({ error: { type: "denied" } });
    for (const name of ["AGENTS.md", ".vscode/tasks.json", "x/.envrc", ".npmrc", ".github/workflows/a.yml"])
      expect(JSON.stringify(result)).toContain(name);
    expect(JSON.stringify(result)).toContain("They were taken back.");
    expect(["AGENTS.md", ".vscode/tasks.json", "a.txt"].map(text)).toEqual(["Be good.\n", "{}\n", "b\n"]);
    for (const name of ["x/.envrc", ".npmrc", ".github/workflows/a.yml"])
      expect(existsSync(join(folder, name))).toBe(false);
  });

  it("are nobody's fault where the command changed none", async () => {
    const { result } = await ran("echo b > a.txt; cat AGENTS.md", "yolo");
    expect(result).toMatchObject({ status: "success" });
    expect(JSON.stringify(result)).not.toContain("run later");
  });

  it("are not those that were there before", async () => {
    const at = scripted([shell("echo evil > .envrc"), done], { files });
    writeFileSync(join(at.project.folder, ".npmrc"), "mine\n");
    await at.run(["-p", "Go.", "--approval-mode", "yolo"]);
    expect(readFileSync(join(at.project.folder, ".npmrc"), "utf8")).toBe("mine\n");
    expect(existsSync(join(at.project.folder, ".envrc"))).toBe(false);
  });
});
