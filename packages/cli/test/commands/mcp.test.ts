import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { Project, program, sha256 } from "../process.js";

const poem = "one\ntwo\nthree\n";
const reading = ["read_file", "read_many_files", "list_files", "search_files"];
const writing =
  "edit_file safe_patch write_file append_to_file update_section move_file delete_file undo_edit";
const offered = [...reading, ...writing.split(" ")];

type Call = readonly [name: string, args: object];

/** What `holdfast mcp` with these flags answers to calls that come in one piece. */
async function talk(project: Project, flags: readonly string[], calls: readonly Call[]) {
  const clientInfo = { name: "test", version: "1" };
  const messages = [
    {
      id: "hello",
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
    },
    { method: "notifications/initialized" },
    ...calls.map(([name, args], id) => ({ id, method: "tools/call", params: { name, arguments: args } })),
    { id: "tools", method: "tools/list", params: {} },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const done = await project.run(["mcp", ...flags], { input });
  expect(done).toMatchObject({ code: 0, stderr: "" });
  const lines = done.stdout.trimEnd().split("\n");
  const results = new Map(lines.map((line) => JSON.parse(line)).map(({ id, result }) => [id, result]));
  const tools: readonly string[] = results.get("tools").tools.map(({ name }: { name: string }) => name);
  const texts = calls.map((_, id) => results.get(id).content[0].text as string);
  return { tools, texts, server: results.get("hello").serverInfo };
}

describe("holdfast mcp", () => {
  const read = ["read_file", { file_path: "a.txt" }] as const;

  test("serves the tools over its standard streams and ends with its input", async () => {
    const { tools, texts, server } = await talk(new Project({ "a.txt": poem }), [], [read]);
    expect(tools).toEqual(offered);
    expect(server.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(texts[0]).toContain(poem);
    expect(texts[0]).toContain(sha256(poem));
  });

  test("knows characters beyond ASCII by its patterns, though its code is read as Latin-1", async () => {
    const project = new Project({ "it\u2019s.txt": poem });
    const { texts } = await talk(project, [], [["write_file", { file_path: "it's.txt", content: "x\n" }]]);
    expect(texts[0]).toContain("U+2019 (right single quotation mark)");
  });

  test("begins each call in its turn, also while the folder is still to be opened", async () => {
    const files = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, "v 2\n"]));
    const calls = Object.keys(files).flatMap((file_path): Call[] => [
      ["read_file", { file_path }],
      ["edit_file", { file_path, edits: [{ old_string: "2", new_string: "3" }] }],
    ]);
    const { texts } = await talk(new Project(files), [], calls);
    expect(texts.filter((text) => text.startsWith("FAILED"))).toEqual([]);
  });

  test("its flags choose the tools and the wire; other vendors' tools are offered by name only", async () => {
    const project = new Project({ "a.txt": poem });
    const write = ["write_file", { file_path: "a.txt", content: "x" }] as const;
    const readOnly = await talk(project, ["--read-only"], [write]);
    expect(readOnly.tools).toEqual(reading);
    expect(readOnly.texts[0]).toMatch(/^FAILED \(read_only\)/);
    const json = await talk(project, ["--tools", "read_file,safe_patch", "--wire", "json"], [read]);
    expect(json.tools).toEqual(["read_file", "safe_patch"]);
    expect(JSON.parse(json.texts[0] ?? "")).toMatchObject({ file_path: "a.txt", content: poem });
    const all = await talk(project, ["--tools", "all"], []);
    expect(all.tools).toContain("insert_lines");
    expect(all.tools).not.toContain("replace");
    const named = await talk(project, ["--tools", "read_file,replace"], []);
    expect(named.tools).toEqual(["read_file", "replace"]);
    const refused = await project.run(["mcp", "--tools", "apply_edit"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("needs an applier") });
  });

  test.each([
    ["not_read", []],
    ["applied", ["--edit-guard", "atomic"]],
    ["applied", ["--memory-paths", "*.txt"]],
  ])("an edit of a file that was not read is %s with %j", async (code, flags) => {
    const edit = { file_path: "a.txt", edits: [{ old_string: "two", new_string: "2" }] };
    const { texts } = await talk(new Project({ "a.txt": poem }), flags, [["edit_file", edit]]);
    expect(texts[0]).toContain(`(${code})`);
  });

  test("a call that is sent twice in one piece is made once", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const call = ["append_to_file", { file_path: "a.txt", content: "two\n" }] as const;
    const { texts } = await talk(project, [], [call, call]);
    expect(texts).toEqual([expect.stringContaining("(applied)"), expect.stringContaining("already_applied")]);
    expect(project.text("a.txt")).toBe("one\ntwo\n");
  });

  test("a read that comes in one piece with an overwrite is no licence for it", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const write = { file_path: "a.txt", content: "blind\n", base_content_sha256: project.hash("a.txt") };
    const { texts } = await talk(project, [], [read, ["write_file", write]]);
    expect(texts[1]).toContain("FAILED (unseen_lines)");
    expect(project.text("a.txt")).toBe("one\n");
  });

  test("serves several roots, in the seed's protocol to the letter", async () => {
    const [one, two] = [new Project({ "a.txt": poem }), new Project({ "b.txt": poem })];
    const roots = ["--root", one.folder, "--root", two.folder];
    const file = join(two.folder, "b.txt");
    const flags = [...roots, "--wire", "json", "--result-content", "full"];
    const { texts } = await talk(one, flags, [["read_file", { file_path: file }]]);
    const state = { file_path: file, version: 1, sha256: sha256(poem), content: poem };
    expect(JSON.parse(texts[0] ?? "")).toEqual(state);
  });
});

