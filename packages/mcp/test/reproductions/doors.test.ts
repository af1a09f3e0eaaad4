import { tools as defaultTools, type ToolName, toolNames } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { connect, makeGround, type Revision, sha256 } from "../server-process.js";

/** Whole to replace whole, one budget and one's own words, over a real server. */
const revision: Revision = "2025-11-25";
const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");

async function start(files: Readonly<Record<string, string>>, tools?: readonly ToolName[]) {
  const ground = await makeGround();
  for (const [path, text] of Object.entries(files)) await ground.put(path, text);
  const session = await connect(revision, ground, tools === undefined ? {} : { tools });
  return { ...ground, ...session };
}

describe("a server", () => {
  // Today the hash in the header of a window licenses replacing the whole file.
  it("does not replace a file of which one line was shown", async () => {
    const { call, get } = await start({ "f.txt": ten });
    await call("read_file", { file_path: "f.txt", offset: 1, limit: 1 });
    const write = { file_path: "f.txt", content: "blind\n", base_content_sha256: sha256(ten) };
    expect((await call("write_file", write)).code).toBe("unseen_lines");
    expect(await get("f.txt")).toBe(ten);
  });

  it("does not let a read license a create that was sent with it", async () => {
    const create = { command: "create", path: "f.txt", file_text: "blind\n" };
    // The client writes twice: on a busy machine the read may be answered before the create is sent, and counts then.
    for (let left = 10; ; left--) {
      const { call, get } = await start({ "f.txt": ten }, ["read_file", "str_replace_based_edit_tool"]);
      const [, created] = await Promise.all([
        call("read_file", { file_path: "f.txt" }),
        call("str_replace_based_edit_tool", create),
      ]);
      // Success in the vendor's words carries no code: the file says whether it was written.
      if ((await get("f.txt")) !== ten && left > 0) continue;
      expect(created.code).toBe("not_read");
      expect(await get("f.txt")).toBe(ten);
      return;
    }
  });

  it("keeps the budget where somebody changed a line of 3 MB", async () => {
    const { call, put } = await start({});
    const line = `${"a".repeat(3_000_000)}\n`;
    expect((await call("write_file", { file_path: "f", content: line })).code).toBe("applied");
    await put("f", `${"b".repeat(3_000_000)}\n`);
    const write = { file_path: "f", content: "new\n", base_content_sha256: sha256(line) };
    const { code, text } = await call("write_file", write);
    expect(code).toBe("state_mismatch");
    expect(text.length).toBeLessThanOrEqual(262_144);
  });
});

describe("a refusal names no tool that is not offered", () => {
  const edit = { file_path: "f.txt", edits: [{ old_string: "line 1", new_string: "x" }] };
  const create = { command: "create", path: "f.txt", file_text: "x" };
  const cases: readonly (readonly [string, readonly ToolName[] | undefined, ToolName, object])[] = [
    ["by default, for a file that was not read", undefined, "edit_file", edit],
    ["of a text editor alone", ["str_replace_based_edit_tool"], "str_replace_based_edit_tool", create],
    ["of fs_write alone", ["fs_write"], "fs_write", create],
    ["of two tools", ["read_file", "edit_file"], "edit_file", edit],
  ];
  for (const [what, tools, name, args] of cases) {
    it(what, async () => {
      const { call } = await start({ "f.txt": ten }, tools);
      const offered: readonly string[] = tools ?? defaultTools.map((tool) => tool.name);
      const { code, text } = await call(name, { ...args });
      expect(code).toBe("not_read");
      const named = toolNames.filter((tool) => tool.includes("_") && text.includes(tool));
      expect(named.filter((tool) => !offered.includes(tool))).toEqual([]);
    });
  }
});
