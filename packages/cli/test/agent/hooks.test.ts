import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { call, done, linesOf, resultsIn, scripted, shell, write } from "./provided.js";

const yolo = ["--approval-mode", "yolo", "-o", "stream-json"];
const read = (path: string) => ({ calls: [call("read_file", { file_path: path })] });
const edit = (path: string, from: string, to: string, base?: string) => ({
  calls: [
    call("edit_file", {
      file_path: path,
      ...(base === undefined ? {} : { base_content_sha256: base }),
      edits: [{ old_string: from, new_string: to }],
    }),
  ],
});

/** A formatter of one rule: a line of code ends in a semicolon. Each run is one line of `runs.txt`. */
const format = `echo "$@" >> runs.txt; sed -i -E 's/([^;])$/\\1;/' "$@"`;

function playing(
  settings: object,
  script: readonly object[],
  files: Readonly<Record<string, string>> = { "a.ts": "const one = 1;\n" },
) {
  const at = scripted(script, { settings, files });
  return { ...at, go: async () => at.run(["-p", "Go on.", ...yolo]) };
}

const codes = (ran: Parameters<typeof resultsIn>[0]) => resultsIn(ran).map(({ status }) => status);
const warnings = (ran: Parameters<typeof resultsIn>[0]) =>
  linesOf(ran).flatMap(({ type, message }) => (type === "error" ? [String(message)] : []));

describe("a hook after a tool", () => {
  it("formats a file, whose next edit lands by the state that the model was told, or without a hash", async () => {
    const { go, project } = playing({ hooks: { afterTool: [{ path: "**/*.ts", command: format }] } }, [
      read("a.ts"),
      edit("a.ts", "const one = 1;", "const one = 1\nconst two = 2", "{{sha256:a.ts}}"),
      // No read between them: the text is that of the formatter.
      edit("a.ts", "const two = 2;", "const two = 22", "{{sha256:a.ts}}"),
      edit("a.ts", "const two = 22;\n", "const two = 22;\nlet three"),
      { ...done, expects: ["let three;"] },
    ]);
    const ran = await go();
    expect(codes(ran)).toEqual(["success", "success", "success", "success"]);
    expect(project.text("a.ts")).toBe("const one = 1;\nconst two = 22;\nlet three;");
    expect(project.text("runs.txt").trim().split("\n")).toHaveLength(3);
    expect(ran.stdout).not.toContain("changed by somebody");
  });

  it("hears of files that a command changed, and of calls that failed; its words are told as what came after", async () => {
    const note = (event: string) => `grep -o ${event} >> heard.txt; exit 2`;
    const { go, project } = playing(
      {
        hooks: {
          afterTool: [
            { path: "**/*.ts", command: format },
            { event: "PostToolUseFailure", command: note("PostToolUse[a-zA-Z]*") },
          ],
        },
      },
      [
        read("a.ts"),
        { calls: [call("run_shell_command", { command: "echo 'const two = 2' >> a.ts" })] },
        edit("a.ts", "not there", "x", "{{sha256:a.ts}}"),
        { ...done, expects: ["says, after edit_file was done:"] },
      ],
    );
    const ran = await go();
    expect(codes(ran)).toEqual(["success", "success", "error"]);
    expect(project.text("a.ts")).toBe("const one = 1;\nconst two = 2;\n");
    expect(project.text("heard.txt").trim().split("\n")).toEqual(["PostToolUseFailure"]);
  });

  it("runs once for a file that several calls of one answer changed, and not for a look", async () => {
    const both = [edit("a.ts", "one", "two"), edit("a.ts", "// end", "let end"), write("b.ts", "b\n")];
    const { go, project } = playing(
      { hooks: { afterTool: [{ path: "**/*.ts", command: format }] } },
      [
        read("a.ts"),
        { calls: both.flatMap((one) => ("calls" in one ? one.calls : [one])) },
        { ...done, expects: ["b;"] },
      ],
      { "a.ts": "const one = 1;\n\n\n// end\n" },
    );
    await go();
    expect(project.text("a.ts")).toBe("const two = 1;\n\n\nlet end;\n");
    const root = project.folder;
    expect(project.text("runs.txt")).toBe(`${join(root, "a.ts")}\n${join(root, "b.ts")}\n`);
  });

  it("tells of a large file only that it is another state; an edit still lands", async () => {
    const rest = Array.from({ length: 4_000 }, (_, at) => `const line${at} = 1;\n`).join("");
    const look = { calls: [call("read_file", { file_path: "a.ts", offset: 1, limit: 3 })] };
    const { go, project } = playing(
      { hooks: { afterTool: [{ path: "**/*.ts", command: format }] } },
      [
        look,
        edit("a.ts", "const one = 1;", "const two = 2", "{{sha256:a.ts}}"),
        {
          ...edit("a.ts", "const line0 = 1;", "const line0 = 2", "{{sha256:a.ts}}"),
          expects: ["a.ts has another state, sha256 "],
        },
        done,
      ],
      { "a.ts": `const one = 1;\n${rest}` },
    );
    expect(codes(await go())).toEqual(["success", "success", "success"]);
    expect(project.text("a.ts").startsWith("const two = 2;\nconst line0 = 2;\n")).toBe(true);
  });

  it("costs a sentence where it hangs, fails or is not there, and nothing of it runs on", async () => {
    const hanging = { command: "sleep 600 & echo $! > pid.txt; sleep 600", timeoutMs: 300 };
    const afterTool = [hanging, { command: "echo broken; exit 3" }, { command: "no-such-formatter-1" }];
    const { go, project } = playing({ hooks: { afterTool } }, [{ calls: [write("b.ts", "b\n")] }, done]);
    const ran = await go();
    expect(ran.code).toBe(0);
    expect(warnings(ran)).toEqual([
      expect.stringContaining("was ended after 300 ms, with all that it had started."),
      expect.stringContaining('The hook "echo broken; exit 3" ended with exit code 3: broken'),
      expect.stringContaining("ended with exit code 127"),
    ]);
    const pid = project.text("pid.txt").trim();
    const stat = `/proc/${pid}/stat`;
    expect(existsSync(stat) ? readFileSync(stat, "utf8") : ") Z").toMatch(/\) [ZX]/);
  });

  it("tells the model what it says with exit code 2, and is given the call as JSON", async () => {
    const command = "cat > call.json; echo Add a test.; exit 2";
    const { go, project } = playing({ hooks: { afterTool: [{ tool: "write_*", command }] } }, [
      { calls: [write("b.ts", "b\n")] },
      { ...done, expects: ["Add a test."] },
    ]);
    expect((await go()).code).toBe(0);
    expect(JSON.parse(project.text("call.json"))).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_name: "write_file",
      tool_input: { file_path: "b.ts" },
      tool_response: { code: "applied" },
      files: [join(project.folder, "b.ts")],
      cwd: project.folder,
      session_id: expect.any(String),
    });
  });
});

