import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { Project, sha256 } from "../../../packages/cli/test/process.js";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const script = fileURLToPath(new URL("../../../proof/clients/transcript.mjs", import.meta.url));

/** A minute is what the client may take; npm's registry is asked once. */
const mostMs = 300_000;

interface ExportedNode {
  readonly payload: {
    readonly kind: string;
    readonly name?: string;
    readonly output?: string;
    readonly media?: readonly object[];
    readonly shows?: readonly { readonly path: string; readonly start: number; readonly end: number }[];
    readonly files?: readonly { readonly path: string; readonly after: string | null; readonly by: string }[];
  };
}

describe("a session of the real Claude Code that used our tools", () => {
  const project = new Project({});
  const stateDir = join(project.folder, "state");
  const file = join(project.folder, "session.jsonl");

  it("shows our states of files once it is imported", { timeout: mostMs }, async ({ skip }) => {
    const made = spawnSync(process.execPath, [script, file], { encoding: "utf8", timeout: mostMs });
    expect(made.status, made.stderr).toBe(0);
    const told: { readonly kind: string; readonly reason?: string } = JSON.parse(made.stdout);
    if (told.kind === "missing" && process.env.CI === undefined) skip(told.reason);
    const done = await run("sessions", "import", file, "--json");
    expect(done.code, done.stderr).toBe(0);
    const { id } = JSON.parse(done.stdout);

    const exported = await run("sessions", "export", id);
    const results = exported.stdout
      .split("\n")
      .filter((line) => line !== "")
      .flatMap((line): readonly ExportedNode[] => JSON.parse(line).nodes ?? [])
      .map(({ payload }) => payload)
      .filter(({ kind }) => kind === "tool_result");
    const states = results.map(({ name = "", files = [] }) => [
      name.replace("mcp__holdfast__", ""),
      ...files.map(({ path, after, by }) => `${by} ${path} ${after?.slice(0, 8) ?? "gone"}`),
    ]);
    const short = (text: string) => sha256(text).slice(0, 8);
    const edited = "one\n2\nthree\n";
    expect(states).toEqual([
      ["read_file", `seen a.txt ${short("one\ntwo\nthree\n")}`],
      ["read_file"],
      ["edit_file", `tool a.txt ${short(edited)}`],
      ["write_file", `tool new.txt ${short("new\n")}`],
      ["edit_file", `seen a.txt ${short(edited)}`],
      ["Bash"],
      ["delete_file", "tool gone.txt gone"],
    ]);
    const [whole, picture] = results;
    const [shown] = whole?.shows ?? [];
    expect(whole?.output?.slice(shown?.start, shown?.end)).toBe("one\ntwo\nthree\n");
    expect(picture?.media).toMatchObject([{ mimeType: "image/png" }]);
    expect(results.find(({ name }) => name === "Bash")?.output).toContain("forged.txt");
    expect((await run("sessions", "verify", id)).code).toBe(0);
    await looksSo(id);
  });

  const run = (...args: readonly string[]) => project.run([...args, "--state-dir", stateDir]);

  /** The page of the session names the states, and nothing that was forged. */
  async function looksSo(id: string): Promise<void> {
    if (!existsSync(executablePath)) return;
    expect(await run("history", "export", id, "--html", "--output", "page.html")).toMatchObject({ code: 0 });
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 1600 } });
      await page.goto(pathToFileURL(join(project.folder, "page.html")).href);
      const files = page.getByRole("list", { name: "Files known at this turn" });
      await files.waitFor();
      const known = await files.textContent();
      for (const state of ["a.txtv2", "new.txtv1", "gone.txtdeleted"]) expect(known).toContain(state);
      await page.getByRole("tab", { name: "What the model saw" }).click();
      const seen = await page.getByRole("table").first().textContent();
      expect(seen).toContain("a.txt");
      expect(seen).not.toContain("forged.txt");
      expect(known).not.toContain("forged.txt");
    } finally {
      await browser.close();
    }
  }
});
