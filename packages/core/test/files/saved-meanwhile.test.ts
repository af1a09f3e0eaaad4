import { expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { runTool } from "../../src/tools/index.js";
import { memoryWith, sha } from "../support.js";

/** A workspace in which another program saves the file right before so many steps. */
async function overtaken(times: number) {
  const ports = memoryWith();
  let saves = times;
  const held = async () => {
    if (saves-- > 0) ports.disk.poke("a.txt", Buffer.from("theirs\n".repeat(times - saves)));
    return true;
  };
  const locks = { acquire: async () => ({ kind: "lock", held, release: async () => {} }) as const };
  ports.disk.poke("a.txt", Buffer.from("old\n"));
  return new Workspace({ ...ports, locks });
}

it.each([false, true])(
  "an append without a base names none, and sends no file (read before: %s)",
  async (isRead) => {
    const workspace = await overtaken(16);
    if (isRead) await runTool("read_file", { file_path: "a.txt" }, { workspace });
    const append = () => runTool("append_to_file", { file_path: "a.txt", content: "mine\n" }, { workspace });
    const first = await append();
    expect(first.code).toBe("state_mismatch");
    expect(first.text).not.toMatch(/your base|theirs/);
    expect(first.text).toContain("can be repeated as it is");
    expect(first.text).toContain(sha("theirs\n".repeat(16)));
    const again = await append();
    expect(again.code).toBe("applied");
    expect(await workspace.read({ path: "a.txt" })).toMatchObject({
      state: { content: `${"theirs\n".repeat(16)}mine\n` },
    });
  },
);

it("an append gets in where the file rests in the end", async () => {
  const workspace = await overtaken(15);
  const done = await runTool("append_to_file", { file_path: "a.txt", content: "mine\n" }, { workspace });
  expect(done.code).toBe("applied");
  expect(await workspace.read({ path: "a.txt" })).toMatchObject({
    state: { content: `${"theirs\n".repeat(15)}mine\n` },
  });
});

it("an append with a base is told what changed since it", async () => {
  const workspace = await overtaken(1);
  await runTool("read_file", { file_path: "a.txt" }, { workspace });
  const args = { file_path: "a.txt", content: "mine\n", base_content_sha256: sha("old\n") };
  const { text } = await runTool("append_to_file", args, { workspace });
  expect(text).toContain("since your base");
});
