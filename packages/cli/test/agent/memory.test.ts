import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, done, type Scripted, scripted } from "./provided.js";

/** The program in its default configuration: nobody approves anything. */
function opened(settings: object = {}, own: Readonly<Record<string, string>> = {}) {
  const at = scripted([done], { settings, files: { "a.ts": "const one = 1;\n", ...own } });
  const memory = async (...args: readonly string[]) =>
    JSON.parse((await at.run([...args, "-o", "json"])).stdout);
  return { ...at, stateDir: join(at.home.folder, "state/holdfast"), memory };
}

const append = (path: string, content: string) => ({
  calls: [call("append_to_file", { file_path: path, content })],
});

async function playing({ play, run }: Scripted, script: readonly object[]): Promise<number | null> {
  play(script);
  const { code } = await run(["-p", "Note it."]);
  play([done]);
  return code;
}

describe("the memory file", () => {
  it("takes notes without approval, is before the model in the next session, and nothing else of the state is open", async () => {
    const at = opened();
    const { memory, stateDir } = at;
    const first = await memory("-p", "/memory");
    expect(first).toMatchObject({ status: "success", data: { exists: false, pinned: false } });
    const { path } = first.data;
    expect(path.startsWith(stateDir)).toBe(true);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(await playing(at, [append(path, "Tests run with make.\n"), done])).toBe(0);
    expect(readFileSync(path, "utf8")).toBe("Tests run with make.\n");

    expect((await at.run(["-p", "What do you know?"])).code).toBe(0);
    const { data } = await memory("-c", "-p", "/context");
    expect(data.files.map((file: { readonly path: string }) => file.path)).toEqual([path]);
    expect(await memory("-c", "-p", "/memory")).toMatchObject({ data: { exists: true, pinned: true } });

    const others = [join(dirname(path), "../other.md"), join(stateDir, "other.md"), "a.ts"];
    for (const other of others)
      expect([other, await playing(at, [append(other, "x\n"), done])]).toEqual([other, 64]);
    for (const name of ["other.md", "memory/other.md"]) expect(existsSync(join(stateDir, name))).toBe(false);
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

  it("loses no note of two sessions at once", async () => {
    const { run, memory, play } = opened();
    const { path } = (await memory("-p", "/memory on")).data;
    play([...Array.from({ length: 6 }, (_, at) => append(path, `note ${at}\n`)), done]);
    // Side by side they run in two processes.
    const ended = await Promise.all([1, 2].map(() => run(["-p", "Write notes."])));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const lines = readFileSync(path, "utf8").split("\n");
    for (let at = 0; at < 6; at += 1) expect(lines.filter((line) => line === `note ${at}`)).toHaveLength(2);
  });

  it("lies in the project where the user says so, and nowhere where it is off, or no trace is to be left", async () => {
    const inProject = opened({ memory: { file: "notes.md" } });
    expect((await inProject.memory("-p", "/memory on")).data).toMatchObject({
      path: "notes.md",
      exists: true,
    });
    expect(inProject.project.has("notes.md")).toBe(true);

    const off = opened({}, { ".holdfast/settings.jsonc": '{ "memory": { "enabled": false } }' });
    expect(await off.memory("-p", "/memory")).toMatchObject({ status: "error" });
    expect((await off.run(["-p", "Hello."])).code).toBe(0);
    const ephemeral = opened();
    expect((await ephemeral.run(["-p", "Hello.", "--ephemeral"])).code).toBe(0);
    for (const { stateDir } of [off, ephemeral])
      expect(existsSync(stateDir) ? readdirSync(stateDir) : []).not.toContain("memory");
  });
});
