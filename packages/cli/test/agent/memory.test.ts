import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { Project, runHoldfast } from "../process.js";

/** The program in its default configuration: nobody approves anything. */
function opened(settings?: object) {
  const project = new Project({ "a.ts": "const one = 1;\n" });
  const outside = new Project({});
  const stateDir = join(outside.folder, "state");
  const env = { HOLDFAST_STATE_DIR: stateDir, HOME: outside.folder };
  if (settings !== undefined) {
    mkdirSync(join(project.folder, ".holdfast"));
    writeFileSync(join(project.folder, ".holdfast/settings.jsonc"), JSON.stringify(settings));
  }
  let scripts = 0;
  const run = (args: readonly string[], script: readonly object[] = [{ text: "Done." }]) => {
    scripts += 1;
    const file = join(outside.folder, `script-${scripts}.json`);
    writeFileSync(file, JSON.stringify(script));
    return runHoldfast([...args, "--script", file], { cwd: project.folder, env });
  };
  const memory = async (...args: readonly string[]) =>
    JSON.parse((await run([...args, "-o", "json"])).stdout);
  return { project, stateDir, run, memory };
}

const append = (path: string, content: string) => ({
  calls: [{ name: "append_to_file", args: { file_path: path, content } }],
});

describe("the memory file", () => {
  it("takes notes without approval, is before the model in the next session, and nothing else of the state is open", async () => {
    const { run, memory, stateDir } = opened();
    const first = await memory("-p", "/memory");
    expect(first).toMatchObject({ status: "success", data: { exists: false, pinned: false } });
    const { path } = first.data;
    expect(path.startsWith(stateDir)).toBe(true);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(
      (await run(["-p", "Note it."], [append(path, "Tests run with make.\n"), { text: "Noted." }])).code,
    ).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("Tests run with make.\n");

    expect((await run(["-p", "What do you know?"])).code).toBe(0);
    const { data } = await memory("-c", "-p", "/context");
    expect(data.files.map((file: { readonly path: string }) => file.path)).toEqual([path]);
    expect(await memory("-c", "-p", "/memory")).toMatchObject({ data: { exists: true, pinned: true } });

    for (const other of [join(dirname(path), "..", "other.md"), join(stateDir, "other.md"), "a.ts"]) {
      const tried = await run(["-p", "Try it."], [append(other, "x\n"), { text: "Tried." }]);
      expect([other, tried.code]).toEqual([other, 64]);
    }
    expect(existsSync(join(stateDir, "other.md")) || existsSync(join(stateDir, "memory/other.md"))).toBe(
      false,
    );
  });

  it("is made from the template, shown, and let go for the session", async () => {
    const { memory } = opened();
    const made = await memory("-p", "/memory on");
    expect(made).toMatchObject({ data: { exists: true, pinned: true } });
    const text = readFileSync(made.data.path, "utf8");
    expect(text).toContain(
      "Update it with edit_file() or append_to_file() to persist important information.",
    );
    expect(made.text).toBe(text);
    expect(await memory("-c", "-p", "/memory off")).toMatchObject({ data: { exists: true, pinned: false } });
    expect(await memory("-c", "-p", "/memory maybe")).toMatchObject({ status: "error" });
  });

  it("loses no note of two sessions at once", { timeout: 60_000 }, async () => {
    const { run, memory } = opened();
    const { path } = (await memory("-p", "/memory on")).data;
    const notes = (who: string) => [
      ...Array.from({ length: 12 }, (_, at) => append(path, `${who} ${at}\n`)),
      { text: "Done." },
    ];
    const ended = await Promise.all(["one", "two"].map((who) => run(["-p", "Write notes."], notes(who))));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const lines = readFileSync(path, "utf8").split("\n");
    for (const who of ["one", "two"])
      for (let at = 0; at < 12; at += 1)
        expect(lines.filter((line) => line === `${who} ${at}`)).toHaveLength(1);
  });

  it("lies in the project where the user says so, and nowhere where it is off", async () => {
    const inProject = opened();
    const userFile = join(dirname(inProject.stateDir), ".config/holdfast");
    mkdirSync(userFile, { recursive: true });
    writeFileSync(join(userFile, "settings.jsonc"), JSON.stringify({ memory: { file: "notes.md" } }));
    const told = await inProject.memory("-p", "/memory on");
    expect(told.data).toMatchObject({ path: "notes.md", exists: true });
    expect(existsSync(join(inProject.project.folder, "notes.md"))).toBe(true);

    const off = opened({ memory: { enabled: false } });
    expect(await off.memory("-p", "/memory")).toMatchObject({ status: "error" });
    expect((await off.run(["-p", "Hello."])).code).toBe(0);
    expect(existsSync(join(off.stateDir, "memory"))).toBe(false);
  });

  it("leaves no trace of a run that is to leave none", async () => {
    const { run, stateDir } = opened();
    expect((await run(["-p", "Hello.", "--ephemeral"])).code).toBe(0);
    expect(existsSync(stateDir) ? readdirSync(stateDir) : []).not.toContain("memory");
  });
});
