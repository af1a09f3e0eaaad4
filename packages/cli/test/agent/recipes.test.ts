import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Project, program } from "../process.js";

const page = readFileSync(new URL("../../../../docs/recipes.md", import.meta.url), "utf8");

/** The shell lines of the page that begin with this name. */
function recipe(name: string): string {
  const found = [...page.matchAll(/```bash\n# (\S+)\n([\s\S]*?)```/g)].find(([, known]) => known === name);
  if (found === undefined) throw new Error(`docs/recipes.md has no ${name}`);
  return found[2] ?? "";
}

interface Ran {
  readonly code: number | null;
  readonly stderr: string;
}

/** A repository with one commit, and `holdfast` on the path with a script for its model. */
async function ground(script: readonly object[]) {
  const project = new Project({ "a.ts": "const one = 1;\n", "docs/todo.md": "a.ts\n" });
  const outside = new Project({ "script.json": JSON.stringify(script) });
  const line = `exec "${process.execPath}" "${program}" "$@" --script "${join(outside.folder, "script.json")}"`;
  outside.put("bin/holdfast", `#!/bin/sh\n${line}\n`);
  chmodSync(join(outside.folder, "bin/holdfast"), 0o755);
  const env = {
    PATH: [join(outside.folder, "bin"), process.env.PATH].join(delimiter),
    HOME: outside.folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GITHUB_STEP_SUMMARY: join(outside.folder, "summary.md"),
    BASE: "HEAD",
  };
  const bash = (text: string, ...args: readonly string[]): Promise<Ran> => {
    const child = spawn("bash", ["-c", text, "bash", ...args], { cwd: project.folder, env });
    let stderr = "";
    child.stderr.on("data", (part) => {
      stderr += part;
    });
    child.stdin.end();
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, stderr }));
    });
  };
  const begun = await bash(
    "git init -q -b main && git config user.name A && git config user.email a@b.invalid && " +
      "git add -A && git commit -qm first",
  );
  expect(begun).toEqual({ code: 0, stderr: "" });
  return { project, outside, bash };
}

const write = { calls: [{ name: "write_file", args: { file_path: "b.ts", content: "const two = 2;\n" } }] };

describe.skipIf(process.platform === "win32")("a recipe of docs/recipes.md", () => {
  it("reviews a change, and changes nothing", async () => {
    const { project, outside, bash } = await ground([
      // A hunk's `@@` and an `@` in a line of the diff name no files.
      { text: "a.ts:1 is fine.", expects: ["+const one = 11; // @docs/todo.md", "Review this change."] },
    ]);
    project.put("a.ts", "const one = 11; // @docs/todo.md @gone.md\n");
    expect(await bash(recipe("review.sh"))).toEqual({ code: 0, stderr: "" });
    expect(outside.text("summary.md")).toBe("a.ts:1 is fine.\n");
  });

  it("fails a review that did not come to its end", async () => {
    const { bash } = await ground([{ fails: "rejected" }]);
    expect((await bash(recipe("review.sh"))).code).not.toBe(0);
  });

  it.each([
    ["lets a commit pass", "no", 0],
    ["stops one", "yes", 1],
  ])("%s", async (_, verdict, code) => {
    const { project, bash } = await ground([{ text: verdict, expects: ["+const key"] }]);
    project.put("a.ts", "const key = 1;\n");
    await bash("git add -A");
    expect((await bash(recipe("pre-commit.sh"))).code).toBe(code);
  });

  it("stops a commit that nobody could look at", async () => {
    const { bash } = await ground([{ fails: "rejected" }]);
    expect((await bash(recipe("pre-commit.sh"))).code).not.toBe(0);
  });

  it("works at night on a branch of its own, and reports", async () => {
    const { project, outside, bash } = await ground([write, { text: "Done." }]);
    const report = join(outside.folder, "report.json");
    expect(await bash(recipe("nightly.sh"), project.folder, report)).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(outside.text("report.json"))).toMatchObject({ exit_code: 0, response: "Done." });
    expect(project.has("b.ts")).toBe(false);
    const shown = await bash('git show "holdfast/$(date +%Y-%m-%d):b.ts" | grep -q two');
    expect(shown.code).toBe(0);
  });

  it("is not green at night for work that was denied", async () => {
    const command = { calls: [{ name: "run_shell_command", args: { command: "touch ran" } }] };
    const { project, outside, bash } = await ground([command, { text: "Done." }]);
    const ran = await bash(recipe("nightly.sh"), project.folder, join(outside.folder, "report.json"));
    expect(ran.code).toBe(64);
    expect(project.has("ran")).toBe(false);
    expect(JSON.parse(outside.text("report.json")).undone).toHaveLength(1);
  });
});
