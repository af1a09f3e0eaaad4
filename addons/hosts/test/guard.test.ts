import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project, runHoldfast, sha256 } from "../../../packages/cli/test/process.js";
import { hosts, type Input, memories, type SessionOptions, sessionOf, start } from "./guarded-session.js";

describe.each(["claude", "gemini"] as const)("guard, as a hook of %s", (name) => {
  const host = hosts[name];
  const session = (project: Project, options?: SessionOptions) => sessionOf(host, project, options);

  test("a file that was read may be edited, and edited again, and overwritten", async () => {
    const project = new Project({ "net.ts": start });
    const host1 = session(project);
    await host1.run(host.read("net.ts"));
    const second = start.replace("3;", "5;");
    expect(await host1.run(host.edit("net.ts", "3;", "5;"), () => project.put("net.ts", second))).toBe("");
    const third = second.replace("2000", "3000");
    expect(await host1.run(host.edit("net.ts", "2000", "3000"), () => project.put("net.ts", third))).toBe("");
    expect(await host1.run(host.write("net.ts", "new\n"), () => project.put("net.ts", "new\n"))).toBe("");
    expect(await host1.before(host.write("net.ts", "newer\n"))).toBe("");
  });

  test("of a short file that was edited unread the model is shown the whole, and may replace it", async () => {
    const project = new Project({ "net.ts": start, "long.ts": "" });
    const { run, said } = session(project);
    const edit = (name: string) =>
      run(host.edit(name, "const wait = 2000;\nconst", "const wait = 1;\nlet"), () =>
        project.put(name, project.text(name).replace("2000;\nconst", "1;\nlet")),
      );
    expect(await edit("net.ts")).toBe("");
    expect(said()).toContain(`sha256 ${sha256(project.text("net.ts"))}`);
    expect(said()).toContain("const wait = 1;\nlet tries = 3;\n");
    expect(await run(host.write("net.ts", "new\n"), () => project.put("net.ts", "new\n"))).toBe("");
    project.put("long.ts", `${start}${"more\n".repeat(500)}`);
    expect(await edit("long.ts")).toBe("");
    expect(said()).toBe("");
    expect(await run(host.write("long.ts", "new\n"))).toContain("Not read");
  });

  test("the server of the tools is told what the host's own tools made", async () => {
    const project = new Project({ "net.ts": start });
    const { run } = session(project);
    const edit = async (from: string, to: string) => {
      const flags = ["--old", from, "--new", to, "--base", sha256(start), "--state-dir", memories];
      return (await project.run(["edit", "net.ts", ...flags])).stderr;
    };
    expect(await edit("3;", "5;")).not.toContain("State Mismatch");
    await run(host.read("net.ts"));
    const second = project.text("net.ts").replace("2000", "3000");
    await run(host.edit("net.ts", "2000", "3000"), () => project.put("net.ts", second));
    expect(await edit("2000", "1")).toContain("A built-in tool of the host made the present state.");
    project.put("net.ts", second.replace("3000", "4000"));
    expect(await edit("2000", "1")).toContain("The change was made outside of these tools.");
  });

  test("a change behind its back is a State Mismatch with the fresh state, which then is known", async () => {
    const project = new Project({ "net.ts": start });
    const { run, before } = session(project);
    await run(host.read(join(project.folder, "net.ts")));
    const met = start.replace("2000", "3000");
    project.put("net.ts", met);
    const reason = await before(host.edit("net.ts", start, start.replace("3;", "5;")));
    expect(reason).toMatch(
      /^State Mismatch: File has changed on disk since it was last read\. Nothing was written/,
    );
    expect(reason).toContain("-const wait = 2000;\n+const wait = 3000;\n const tries = 3;\n");
    expect(reason).toContain(sha256(met));
    expect(await before(host.edit("net.ts", "3;", "5;"))).toBe("");
  });

  const lines = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`).join("");
  const formatted = lines.replace("line 1\n", "line 1;\nmore\n");

  test.each([
    { what: "by default", onMismatch: undefined, refused: false },
    { what: "under rebase-own", onMismatch: "rebase-own", refused: true },
    { what: "under refuse", onMismatch: "refuse", refused: true },
    { what: "under rebase", onMismatch: "rebase", refused: false },
  ] as const)("an edit elsewhere than a formatter's is $what refused: $refused", async (given) => {
    const { onMismatch, refused } = given;
    const project = new Project({ "a.ts": lines });
    const { run, before, said } = session(project, { onMismatch });
    await run(host.read("a.ts"));
    project.put("a.ts", formatted);
    const edit = host.edit("a.ts", "line 7", "seven");
    const next = formatted.replace("line 7", "seven");
    const reason = await run(edit, () => project.put("a.ts", next));
    if (refused) {
      expect(reason).toMatch(/^State Mismatch[\s\S]*What changed since your base:\n@@ /);
      expect(reason).not.toContain("line 7");
      expect(await before(edit)).toBe("");
      return;
    }
    expect(reason).toBe("");
    expect(said()).toMatch(/^holdfast guard: Rebased: other lines had changed since your base/);
    expect(said()).toContain("-line 1\n+line 1;\n+more\n line 2");
    // What was shown of it, and what was known before, is all of it.
    expect(await before(host.write("a.ts", "x"))).toBe("");
  });

  test.each([
    ["the same line", formatted.replace("line 7", "line 7 "), "line 7", "seven"],
    ["a line that the old text names", formatted.replace("line 6", "line six"), "line 6\nline 7", "x"],
    ["another place where the old text stands", `${formatted}line 7\n`, "line 7", "seven"],
    ["the line, which moved away", formatted.replace("line 7\n", "").concat("line 7\n"), "line 7", "seven"],
  ])("under rebase an edit of %s that others changed is refused", async (_, met, old, next) => {
    const project = new Project({ "a.ts": lines });
    const { run, before } = session(project, { onMismatch: "rebase" });
    await run(host.read("a.ts"));
    project.put("a.ts", met);
    expect(await before(host.edit("a.ts", old, next))).toMatch(
      /^State Mismatch[\s\S]*What changed since your base:/,
    );
  });

  test("a text that was never read is not moved, and one that replaces all is told what it lacks", async () => {
    const project = new Project({ "a.ts": lines, "b.ts": lines, "c.ts": lines });
    const { run, before } = session(project, { onMismatch: "rebase" });
    expect(await before(host.edit("a.ts", "line", "seven"))).toMatch(/^Not read/);
    await run(host.read("b.ts"));
    project.put("b.ts", formatted);
    expect(await before(host.write("b.ts", "x"))).toMatch(/What changed since your base:\n@@ /);
    expect(await before(host.write("b.ts", "x"))).toBe("");
    await run(host.read("c.ts", host.lines(1, 3)));
    project.put("c.ts", formatted);
    expect(await before(host.write("c.ts", "x"))).toContain(`This is the file as it is now`);
    expect(await before(host.write("c.ts", "x"))).toBe("");
  });

  test("edits side by side leave a state that is known", async () => {
    const project = new Project({ "a.ts": lines });
    const { run, before, after } = session(project);
    await run(host.read("a.ts"));
    const [one, two] = [host.edit("a.ts", "line 2", "two"), host.edit("a.ts", "line 7", "seven")];
    const first = lines.replace("line 2", "two");
    expect(await before(one)).toBe("");
    project.put("a.ts", first);
    // The second begins before the first is heard of, and a third before that.
    expect(await before(two, { tool_use_id: "2" })).toBe("");
    await after(one);
    const three = host.edit("a.ts", "line 9", "nine");
    expect(await before(three, { tool_use_id: "3" })).toBe("");
    project.put("a.ts", first.replace("line 7", "seven"));
    await after(two, { tool_use_id: "2" });
    project.put("a.ts", first.replace("line 7", "seven").replace("line 9", "nine"));
    await after(three, { tool_use_id: "3" });
    expect(await before(host.write("a.ts", "x"))).toBe("");
  });

  test("an unseen file is not overwritten, and edited where the old text stands in it once; a new one is made", async () => {
    const project = new Project({ "a.ts": "a year of work\n", "b.ts": "two two\n", "d.ts": "two\n" });
    const { run, before } = session(project);
    expect(await before(host.write("a.ts", "x"))).toMatch(/^Not read: [\s\S]*a year of work\n/);
    expect(await before(host.edit("b.ts", "two", "2"))).toMatch(/^Not read: /);
    expect(await before(host.edit("d.ts", "two", "2"))).toBe("");
    expect(await before(host.edit("d.ts", "three", "2"))).toMatch(/^Not read: /);
    expect(await run(host.write("c.ts", "made\n"), () => project.put("c.ts", "made\n"))).toBe("");
    expect(await before(host.edit("c.ts", "made", "done"))).toBe("");
  });

  test("a part that was read may be edited; the whole must be read to be overwritten", async () => {
    const project = new Project({ "a.ts": start });
    const { run, before } = session(project);
    await run(host.read("a.ts", host.part));
    expect(await before(host.edit("a.ts", "3;", "5;"))).toBe("");
    expect(await before(host.write("a.ts", "x"))).toMatch(/^Not read: this session has not seen the whole/);
  });

  test("parts that are all of it count together, and an edit of what is known is known", async () => {
    const text = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`).join("");
    const project = new Project({ "a.ts": text });
    const { run, before } = session(project);
    await run(host.read("a.ts", host.lines(1, 5)));
    const next = text.replace("line 3\n", "line 3\nand more\n");
    const edit = host.edit("a.ts", "line 3\n", "line 3\nand more\n");
    expect(await run(edit, () => project.put("a.ts", next))).toBe("");
    const write = host.write("a.ts", "x");
    await run(host.read("a.ts", host.lines(8, 10)));
    // Of line 7 nothing was shown; line 4 is the host's own.
    expect(await before(write)).toMatch(/^Not read: this session has not seen the whole/);
    expect(await before(write)).toBe("");
    project.put("b.ts", text);
    await run(host.read("b.ts", host.lines(1, 4)));
    await run(host.read("b.ts", host.lines(5, 9)));
    expect(await before(host.write("b.ts", "x"))).toBe("");
  });

  test("lines that hosts cut were not shown", async () => {
    const long = `${"x".repeat(2_001)}\nend\n`;
    const many = "line\n".repeat(2_001);
    const project = new Project({ "long.txt": long, "many.txt": many, ".env": "TOKEN=hunter2\n" });
    const { run, before } = session(project);
    for (const path of ["long.txt", "many.txt", ".env"]) await run(host.read(path));
    for (const path of ["long.txt", "many.txt"])
      expect(await before(host.write(path, "x"))).toMatch(/^Not read/);
    expect(await before(host.write(".env", "x"))).toBe("");
  });

  test("a memory of an earlier version is read", async () => {
    const project = new Project({ "a.ts": start, "b.ts": start });
    const state = join(project.folder, "state");
    const { run, before } = session(project, { id: "old", stateDir: state });
    await run(host.read("c.ts"));
    const folder = join(state, "guard");
    const [file = ""] = readdirSync(folder);
    const seen = (path: string, whole: boolean) =>
      JSON.stringify({ seen: { path: join(project.folder, path), sha256: sha256(start), whole } });
    writeFileSync(join(folder, file), `${seen("a.ts", true)}\n${seen("b.ts", false)}\n`);
    expect(await before(host.write("a.ts", "x"))).toBe("");
    expect(await before(host.edit("b.ts", "3;", "5;"))).toBe("");
    expect(await before(host.write("b.ts", "x"))).toMatch(/^Not read/);
  });

  test("a read that somebody's write fell into counts for nothing, nor does one that failed", async () => {
    const project = new Project({ "a.ts": start, "b.ts": start });
    const { run, before } = session(project);
    await run(host.read("a.ts"), () => project.put("a.ts", "other\n"));
    expect(await before(host.write("a.ts", "x"))).toMatch(/^Not read/);
    await run(host.read("b.ts"), () => {}, { error: "no permission" });
    expect(await before(host.write("b.ts", "x"))).toMatch(/^Not read/);
  });

  test("what a formatter, or anybody, made of a write was not seen", async () => {
    const project = new Project({ "a.ts": start });
    const { run, before } = session(project);
    await run(host.read("a.ts"));
    await run(host.edit("a.ts", "3;", "5;"), () => project.put("a.ts", "const formatted = 1;\n"));
    expect(await before(host.edit("a.ts", "1", "2"))).toMatch(/^State Mismatch[\s\S]*const formatted = 1;\n/);
  });

  test("hosts that put all endings right leave a state that is known all the same", async () => {
    const project = new Project({ "a.ts": "one\r\ntwo\r\n" });
    const { run, before } = session(project);
    await run(host.read("a.ts"));
    expect(
      await run(host.edit("a.ts", "one\ntwo", "one\n2"), () => project.put("a.ts", "one\r\n2\r\n")),
    ).toBe("");
    expect(await before(host.write("a.ts", "x"))).toBe("");
  });

  test("a read of ours counts if its answer holds the hash that is on disk", async () => {
    const project = new Project({ "a.ts": start, "b.ts": start });
    const { run, before } = session(project);
    const answer = (sha: string) => [
      { type: "text", text: `<file path="a.ts" version="1" sha256="${sha}" end="x">` },
    ];
    const { tool_name } = host.own("a.ts");
    // Under any name that our tools understand.
    await run({ tool_name, tool_input: { path: "a.ts" } }, () => {}, answer(sha256(start)));
    expect(await before(host.edit("a.ts", "3;", "5;"))).toBe("");
    await run(host.own("b.ts"), () => {}, answer(sha256("older")));
    expect(await before(host.edit("b.ts", "const", "let"))).toMatch(/^Not read/);
  });

  test("an edit of ours shows a part: the whole must still be read to be overwritten", async () => {
    const text = Array.from({ length: 50 }, (_, at) => `line ${at}\n`).join("");
    const project = new Project({ "a.ts": text });
    const { before, run } = session(project);
    const own = host.own("a.ts");
    const edit = { ...own, tool_name: own.tool_name.replace("read_file", "edit_file") };
    const answer = `OK (applied)\n<file path="a.ts" sha256="${sha256(text)}" shown="changed lines"/>\nline 1\n`;
    await run(edit, () => {}, [{ type: "text", text: answer }]);
    expect(await before(host.edit("a.ts", "line 7", "seven"))).toBe("");
    expect(await before(host.write("a.ts", "only this\n"))).toMatch(/^Not read: /);
  });

  test("a working folder that is gone says nothing about a file elsewhere", async () => {
    const project = new Project({ "a.ts": start });
    const { before } = session(project);
    const call = host.write(join(project.folder, "a.ts"), "blind\n");
    expect(await before({ ...call, cwd: join(project.folder, "gone") })).toMatch(/^Not read: /);
  });

  test("sessions know nothing of each other", async () => {
    const project = new Project({ "a.ts": start });
    await session(project).run(host.read("a.ts"));
    expect(await session(project, { id: "two" }).before(host.edit("a.ts", "const", "x"))).toMatch(
      /^Not read/,
    );
    expect(await session(project).before(host.edit("a.ts", "const", "x"))).toBe("");
  });

  test("a file is one file, by whatever link it is called", async () => {
    const project = new Project({ "a.ts": start });
    symlinkSync("a.ts", join(project.folder, "link.ts"));
    const { run, before } = session(project);
    await run(host.read("link.ts"));
    expect(await before(host.edit("a.ts", "3;", "5;"))).toBe("");
  });

  test("no text of secrets, of files elsewhere, of long or binary files is in a refusal", async () => {
    const elsewhere = new Project({ "far.ts": "far away\n" });
    const project = new Project({
      ".env": "TOKEN=hunter2\n",
      "long.txt": "x".repeat(30_000),
      "b.bin": Uint8Array.of(0, 1),
    });
    symlinkSync(".env", join(project.folder, "link.txt"));
    const { before } = session(project);
    for (const path of [".env", "link.txt", "long.txt", "b.bin", join(elsewhere.folder, "far.ts")]) {
      const reason = await before(host.write(path, "x"));
      expect(reason).toMatch(
        /^Not read: .* Read the file, then make the change again\.\n.*\nsha256 [0-9a-f]{64}$/s,
      );
      expect(await before(host.write(path, "x"))).toBe(reason);
    }
  });

  test("its memory is private, and sessions that are long over are forgotten", async () => {
    const project = new Project({ "a.ts": start });
    const state = join(project.folder, "state");
    mkdirSync(join(state, "guard"), { recursive: true, mode: 0o700 });
    writeFileSync(join(state, "guard", "old.jsonl"), "");
    utimesSync(join(state, "guard", "old.jsonl"), 1, 1);
    const call = {
      session_id: "s",
      cwd: project.folder,
      hook_event_name: host.events[0],
      ...host.read("a.ts"),
    };
    await project.run(["guard", "--state-dir", state], { input: JSON.stringify(call) });
    const kept = readdirSync(join(state, "guard"));
    expect(kept).toHaveLength(1);
    expect(kept).not.toContain("old.jsonl");
    expect(statSync(join(state, "guard", kept[0] ?? "")).mode & 0o077).toBe(0);
  });
});

