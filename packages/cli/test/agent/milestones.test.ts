import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import {
  anthropicWire,
  chatWire,
  geminiWire,
  responsesWire,
  wires,
} from "../../../agent/test/loopback/index.js";
import { isThere } from "../addon-there.js";
import { sha256 } from "../process.js";
import { call, done, provided, resultsIn } from "./provided.js";
import { inTerminal } from "./terminal.js";

const code = 'const greeting = "grüß";\nconst one = 1;\n';
const files = { "a.ts": code, "b.ts": "const b = 2;\n" };
const base = (path: string) => ({ file_path: path, base_content_sha256: `{{sha256:${path}}}` });
const diff = "@@ -2,1 +2,1 @@\n-const one = 1;\n+const one = 100;\n";

describe("seed 1, milestone 1: verifiable versioned reads", () => {
  it("answers read_file and read_many_files with states whose versions rise", async () => {
    const reads = [
      call("read_file", { file_path: "a.ts" }),
      call("read_many_files", { paths: ["b.ts", "a.ts"] }),
    ];
    const { run } = await provided(responsesWire, [...reads.map((one) => ({ calls: [one] })), done], files);
    const ran = await run(["-p", "Read.", "--wire", "json", "-o", "stream-json"]);
    expect(ran.code, ran.stderr).toBe(0);
    const [one, many] = resultsIn(ran).map(({ output }) => JSON.parse(String(output)));
    expect(one).toMatchObject({ file_path: "a.ts", version: 1, sha256: sha256(code), content: code });
    const states: { file_path: string; version: number; sha256: string }[] = many.files ?? many;
    expect(states.map(({ file_path, sha256: hash }) => [file_path, hash])).toEqual([
      ["b.ts", sha256(files["b.ts"])],
      ["a.ts", sha256(code)],
    ]);
    const versions = [one, ...states].map(({ version }) => version);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });
});

describe("seed 1, milestone 2: @ is state-aware", () => {
  it.each(wires)("puts a JSON block with path, version, hash and content before $name", async (wire) => {
    const { run, home, server } = await provided(wire, [{ text: "A summary." }], files);
    const debug = join(home.folder, "debug.jsonl");
    const ran = await run(["-p", "Summarize this file: @a.ts", "--wire", "json", "--debug", debug]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "A summary.\n" });
    const state = { file_path: "a.ts", version: 1, sha256: sha256(code), content: code };
    const logged = JSON.parse(readFileSync(debug, "utf8"));
    expect(textsIn(logged.body)).toContain(JSON.stringify(state));
    expect(textsIn(server.requests[0]?.body)).toContain(JSON.stringify(state));
    expect(server.refused).toEqual([]);
  });
});

describe.runIf(process.platform === "linux")("seed 1, milestone 3: safe, atomic patching", () => {
  it.runIf(isThere("screen"))("shows the diff, asks, and changes the file once it is approved", async () => {
    const script = [
      { thought: "A patch.", calls: [call("safe_patch", { ...base("a.ts"), unified_diff: diff })] },
      { text: "It is a hundred." },
    ];
    const at = await provided(anthropicWire, script, files);
    const seen = inTerminal(at, ["--approval-mode", "ask"]);
    await seen.until("> ");
    seen.press("Make one 100 in @a.\t");
    await seen.until("ts ");
    seen.type("");
    await seen.until("[y]es");
    expect(stripVTControlCharacters(seen.text())).toContain("+const one = 100;");
    expect(at.project.text("a.ts")).toBe(code);
    seen.type("y");
    await seen.until("It is a hundred.");
    expect(at.project.text("a.ts")).toBe(code.replace("= 1;", "= 100;"));
    seen.type("/quit");
    expect(await seen.ended).toBe(0);
    expect(at.server.refused).toEqual([]);
  });

  it("refuses a patch of a file that another editor changed meanwhile, and gives the state that is there", async () => {
    const stale = { file_path: "a.ts", base_content_sha256: sha256(code), unified_diff: diff };
    const { run, server, project } = await provided(
      geminiWire,
      [
        { calls: [call("safe_patch", stale)] },
        { calls: [call("safe_patch", { ...base("a.ts"), unified_diff: diff })] },
        done,
      ],
      files,
    );
    const theirs = code.replace("const one = 1;", "const one = 1;\nconst theirs = true;");
    server.onRequest = (count) => {
      if (count === 1) project.put("a.ts", theirs);
    };
    // The seed to the letter; the agent's own default would make the change beside theirs.
    const seed = ["--on-mismatch", "refuse"];
    const args = ["-p", "Make one 100 in @a.ts", "--approval-mode", "yolo", "-o", "stream-json", ...seed];
    const ran = await run(args);
    expect(ran.code, ran.stderr).toBe(0);
    const [refused, applied] = resultsIn(ran);
    expect(refused).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining("State Mismatch") },
    });
    expect(String(refused?.output)).toContain(sha256(theirs));
    expect(applied).toMatchObject({ status: "success" });
    expect(project.text("a.ts")).toBe(theirs.replace("const one = 1;", "const one = 100;"));
  });
});