describe("a hook before a tool", () => {
  it("denies with its words, by tool and by file, and lets all else through", async () => {
    const beforeTool = [
      { tool: "run_shell_command", command: "grep -q 'rm -rf' && { echo Not with rm.; exit 2; }; exit 0" },
      { path: "secret/**", command: "echo Nobody writes there.; exit 2" },
      { command: "exit 7" },
    ];
    const { go, project } = playing({ hooks: { beforeTool } }, [
      shell("rm -rf nothing"),
      { calls: [write("secret/x.txt", "x\n")], expects: ["Not with rm."] },
      { calls: [write("open.txt", "x\n")], expects: ["Nobody writes there."] },
      done,
    ]);
    const ran = await go();
    expect(codes(ran)).toEqual(["error", "error", "success"]);
    expect(ran.code).toBe(64);
    expect([project.has("secret/x.txt"), project.has("open.txt")]).toEqual([false, true]);
    for (const said of ["exit code 7", "denies run_shell_command: Not with rm.", "denies write_file: Nobody"])
      expect(warnings(ran).some((words) => words.includes(said))).toBe(true);
  });
});

describe("a hook at the end of a turn", () => {
  it("runs once, is told how it ended, and what it changed is known in the next turn", async () => {
    const command = "cat > end.json; echo '// seen' >> a.ts";
    const { go, run, play, project } = playing({ hooks: { turnEnd: [{ command }] } }, [read("a.ts"), done]);
    expect((await go()).code).toBe(0);
    expect(JSON.parse(project.text("end.json"))).toMatchObject({
      hook_event_name: "Stop",
      reason: "complete",
      text: "Done.",
    });
    play([{ ...edit("a.ts", "// seen", "// known", "{{sha256:a.ts}}"), expects: ["// seen"] }, done]);
    const next = await run(["-c", "-p", "Again.", ...yolo]);
    expect(codes(next)).toEqual(["success"]);
  });
});

describe("the check after edits", () => {
  it("tells new lines once, also where they have moved, and says when there are none left", async () => {
    const command = "grep -n bad *.ts | sed 's/^/a.ts:/'; exit 1";
    const { go, run } = playing({ diagnostics: { command } }, [
      read("a.ts"),
      edit("a.ts", "const one = 1;", "bad();"),
      {
        ...edit("a.ts", "bad();", "fine();\nbad();"),
        expects: ["new since your last edits:\na.ts:1:bad();"],
      },
      edit("a.ts", "bad();", "bad();\nbadly();"),
      {
        ...edit("a.ts", "bad();\nbadly();", "fine();"),
        expects: ["new since your last edits:\na.ts:3:badly();"],
      },
      { ...done, expects: ["has nothing to say any more"] },
    ]);
    const ran = await go();
    expect({ code: ran.code, codes: codes(ran) }).toEqual({ code: 0, codes: Array(5).fill("success") });
    const { stdout } = await run(["-c", "-p", "/export"]);
    expect(stdout.split("new since your last edits")).toHaveLength(3);
    expect(stdout).not.toContain("a.ts:2:bad");
  });

  it("does not run where nothing was changed, and costs a sentence where it hangs", async () => {
    const { go, project } = playing(
      { diagnostics: { command: "echo ran >> ran.txt; sleep 600" }, shell: { timeoutMs: 300 } },
      [read("a.ts"), { calls: [write("b.ts", "b\n"), write("c.ts", "c\n")] }, done],
    );
    const ran = await go();
    expect(warnings(ran)).toEqual([expect.stringContaining("was ended after 300 ms")]);
    expect(project.text("ran.txt")).toBe("ran\n");
    expect(ran.code).toBe(0);
  });
});
