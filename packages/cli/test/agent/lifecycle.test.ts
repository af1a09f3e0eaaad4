import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { anthropicWire, geminiWire, type ServedAnswer } from "../../../agent/test/loopback/index.js";
import { Project, sha256 } from "../process.js";
import { call, type Provided, provided, resultsIn } from "./provided.js";

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
    expect(shown.stdout).toMatch(
      /a\.ts.*user: Log what.*task_start.*append_to_file.*task_complete.*summary.*model: Done\./su,
    );
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

// Two of the four APIs: without a kill, agent/test/loop/providers.test.ts resumes a session over each of them.
describe.each([anthropicWire, geminiWire])("killed while $name answers", (wire) => {
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
async function killedWhenHeld({ begin, server }: Provided): Promise<void> {
  const child = begin(["-p", "Log.", "--approval-mode", "yolo"]);
  const ended = once(child, "close");
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
  const [before, theirs, both] = [
    "one\n\n\n\n\n\n\n\ntwo\n",
    "1\n\n\n\n\n\n\n\ntwo\n",
    "1\n\n\n\n\n\n\n\n2\n",
  ];
  const edits = [{ old_string: "two", new_string: "2" }];
  const edit = call("edit_file", { file_path: "a.ts", base_content_sha256: sha256(before), edits });
  const rebase = ["--on-mismatch", "rebase"];

  it.each<readonly [readonly string[], number, string, RegExp]>([
    [["--on-mismatch", "refuse"], 64, theirs, /^FAILED \(state_mismatch\): State Mismatch/u],
    [rebase, 0, both, /^OK \(applied\)/u],
    [[...rebase, "--wire", "json"], 0, both, /^\{"success":true,"code":"applied"/u],
    [[...rebase, "--result-content", "full"], 0, both, /\n1\n\n\n\n\n\n\n\n2\n<\/file>/u],
    [[...rebase, "--result-content", "none"], 0, both, /shown="no"\/>$/u],
  ])("is as %j has it", async (flags, code, after, says) => {
    const script = [{ calls: [edit] }, { text: "So." }];
    const { run, server, project } = await provided(anthropicWire, script, { "a.ts": before });
    server.onRequest = (count) => {
      if (count === 1) project.put("a.ts", theirs);
    };
    const ran = await run(["-p", "@a.ts", "--approval-mode", "yolo", "-o", "stream-json", ...flags]);
    expect([ran.code, project.text("a.ts")], ran.stdout).toEqual([code, after]);
    expect(String(resultsIn(ran)[0]?.output)).toMatch(says);
  });
});