describe("seed 1, milestone 4: the whole toolchain is state-aware", () => {
  const full = ["--approval-mode", "yolo", "--result-content", "full", "-o", "stream-json"];

  it("never overwrites blindly: no hash, a wrong hash, then the right one", async () => {
    const write = (args: object) => call("write_file", { file_path: "b.ts", content: "new\n", ...args });
    const { run, project, server } = await provided(
      chatWire,
      [
        { calls: [write({})] },
        { calls: [write({ base_content_sha256: "0".repeat(64) })] },
        { calls: [write(base("b.ts"))] },
        { calls: [write({ file_path: "fresh.ts" })] },
        done,
      ],
      files,
    );
    let between = "";
    server.onRequest = (count) => {
      if (count === 3) between = project.text("b.ts");
    };
    const ran = await run(["-p", "Write b.ts.", ...full]);
    expect(ran.code, ran.stdout).toBe(0);
    const results = resultsIn(ran);
    expect(results.map(({ status }) => status)).toEqual(["error", "error", "success", "success"]);
    const says = ["(missing_base)", "State Mismatch", "(applied)", "File created."];
    const states = [files["b.ts"], files["b.ts"], "new\n", "new\n"].map(sha256);
    for (const [at, { output }] of results.entries()) {
      expect(output).toContain(says[at]);
      expect(output).toContain(`sha256="${states[at]}"`);
    }
    // All of the new state, because that was asked for.
    expect(results[2]?.output).toMatch(/total_lines="1" end="<\/file>">\nnew\n<\/file>$/u);
    expect(between).toBe(files["b.ts"]);
    expect([project.text("b.ts"), project.text("fresh.ts")]).toEqual(["new\n", "new\n"]);
  });

  it("overwrites in JSON, too, where no line counts as shown, by the hash that it was given", async () => {
    const replace = call("write_file", { ...base("b.ts"), content: "new\n" });
    const calls = [call("read_file", { file_path: "b.ts" }), replace];
    const script = [...calls.map((one) => ({ calls: [one] })), done];
    const { run, project } = await provided(chatWire, script, files);
    const ran = await run(["-p", "Write b.ts.", ...full, "--wire", "json"]);
    expect(ran.code, ran.stdout).toBe(0);
    const [, written] = resultsIn(ran).map(({ output }) => JSON.parse(String(output)));
    const state = { file_path: "b.ts", sha256: sha256("new\n"), content: "new\n" };
    expect(written).toMatchObject({ success: true, latest_file_state: state });
    expect(project.text("b.ts")).toBe("new\n");
  });

  it("describes its tools to a person by /tools as it does to the model", async () => {
    const { run, server } = await provided(responsesWire, [{ text: "Hello." }], files);
    const { stdout } = await run(["-p", "/tools", "-o", "json"]);
    const { data } = JSON.parse(stdout);
    await run(["-p", "Hello."]);
    // A cast: the server took the request, so this is its form.
    const [{ body } = { body: {} }] = server.requests;
    const { tools: offered } = body as Offered;
    expect(data.tools).toEqual(offered.map(({ name, description }) => ({ name, description })));
    const described = new Map(offered.map(({ name, description }) => [name, description]));
    expect(described.get("safe_patch")).toContain("highest version number");
    expect(described.get("write_file")).toContain("base_content_sha256");
  });
});

interface Offered {
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** All texts of a request. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