describe.each(["2026-07-28", "2025-11-25"] as const)("holdfast mcp and a real client (%s)", (revision) => {
  test("list, read, patch, meet a mismatch, recover, are refused, create, and call twice", async () => {
    const project = new Project({ "a.txt": "alpha\nbeta\ngamma\n" });
    const mode = { mode: revision === "2026-07-28" ? { pin: revision } : ("legacy" as const) };
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: mode });
    onTestFinished(() => client.close());
    const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(new Project().folder, "state") };
    const transport = { command: process.execPath, args: [program, "mcp"], cwd: project.folder, env };
    await client.connect(new StdioClientTransport(transport));
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      const [part] = result.content;
      const text = part?.type === "text" ? part.text : "";
      expect(result.isError ?? false).toBe(text.startsWith("FAILED"));
      return text;
    };
    const patch = (text: string, from: string, to: string) =>
      call("safe_patch", {
        file_path: "a.txt",
        unified_diff: `@@ -9 +9 @@\n-${from}\n+${to}\n`,
        base_content_sha256: sha256(text),
      });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(offered);
    const text = project.text("a.txt");
    expect(await call("read_file", { file_path: "a.txt", wait_for_previous: true })).toContain(sha256(text));
    expect(await patch(text, "beta", "BETA")).toMatch(/^OK \(applied\)/);
    expect(await patch(text, "beta", "BETA")).toMatch(/^OK \(already_applied\)/);
    const known = project.text("a.txt");
    // What somebody did to another line is kept, and shown.
    project.put("a.txt", known.replace("alpha", "first"));
    const rebased = await patch(known, "gamma", "gamma 3");
    expect(rebased).toMatch(/^OK \(applied\): .*Rebased: /);
    expect(rebased).toContain("\nfirst\nBETA\ngamma 3\n");
    const shown = project.text("a.txt");
    expect(shown).toBe("first\nBETA\ngamma 3\n");
    const behind = "first\nBETA\ngamma by hand\n";
    project.put("a.txt", behind);
    const mismatch = await patch(shown, "gamma 3", "GAMMA");
    expect(mismatch).toMatch(/^FAILED \(state_mismatch\): State Mismatch/);
    expect(mismatch).toContain(sha256(behind));
    expect(await patch(behind, "gamma by hand", "GAMMA")).toMatch(/^OK \(applied\)/);
    const write = (file_path: string, content: string) => call("write_file", { file_path, content });
    expect(await write("a.txt", "x")).toMatch(/^FAILED \(missing_base\)/);
    expect(await write("new/b.txt", "x\n")).toMatch(/^OK \(applied\)/);
    const both = await Promise.all(["1\n", "2\n"].map((content) => write("same.txt", content)));
    const codes = both.map((reply) => reply.split(":")[0]).sort();
    expect(codes).toEqual(["FAILED (missing_base)", "OK (applied)"]);
    expect(project.text("a.txt")).toBe("first\nBETA\nGAMMA\n");
  });
});