describe("guard", () => {
  test("blocks where it cannot judge", async () => {
    expect(await runHoldfast(["guard"], { input: "no JSON" })).toMatchObject({ code: 2, stdout: "" });
    expect(await runHoldfast(["guard"], { input: "[]" })).toMatchObject({ code: 2, stdout: "" });
  });

  test("has nothing to say of other events and other tools", async () => {
    const calls = [
      { hook_event_name: "SessionStart", session_id: "s" },
      { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } },
      { hook_event_name: "BeforeTool", session_id: "s", tool_name: "mcp_db_query", tool_input: {} },
    ];
    for (const call of calls)
      expect(await runHoldfast(["guard"], { input: JSON.stringify(call) })).toMatchObject({
        code: 0,
        stdout: "",
      });
  });

  test("denies where its memory cannot be kept", async () => {
    const project = new Project({ "a.ts": start, state: "a file" });
    const call = {
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd: project.folder,
      ...hosts.claude.write("a.ts", ""),
    };
    const done = await project.run(["guard", "--state-dir", "state"], { input: JSON.stringify(call) });
    expect(done.code).toBe(0);
    expect(hosts.claude.reasonOf(done.stdout)).toContain("state folder");
  });

  test("many calls at once, each a process, leave a whole memory", async () => {
    const names = Array.from({ length: 6 }, (_, at) => `f${at}.ts`);
    const project = new Project(Object.fromEntries(names.map((file) => [file, `${file}\n`])));
    const send = (event: string, call: Input) => {
      const about = { session_id: "many", cwd: project.folder, hook_event_name: event };
      return project.run(["guard"], { input: JSON.stringify({ ...about, ...call }), process: true });
    };
    for (const event of ["PreToolUse", "PostToolUse"])
      await Promise.all(names.map((file) => send(event, hosts.claude.read(file))));
    const written = await Promise.all(names.map((file) => send("PreToolUse", hosts.claude.write(file, "x"))));
    expect(written.map(({ code, stdout }) => [code, stdout])).toEqual(names.map(() => [0, ""]));
  });

  test("is one bundle that loads nothing of the other commands, since it runs before every call", () => {
    const bundle = new URL("../../../packages/cli/dist/bundle/guard-main.cjs", import.meta.url);
    const text = readFileSync(bundle, "utf8");
    const imported = [...text.matchAll(/(?:require|import)\(\s*"([^"]+)"/g)].map(([, name]) => name);
    expect(imported.filter((name) => name?.startsWith("node:") !== true)).toEqual([]);
    expect(text.length).toBeLessThan(200_000);
  });
});
