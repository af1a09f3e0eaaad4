import { spawn } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { anthropicWire, type ServedAnswer, wires } from "../../../agent/test/loopback/index.js";
import { Project, program, sha256 } from "../process.js";
import { type Provided, provided, resultsIn } from "./provided.js";

const call = (name: string, args: object = {}) => ({ name, args: { ...args } });
const append = (line: string) => call("append_to_file", { file_path: "log.txt", content: `${line}\n` });

describe("seed 4: the lifecycle of a turn", () => {
  it("input, staging, execution, rendering, reconstitution, and the next turn from the journal", async () => {
    const files = { "a.ts": "const one = 1;\n", "log.txt": "begin\n" };
    const { run, server, project } = await provided(
      anthropicWire,
      [
        { thought: "A task.", calls: [call("task_start", { name: "log" })] },
        { calls: [append("one")] },
        { calls: [call("task_complete", { summary: "One line." })] },
        { text: "Done." },
        { thought: "As told.", calls: [call("track_file", { file_path: "a.ts" })] },
        { text: "Tracked." },
        { text: "I see it." },
      ],
      files,
    );
    const yolo = ["--approval-mode", "yolo", "-o", "json"];
    const first = await run(["-p", "Log what @a.ts is.", ...yolo]);
    expect(first.code, first.stderr).toBe(0);
    // The local command of the words went before them, as a state; each answer became nodes of its kind.
    const shown = await run(["-c", "-p", "/history view"]);
    const kinds = [
      "a.ts",
      "user: Log what",
      "task_start",
      "append_to_file",
      "task_complete",
      "summary",
      "model: Done.",
    ];
    let from = 0;
    for (const kind of kinds) {
      const at = shown.stdout.indexOf(kind, from);
      expect(at, `${kind} in ${shown.stdout}`).toBeGreaterThanOrEqual(from);
      from = at;
    }
    expect((await run(["-c", "-p", "Keep an eye on it.", ...yolo])).code).toBe(0);
    project.put("a.ts", "const two = 2;\n");
    expect((await run(["-c", "-p", "And now?", ...yolo])).code).toBe(0);
    const requests = server.requests.map(({ text }) => text);
    // Below its summary the steps of the task are no longer in the prompt; an ambient file is there as it is now.
    expect(requests[3]).toContain("One line.");
    expect(requests[3]).not.toContain("begin\\none");
    expect(requests.at(-1)).toContain(sha256("const two = 2;\n"));
    expect(server.refused).toEqual([]);
    expect(project.text("log.txt")).toBe("begin\none\n");
  });
});

describe.each(wires)("killed while $name answers", (wire) => {
  it("is resumed to the byte: a second resume sends what the first one sent", async () => {
    const script: readonly ServedAnswer[] = [
      {
        thought: "Both.",
        text: "At once.",
        calls: [call("read_file", { file_path: "a.ts" }), append("one")],
      },
      { thought: "One more.", calls: [append("two")] },
      { fault: { kind: "hold" } },
    ];
    const at = await provided(wire, script, { "a.ts": "const one = 1;\n", "log.txt": "" });
    await killedWhenHeld(at);
    const killed = at.server.requests.at(-1);
    const kept = new Project();
    cpSync(at.home.folder, kept.folder, { recursive: true });
    const first = await resumed(at, "Go on.");
    rmSync(at.home.folder, { recursive: true });
    cpSync(kept.folder, at.home.folder, { recursive: true });
    const second = await resumed(at, "Go on.");
    expect(second?.text).toBe(first?.text);
    const third = await resumed(at, "And?");
    const [before, after, last] = [killed, second, third].map((request) => partsOf(request?.body));
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(last?.slice(0, after?.length)).toEqual(after);
    expect(at.project.text("log.txt")).toBe("one\ntwo\n");
    expect(at.server.refused).toEqual([]);
  });
});

/** Runs the program until its provider holds an answer back, and kills it there. */
async function killedWhenHeld({ project, env, server }: Provided): Promise<void> {
  const args = [program, "-p", "Log.", "--approval-mode", "yolo"];
  const child = spawn(process.execPath, args, {
    cwd: project.folder,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: "ignore",
  });
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  await Promise.race([server.held(), ended]);
  child.kill("SIGKILL");
  await ended;
}

/** The request of a run that goes on with the session. */
async function resumed({ run, server }: Provided, prompt: string) {
  server.play({ text: "Here." });
  const ran = await run(["-c", "-p", prompt, "--approval-mode", "yolo"]);
  expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "Here.\n" });
  return server.requests.at(-1);
}

/** A request as a list of its parts, each with its side; marks of a cache move with its end. */
function partsOf(body: unknown): readonly string[] {
  // A cast: the server took the request, so that one of these lists is there.
  const { messages, input, contents } = body as Readonly<Record<string, readonly Said[] | undefined>>;
  const said = messages ?? input ?? contents ?? [];
  return said.flatMap(({ content, parts, ...rest }) => {
    const inner = Array.isArray(content) ? content : (parts ?? [content]);
    return inner.map((part) => JSON.stringify([rest, part]).replace(/,"cache_control":\{[^}]*\}/gu, ""));
  });
}

interface Said {
  readonly content?: unknown;
  readonly parts?: readonly unknown[];
}

describe("what is said to the model of files", () => {
  const edit = call("edit_file", {
    file_path: "a.ts",
    base_content_sha256: sha256("one\n\n\n\n\n\n\n\ntwo\n"),
    edits: [{ old_string: "two", new_string: "2" }],
  });
  it.each<readonly [readonly string[], number, string, RegExp]>([
    [
      ["--on-mismatch", "refuse"],
      64,
      "1\n\n\n\n\n\n\n\ntwo\n",
      /^FAILED \(state_mismatch\): State Mismatch/u,
    ],
    [["--on-mismatch", "rebase"], 0, "1\n\n\n\n\n\n\n\n2\n", /^OK \(applied\)/u],
    [
      ["--on-mismatch", "rebase", "--wire", "json"],
      0,
      "1\n\n\n\n\n\n\n\n2\n",
      /^\{"success":true,"code":"applied"/u,
    ],
    [
      ["--on-mismatch", "rebase", "--result-content", "full"],
      0,
      "1\n\n\n\n\n\n\n\n2\n",
      /\n1\n\n\n\n\n\n\n\n2\n<\/file>/u,
    ],
    [["--on-mismatch", "rebase", "--result-content", "none"], 0, "1\n\n\n\n\n\n\n\n2\n", /shown="no"\/>$/u],
  ])("is as %j has it", async (flags, code, after, says) => {
    const files = { "a.ts": "one\n\n\n\n\n\n\n\ntwo\n" };
    const { run, server, project } = await provided(
      anthropicWire,
      [{ calls: [edit] }, { text: "So." }],
      files,
    );
    server.onRequest = (count) => {
      if (count === 1) project.put("a.ts", "1\n\n\n\n\n\n\n\ntwo\n");
    };
    const ran = await run(["-p", "@a.ts", "--approval-mode", "yolo", "-o", "stream-json", ...flags]);
    expect([ran.code, project.text("a.ts")], ran.stdout).toEqual([code, after]);
    expect(String(resultsIn(ran)[0]?.output)).toMatch(says);
  });
});
