import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { memoryPorts, Workspace } from "../../src/files/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { runTool } from "../../src/tools/index.js";
import { sha } from "../support.js";

async function firstLine(name: string, args: object): Promise<string> {
  const ports = memoryPorts({ digest: sha, newId: randomUUID, codec: openCharsets(), clock: Date });
  ports.disk.poke("one/a.txt", Buffer.from("x x x\ny\n"));
  const workspace = new Workspace(ports, {});
  await workspace.read({ path: "one/a.txt" });
  const { text } = await runTool(name, args, { workspace, offered: [] });
  return text.split("\n").slice(0, 2).join("\n");
}

it.each([
  ["list_files", { path: "one" }, '"one" holds 1 entry; sizes are in bytes.'],
  ["list_files", { path: "one", limit: 0 }, "at least 1"],
  ["find_files", { glob: "*.txt" }, '1 file found in "."'],
  ["find_files", { glob: "*.none" }, '0 files found in "."'],
  ["search_files", { pattern: "y" }, "1 match in 1 of 1 file."],
  ["search_files", { pattern: "[xy]" }, "2 matches in 1 of 1 file."],
  ["read_many_files", { paths: ["one/a.txt"] }, "1 file read."],
  ["read_many_files", { paths: ["one/a.txt", "none"] }, "1 file read, 1 not."],
  ["edit_file", { file_path: "one/a.txt", edits: [] }, "must be a list of at least 1, not an empty list"],
  [
    "edit_file",
    { file_path: "one/a.txt", edits: [{ old_string: "x", new_string: "z" }] },
    "appears 3 times in one/a.txt.",
  ],
  [
    "str_replace_based_edit_tool",
    { command: "str_replace", path: "one/a.txt", old_str: "x", new_str: "z" },
    "Found 3 matches",
  ],
  [
    "memory",
    { command: "create", path: "/memories/a", file_text: "x x" },
    "File created successfully at: /memories/a",
  ],
])("%s %j says: %s", async (name, args, words) => {
  expect(await firstLine(name, args)).toContain(words);
});

it("names a line once, however often the text stands in it", async () => {
  const ports = memoryPorts({ digest: sha, newId: randomUUID, codec: openCharsets(), clock: Date });
  ports.disk.poke("a", Buffer.from("x\nx x x\n"));
  const workspace = new Workspace(ports, {});
  await workspace.read({ path: "a" });
  const outcome = await workspace.edit({ path: "a", edits: [{ oldString: "x", newString: "y" }] });
  expect(outcome.message).toContain("It stands at lines 1, 2.");
});
