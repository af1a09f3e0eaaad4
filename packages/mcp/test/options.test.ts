import { describe, expect, test } from "vitest";
import { connect, makeGround, revisions, type ServerOptions, sha256 } from "./server-process.js";

const before = "one\ntwo\n";
const patch = {
  file_path: "a.txt",
  unified_diff: "@@ -2 +2 @@\n-two\n+TWO\n",
  base_content_sha256: sha256(before),
};

describe.each(revisions)("the options of a server in revision %s", (revision) => {
  async function start(options: ServerOptions) {
    const ground = await makeGround();
    await ground.put("a.txt", before);
    return { ground, ...(await connect(revision, ground, options)) };
  }

  test("read-only offers the reading tools and refuses the others with their own code", async () => {
    const { client, call, ground } = await start({ readOnly: true });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
    ]);
    expect(client.getInstructions()).not.toContain("safe_patch");
    for (const [name, args] of [
      ["safe_patch", patch],
      ["write_file", { file_path: "b.txt", content: "x" }],
      ["undo_edit", { file_path: "a.txt" }],
    ] as const) {
      expect(await call(name, args)).toMatchObject({ success: false, code: "read_only", isError: false });
    }
    expect(await ground.get("a.txt")).toBe(before);
    await expect(ground.get("b.txt")).rejects.toThrow();
  });

  test("a choice of tools is listed in the fixed order; the rest do not exist", async () => {
    const { client, call } = await start({ tools: ["safe_patch", "read_file"] });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(["read_file", "safe_patch"]);
    await expect(call("write_file", { file_path: "a.txt", content: "x" })).rejects.toThrow(/Unknown tool/);
  });

  test("a tool that is not offered by default is there for who names it", async () => {
    const plain = await start({});
    await expect(plain.call("apply_changes", { changes: [] })).rejects.toThrow(/Unknown tool/);
    const { client, call } = await start({ tools: ["apply_changes", "read_file"] });
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(["read_file", "apply_changes"]);
    const changes = ["b.txt", "c.txt"].map((file_path) => ({ file_path, content: "x\n" }));
    expect((await call("apply_changes", { changes })).text).toContain("OK (applied): Change set applied");
  });

  test("a diff that deletes or renames is refused, and the tool that does it is named where there is one", async () => {
    const git = "diff --git a/a.txt b/a.txt\n";
    const removal = "deleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n";
    const cases = [
      [`${git}${removal}`, "delete it"],
      ["diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n", "rename it"],
      [`${git}${removal}${(git + removal).replaceAll("a.txt", "b.txt")}`, "change them together"],
    ] as const;
    const both = await start({ tools: ["apply_changes", "safe_patch"] });
    const alone = await start({ tools: ["safe_patch"] });
    for (const [unified_diff, what] of cases) {
      const refused = await both.call("safe_patch", { ...patch, unified_diff });
      expect(refused).toMatchObject({ success: false });
      expect(refused.text).toContain("Nothing was changed.");
      expect(refused.text).toContain(`To ${what}, use apply_changes.`);
      const other = await alone.call("safe_patch", { ...patch, unified_diff });
      expect(other.text).toContain("Nothing was changed.");
      expect(other.text).not.toContain("apply_changes");
    }
    expect(await both.ground.get("a.txt")).toBe(before);
  });

  test("full content as JSON is the seed's protocol to the letter", async () => {
    const { call } = await start({ wire: "json", resultContent: "full" });
    const read = await call("read_file", { file_path: "a.txt" });
    expect(JSON.parse(read.text)).toStrictEqual({
      file_path: "a.txt",
      version: 1,
      sha256: sha256(before),
      content: before,
    });
    const written = JSON.parse((await call("safe_patch", patch)).text);
    expect(Object.keys(written)).toEqual(["success", "code", "message", "latest_file_state"]);
    expect(written).toMatchObject({
      success: true,
      code: "applied",
      message: expect.stringMatching(/^Patch applied successfully\./),
      latest_file_state: {
        file_path: "a.txt",
        version: 2,
        sha256: sha256("one\nTWO\n"),
        content: "one\nTWO\n",
      },
    });
    const invalid = JSON.parse(
      (
        await call("safe_patch", {
          ...patch,
          unified_diff: "@@ -1 +1 @@\n-nine\n+NINE\n",
          base_content_sha256: sha256("one\nTWO\n"),
        })
      ).text,
    );
    expect(invalid).toMatchObject({
      success: false,
      code: "invalid_diff",
      message: expect.stringMatching(
        /^Invalid Diff: The provided diff content does not match the file's content\./,
      ),
      latest_file_state: { sha256: sha256("one\nTWO\n"), content: "one\nTWO\n" },
    });
  });

  test("structured: small acknowledgements are the same JSON twice, texts of files stay text", async () => {
    const { call } = await start({ structured: true, resultContent: "none" });
    const read = await call("read_file", { file_path: "a.txt" });
    expect(read.structured).toBeUndefined();
    expect(read.file?.content).toBe(before);
    const written = await call("safe_patch", patch);
    expect(written.structured).toMatchObject({ success: true, code: "applied" });
    expect(JSON.parse(written.text)).toEqual(written.structured);
    const refused = await call("write_file", { file_path: "a.txt", content: "x" });
    expect(refused.structured).toMatchObject({ success: false, code: "missing_base" });
    expect(refused.isError).toBe(false);
  });

  test("without structured every answer is text only", async () => {
    const { call } = await start({});
    for (const answer of [await call("safe_patch", patch), await call("read_file", { file_path: "a.txt" })]) {
      expect(answer.structured).toBeUndefined();
    }
  });
});
