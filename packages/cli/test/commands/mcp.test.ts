import { describe, expect, test } from "vitest";
import { Project, sha256 } from "../process.js";

const poem = "one\ntwo\nthree\n";

describe("mcp", () => {
  const open = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const requests = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: open },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} },
    {
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "read_file", arguments: { file_path: "a.txt" } },
    },
  ];
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join("");

  async function serve(...args: string[]) {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["mcp", ...args], { input });
    expect(done).toMatchObject({ code: 0, stderr: "" });
    const answers = done.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const byId = new Map(answers.map((answer) => [answer.id, answer.result]));
    const tools: string[] = byId.get(2).tools.map(({ name }: { name: string }) => name);
    return { tools, server: byId.get(1).serverInfo, text: byId.get(3).content[0].text as string };
  }

  test("serves the tools over its standard streams and ends with its input", async () => {
    const { tools, server, text } = await serve();
    expect(tools).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
      "edit_file",
      "safe_patch",
      "write_file",
      "append_to_file",
      "update_section",
      "move_file",
      "delete_file",
      "undo_edit",
    ]);
    expect(server.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(text).toContain(poem);
    expect(text).toContain(sha256(poem));
  });

  test("its flags choose the tools and the wire", async () => {
    expect((await serve("--read-only")).tools).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
    ]);
    const { tools, text } = await serve("--tools", "read_file,safe_patch", "--wire", "json");
    expect(tools).toEqual(["read_file", "safe_patch"]);
    expect(JSON.parse(text)).toMatchObject({ file_path: "a.txt", content: poem });
  });

  test("other vendors' tools are offered by name only, and guards by flags", async () => {
    const all = (await serve("--tools", "all")).tools;
    expect(all).toContain("insert_lines");
    expect(all).not.toContain("replace");
    expect((await serve("--tools", "read_file,replace")).tools).toEqual(["read_file", "replace"]);
    const project = new Project();
    const refused = await project.run(["mcp", "--tools", "apply_edit"], { input: "" });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("needs an applier");
    const edit = { file_path: "a.txt", edits: [{ old_string: "two", new_string: "2" }] };
    const call = {
      jsonrpc: "2.0",
      id: 4,
      method: "tools/call",
      params: { name: "edit_file", arguments: edit },
    };
    const asked = `${requests
      .slice(0, 2)
      .map((request) => JSON.stringify(request))
      .join("\n")}\n${JSON.stringify(call)}\n`;
    for (const [flags, code] of [
      [[], "not_read"],
      [["--edit-guard", "atomic"], "applied"],
      [["--memory-paths", "*.txt"], "applied"],
    ] as const) {
      const there = new Project({ "a.txt": poem });
      expect((await there.run(["mcp", ...flags], { input: asked })).stdout).toContain(`(${code})`);
    }
  });
});
