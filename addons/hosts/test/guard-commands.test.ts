import { describe, expect, test } from "vitest";
import { Project } from "../../../packages/cli/test/process.js";
import { hosts, type Input, memories, sessionOf } from "./guarded-session.js";

const lines = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\n`).join("");

describe.each(["claude", "gemini"] as const)("guard around commands, as a hook of %s", (name) => {
  const host = hosts[name];
  const session = (project: Project) => sessionOf(host, project);

  test("what a command of the model's own made is its own, and it is told what changed", async () => {
    const project = new Project({ "a.ts": lines, "b.ts": lines });
    const { run, before, said } = session(project);
    await run(host.read("a.ts"));
    const sed = host.command("sed -i s/line/LINE/ a.ts");
    const changed = lines.replace("line 7", "LINE 7");
    for (const [text, more] of [
      [changed, {}],
      [changed.replace("line 8", "LINE 8"), host.failed],
    ] as const) {
      expect(await before(sed)).toBe("");
      project.put("a.ts", text);
      await session(project).after(sed, more);
    }
    await run(sed, () => project.put("a.ts", changed));
    // The very line that the command changed, and the whole: its text was told.
    expect(await before(host.edit("a.ts", "LINE 7", "seven"))).toBe("");
    expect(await before(host.write("a.ts", "x"))).toBe("");
    await run(sed, () => project.put("a.ts", lines.replaceAll("line", "a much longer word".repeat(50))));
    expect(said()).toMatch(
      /^holdfast guard: These files changed while the command ran:\n.*a\.ts: not shown here/,
    );
    expect(await before(host.edit("a.ts", "a much longer wordx", "x"))).toBe("");
    expect(await before(host.write("a.ts", "x"))).toMatch(/^(?:Not read|State Mismatch)/);
  });

  test("what somebody else changed before a command began stays somebody else's", async () => {
    const project = new Project({ "a.ts": lines });
    const { run, before, said } = session(project);
    await run(host.read("a.ts"));
    project.put("a.ts", lines.replace("line 7", "line seven"));
    await run(host.command("npm test"), () => project.put("a.ts", lines.replace("line 7", "line 007")));
    expect(said()).toBe("");
    expect(await before(host.edit("a.ts", "line 007", "x"))).toMatch(/^State Mismatch/);
  });

  test("lines that a command or a search printed whole are seen, and no others", async () => {
    const files = {
      "a.ts": lines,
      "sub/b.ts": lines,
      "c.ts": "one\ntwo words\n",
      "d.ts": lines,
      "e.ts": lines,
      "f.ts": lines,
    };
    const project = new Project({ ...files, ".env": lines });
    const { run, before } = session(project);
    const printed = (command: string, stdout: string) => run(host.command(command), () => {}, { stdout });
    await printed("cat 'a.ts'; cat .env", `${lines}${lines}`);
    await printed("grep -rn words .", "c.ts:2:two words\nsub/b.ts:4:line 4\nd.ts:1:ine 1");
    await printed("sed -n 2,3p e.ts", "line 2\nline 3\n");
    await run(host.search, () => {}, { text: "Found 1 match:\n---\nFile: f.ts\nL3: line 3\n---" });
    expect(await before(host.write("a.ts", "x"))).toBe("");
    for (const path of ["c.ts", "sub/b.ts", "e.ts", "f.ts"]) {
      expect([path, await before(host.edit(path, "line", "x"))]).toEqual([path, ""]);
      expect([path, await before(host.write(path, "x"))]).toEqual([path, expect.stringMatching(/^Not read/)]);
    }
    for (const path of ["d.ts", ".env"])
      expect(await before(host.edit(path, "line", "x"))).toMatch(/^Not read/);
  });
});

test("two edits of a notebook in a row pass, and one of a notebook that others changed is refused", async () => {
  const [one, two, three] = ['{"a":1}\n', '{\n "a": 2\n}\n', '{\n "a": 3\n}\n'];
  const project = new Project({ "n.ipynb": one });
  const send = async (event: string, call: Input) => {
    const about = { session_id: "notebook", cwd: project.folder, hook_event_name: event };
    const input = JSON.stringify({ ...about, ...call });
    return (await project.run(["guard", "--state-dir", memories], { input })).stdout;
  };
  const edit = { tool_name: "NotebookEdit", tool_input: { notebook_path: "n.ipynb", new_source: "x" } };
  const made = (before: string, after: string) => {
    project.put("n.ipynb", after);
    return send("PostToolUse", {
      ...edit,
      tool_response: { error: "", original_file: before, updated_file: after },
    });
  };
  for (const event of ["PreToolUse", "PostToolUse"]) await send(event, hosts.claude.read("n.ipynb"));
  for (const [before, after] of [
    [one, two],
    [two, three],
  ] as const) {
    expect(await send("PreToolUse", edit)).toBe("");
    await made(before, after);
  }
  expect(await send("PreToolUse", edit)).toBe("");
  project.put("n.ipynb", one.replace("1", "9"));
  expect(await send("PreToolUse", edit)).toContain("State Mismatch");
});
