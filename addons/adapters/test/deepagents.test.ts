import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { holdfastBackend, holdfastTools } from "../src/deepagents.js";
import { openRoom } from "./room.js";

async function openBackend(files: Readonly<Record<string, string | Uint8Array>>) {
  const room = await openRoom(files);
  return { ...room, backend: holdfastBackend(room.workspace) };
}

describe("what the backend's conversation was shown", () => {
  it("refuses to edit, replace or delete what was not read, and shows it", async () => {
    const { backend, text } = await openBackend({ "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" });
    const answers = [
      await backend.edit("/a.txt", "one", "two"),
      await backend.write("/b.txt", "two\n"),
      await backend.delete("/c.txt"),
    ];
    for (const { error } of answers) {
      expect(error).toMatch(/^Error \(not_read\): \/\w\.txt exists and was not read/);
      expect(error).toContain("\none\n</file>");
    }
    expect(["a.txt", "b.txt", "c.txt"].map(text)).toEqual(["one\n", "one\n", "one\n"]);
    expect(await backend.edit("/a.txt", "one", "two")).toMatchObject({ path: "/a.txt", occurrences: 1 });
    expect(text("a.txt")).toBe("two\n");
  });

  it("refuses what changed since the read, with its present state, and goes on from that", async () => {
    const { backend, write, text } = await openBackend({ "a.txt": "one\n" });
    await backend.read("/a.txt");
    write("a.txt", "one, and more\n");
    const refused = await backend.edit("/a.txt", "one", "two");
    expect(refused.error).toMatch(/^Error \(state_mismatch\): State Mismatch/);
    expect(refused.error).toContain("\none, and more\n</file>");
    await backend.edit("/a.txt", "one", "two");
    expect(text("a.txt")).toBe("two, and more\n");
  });

  it("knows what it wrote itself, and calls of one turn pass one after the other", async () => {
    const { backend, text } = await openBackend({});
    expect(await backend.write("/new/a.txt", "a b c\n")).toMatchObject({
      path: "/new/a.txt",
      filesUpdate: null,
    });
    const edits = ["a", "b", "c"].map((letter) => backend.edit("/new/a.txt", letter, letter.toUpperCase()));
    expect((await Promise.all(edits)).map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(text("new/a.txt")).toBe("A B C\n");
  });

  it("is what stood in answers that were sent before the call", async () => {
    const { backend, text } = await openBackend({ "a.txt": "one\ntwo\n" });
    const [, together] = await Promise.all([backend.read("/a.txt"), backend.write("/a.txt", "blind\n")]);
    expect(together.error).toMatch(/^Error \(not_read\)/);
    expect(text("a.txt")).toBe("one\ntwo\n");
    expect((await backend.write("/a.txt", "new\n")).error).toBeUndefined();
  });

  it("is counted line by line: windows together may be all of a file", async () => {
    const { backend } = await openBackend({ "a.txt": "1\n2\n3\n" });
    await backend.read("/a.txt", 0, 2);
    expect((await backend.edit("/a.txt", "1", "one")).error).toBeUndefined();
    await backend.read("/a.txt", 2, 1);
    expect((await backend.write("/a.txt", "new\n")).error).toBeUndefined();
  });

  it("is not fed by listings, searches and raw reads", async () => {
    const { backend } = await openBackend({ "a.txt": "one\n" });
    await backend.ls("/");
    await backend.grep("one");
    await backend.glob("*.txt");
    expect((await backend.readRaw("/a.txt")).data?.content).toBe("one\n");
    expect((await backend.write("/a.txt", "blind")).error).toMatch(/not_read/);
  });

  it("deletes what was read, and lets it be created anew when somebody else deleted it", async () => {
    const { backend, root, text } = await openBackend({ "a.txt": "one\n", "b.txt": "one\n" });
    await backend.read("/a.txt");
    expect(await backend.delete("/a.txt")).toMatchObject({ path: "/a.txt" });
    await backend.read("/b.txt");
    rmSync(join(root, "b.txt"));
    expect((await backend.edit("/b.txt", "one", "two")).error).toMatch(/^Error \(file_missing\)/);
    await backend.write("/b.txt", "new\n");
    expect(text("b.txt")).toBe("new\n");
    expect((await backend.delete("/")).error).toBeDefined();
  });
});

describe("the backend's answers", () => {
  it("page through lines as deepagents counts them", async () => {
    const { backend } = await openBackend({ "a.txt": "1\n2\n3\n4", "empty.txt": "" });
    expect(await backend.read("/a.txt", 0, 2)).toMatchObject({
      content: "1\n2\n",
      totalLines: 4,
      startLine: 1,
      endLine: 2,
      nextOffset: 2,
    });
    const rest = await backend.read("/a.txt", 2, 100);
    expect(rest).toMatchObject({ content: "3\n4", startLine: 3, endLine: 4 });
    expect(rest.nextOffset).toBeUndefined();
    expect(await backend.read("/empty.txt")).toMatchObject({ content: "", totalLines: 0 });
    expect((await backend.read("/a.txt", 9)).error).toMatch(/^Error \(out_of_range\)/);
    expect((await backend.read("/none.txt")).error).toMatch(
      /^Error \(file_missing\): There is no file \/none\.txt/,
    );
  });

  it("name files from the root, and take true paths inside it, too", async () => {
    const { backend, root } = await openBackend({ "a.txt": "needle\n", "b.md": "hay\n" });
    expect((await backend.ls("/")).files).toEqual([
      { path: "/a.txt", is_dir: false, size: 7 },
      { path: "/b.md", is_dir: false, size: 4 },
    ]);
    expect((await backend.glob("**/*.md", "/")).files?.map(({ path }) => path)).toEqual(["/b.md"]);
    expect(await backend.grep("needle", "/", "*.txt")).toEqual({
      matches: [{ path: "/a.txt", line: 1, text: "needle" }],
    });
    expect((await backend.read(join(root, "a.txt"))).content).toBe("needle\n");
    expect((await backend.read("/../../etc/passwd")).error).toMatch(/^Error \(outside_workspace\)/);
  });

  it("count the replacements, and the matches of an edit that does not fit", async () => {
    const { backend, text } = await openBackend({ "a.txt": "x x\r\nx\r\n" });
    await backend.read("/a.txt");
    const { error } = await backend.edit("/a.txt", "x", "y");
    expect(error).toMatch(/^Error \(occurrence_mismatch\): [\s\S]*\b3 times[\s\S]*replace_all/);
    expect(await backend.edit("/a.txt", "x\nx", "y\nz", true)).toMatchObject({ occurrences: 1 });
    expect(await backend.edit("/a.txt", "x", "$&", true)).toMatchObject({ occurrences: 1 });
    expect(text("a.txt")).toBe("$& y\r\nz\r\n");
  });
});

describe("the tools for LangChain", () => {
  it("are made by its own function from the catalogue", async () => {
    const { workspace } = await openRoom({ "a.txt": "one\n" });
    const made = holdfastTools(workspace, (run, fields) => ({ run, ...fields }));
    const read = made.find(({ name }) => name === "read_file");
    expect(await read?.run({ file_path: "a.txt" })).toContain("one\n</file>");
    expect(read?.schema).toMatchObject({ type: "object", required: ["file_path"] });
  });
});

it("tells the host what another program wrote into a replaced file, and the agent where a change is refused", async () => {
  const { backend, root } = await openBackend({ "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" });
  await backend.read("/a.txt");
  await backend.read("/b.txt");
  const late = openSync(join(root, "a.txt"), "a");
  await backend.edit("/a.txt", "one", "two");
  writeSync(late, "late\n");
  await backend.read("/a.txt");
  expect(await backend.edit("/b.txt", "one", "two")).toMatchObject({
    metadata: { code: "applied", displacedNote: expect.stringContaining("displaced write") },
  });
  await new Promise((next) => setTimeout(next, 60));
  writeSync(late, "later\n");
  expect((await backend.edit("/c.txt", "one", "two")).error).toContain("displaced write");
  closeSync(late);
});
